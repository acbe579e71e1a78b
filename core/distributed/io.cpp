#include <linden/distributed/io.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <complex>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "core/base/type_lists.hpp"
#include "core/distributed/text_pieces.hpp"
#include "core/distributed/transport.hpp"
#include "core/io/harwell_boeing.hpp"
#include "core/io/matrix_market_entries.hpp"
#include "core/io/stencil_rows.hpp"

// instantiate: distributed::OwnRows<V> distributed::read_rows<V>(const Communicator&, const std::string&)
// instantiate: distributed::OwnRows<V> distributed::generate_rows<V>(const Communicator&, const std::string&)

namespace linden::distributed {
namespace {

using matrix_market::Header;

Partition stripes_for(const Communicator& ranks, size_type rows)
{
    return Partition::stripes(rows, ranks.size(), ranks.is_reproducible() ? sum_block_rows : 1);
}

/// Lines that a rank parses, and what is counted of them.
struct Share {
    std::string_view text;
    size_type num_lines = 0;
    size_type num_entries = 0;  ///< lines that hold one, if they are well formed
    bool is_behind_end = false;
};

/// The lines of a piece that lie behind the header, of `body` characters.
Share share_of(const TextPiece& piece, std::size_t body)
{
    Share share{piece.lines, 0, 0, piece.is_behind_end};
    share.text.remove_prefix(std::min(body - std::min(body, piece.offset), share.text.size()));
    for (auto rest = share.text; !rest.empty();) {
        const auto length = std::min(rest.find('\n'), rest.size());
        auto line = rest.substr(0, length);
        const auto word = matrix_market::next_word(line);
        share.num_entries += !word.empty() && word.front() != '%';
        share.num_lines += length < rest.size();
        rest.remove_prefix(std::min(length + 1, rest.size()));
    }
    return share;
}

/// Triplets on their way to the owners of their rows, or from the ranks that parsed them.
template <class V>
struct Triplets {
    explicit Triplets(int num_ranks)
        : rows(static_cast<std::size_t>(num_ranks)),
          cols(static_cast<std::size_t>(num_ranks)),
          values(static_cast<std::size_t>(num_ranks))
    {
    }
    std::vector<std::vector<std::int64_t>> rows, cols;
    std::vector<std::vector<V>> values;
};

/// Parses the share; lines are counted from `lines_before`.
template <class V>
Triplets<V> parse(const Share& share, const std::string& path, Header header, size_type lines_before,
                  const Partition& partition)
{
    header.body = 0;
    header.num_entries = share.num_entries;
    Triplets<V> triplets(partition.num_ranks());
    try {
        for (const auto& chunk : matrix_market::parse_entries<V, std::int64_t>(share.text, path, header)) {
            for (std::size_t i = 0; i < chunk.values.size(); ++i) {
                const auto owner = static_cast<std::size_t>(partition.owner(chunk.rows[i]));
                triplets.rows[owner].push_back(chunk.rows[i]);
                triplets.cols[owner].push_back(chunk.cols[i]);
                triplets.values[owner].push_back(chunk.values[i]);
            }
        }
    } catch (const FileError& error) {
        throw FileError(path, error.line == 0 ? 0 : error.line + lines_before, error.problem);
    }
    return triplets;
}

/// A coordinate file that ranks read together, in rounds: each parses a piece, one after the other in the file, and
/// sends entries to the owners of their rows.
class SharedFile {
public:
    /// Collective.
    SharedFile(const Communicator& communicator, const std::string& path)
        : communicator_(communicator),
          path_(path),
          pieces_(communicator.agree_after([&] { return open(); }))
    {
    }

    /// Collective.
    Header header(bool takes_complex);
    /// Collective. Calls `use` with the triplets of own rows of each round, of `header`, in the order of the file.
    /// `wants_all`: else without columns and values.
    template <class V, class Use>
    void read(const Header& header, const Partition& partition, bool wants_all, const Use& use);

private:
    std::unique_ptr<TextPieces> open() const
    {
        // A piece each if the file is small, and else no more at a time than memory has to spare: it may be one rank
        // to which all entries go.
        const auto num_ranks = static_cast<std::size_t>(communicator_.size());
        const auto bytes = std::min(size_of_file(path_), most_round_bytes) / num_ranks + 1;
        return std::make_unique<TextPieces>(path_, std::max(bytes, std::min(least_piece_bytes, size_of_file(path_))));
    }

    static constexpr std::size_t most_round_bytes = std::size_t{1} << 23;
    static constexpr std::size_t least_piece_bytes = std::size_t{1} << 12;
    const Communicator& communicator_;
    const std::string& path_;
    std::unique_ptr<TextPieces> pieces_;
    size_type header_lines_ = 0;
};

Header SharedFile::header(bool takes_complex)
{
    return communicator_.agree_after([&] {
        const auto text = pieces_->head();
        if (harwell_boeing::is_harwell_boeing(text)) {
            throw NotSupported("reading " + path_ + " on several ranks", "it is a Harwell-Boeing file, by columns");
        }
        const auto found = matrix_market::parse_header(
            text, path_, {std::numeric_limits<std::int64_t>::max(), takes_complex, pieces_->most_characters()});
        if (found.is_array) {
            throw NotSupported("reading " + path_ + " on several ranks", "it is an array file, not a coordinate file");
        }
        if (found.size.rows != found.size.cols) {
            throw InvalidParameter("matrix", std::to_string(found.size.rows) + " x " + std::to_string(found.size.cols),
                                   "a square one");
        }
        header_lines_ = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found.body), '\n');
        return found;
    });
}

template <class V, class Use>
void SharedFile::read(const Header& header, const Partition& partition, bool wants_all, const Use& use)
{
    const auto rank = static_cast<std::size_t>(communicator_.rank());
    const auto num_ranks = static_cast<std::size_t>(communicator_.size());
    size_type num_lines = header_lines_;
    size_type num_entries = 0;
    bool is_behind_end = false;
    for (std::size_t round = 0; !is_behind_end; ++round) {
        const auto share =
            communicator_.agree_after([&] { return share_of(pieces_->piece(round * num_ranks + rank), header.body); });
        const auto shares = communicator_.all_gather(share);
        auto lines_before = num_lines;
        for (std::size_t r = 0; r < num_ranks; ++r) {
            lines_before += r < rank ? shares[r].num_lines : 0;
            num_lines += shares[r].num_lines;
            num_entries += shares[r].num_entries;
            is_behind_end = shares[r].is_behind_end;
        }
        const auto mine =
            communicator_.agree_after([&] { return parse<V>(share, path_, header, lines_before, partition); });
        communicator_.guard([&] {
            Triplets<V> owned(communicator_.size());
            owned.rows = detail::exchange_lists(communicator_, mine.rows);
            if (wants_all) {
                owned.cols = detail::exchange_lists(communicator_, mine.cols);
                owned.values = detail::exchange_lists(communicator_, mine.values);
            }
            use(owned);
        });
    }
    if (num_entries != header.num_entries) {
        throw FileError(path_, std::max<size_type>(num_lines, 1),
                        "the file has " + std::to_string(num_entries) + " entries, the header promises " +
                            std::to_string(header.num_entries));
    }
}

/// Rows in CSR of entries that arrive twice, in the order of the file: first they are counted, then taken.
template <class V>
class RowAssembly {
public:
    RowAssembly(std::int64_t first, Dim size) : first_(first)
    {
        out_.size = size;
        out_.row_ptrs.resize(static_cast<std::size_t>(size.rows) + 1);
    }

    void count(const Triplets<V>& triplets)
    {
        for (const auto& rows : triplets.rows) {
            for (const auto row : rows) {
                ++out_.row_ptrs[static_cast<std::size_t>(row - first_) + 1];
            }
        }
    }
    void make_room()
    {
        std::partial_sum(out_.row_ptrs.begin(), out_.row_ptrs.end(), out_.row_ptrs.begin());
        next_ = out_.row_ptrs;
        out_.col_idxs.resize(static_cast<std::size_t>(out_.row_ptrs.back()));
        out_.values.resize(static_cast<std::size_t>(out_.row_ptrs.back()));
    }
    void take(const Triplets<V>& triplets)
    {
        for (std::size_t r = 0; r < triplets.rows.size(); ++r) {
            for (std::size_t i = 0; i < triplets.rows[r].size(); ++i) {
                const auto k =
                    static_cast<std::size_t>(next_[static_cast<std::size_t>(triplets.rows[r][i] - first_)]++);
                out_.col_idxs[k] = triplets.cols[r][i];
                out_.values[k] = triplets.values[r][i];
            }
        }
    }
    /// Sorts rows; duplicates are summed in the order in which they came.
    CsrData<V, std::int64_t> finish();

private:
    std::int64_t first_;
    std::vector<std::int64_t> next_;  ///< place of a row's next entry
    CsrData<V, std::int64_t> out_;
};

template <class V>
CsrData<V, std::int64_t> RowAssembly<V>::finish()
{
    std::vector<std::pair<std::int64_t, V>> entries;
    std::size_t begin = 0;
    std::size_t to = 0;
    for (std::size_t row = 1; row < out_.row_ptrs.size(); ++row) {
        const auto end = static_cast<std::size_t>(out_.row_ptrs[row]);
        entries.clear();
        for (; begin < end; ++begin) {
            entries.emplace_back(out_.col_idxs[begin], out_.values[begin]);
        }
        std::stable_sort(entries.begin(), entries.end(),
                         [](const auto& a, const auto& b) { return a.first < b.first; });
        const auto first = to;
        for (const auto& [col, value] : entries) {
            if (to > first && out_.col_idxs[to - 1] == col) {
                out_.values[to - 1] += value;
            } else {
                out_.col_idxs[to] = col;
                out_.values[to++] = value;
            }
        }
        out_.row_ptrs[row] = static_cast<std::int64_t>(to);
    }
    out_.col_idxs.resize(to);
    out_.values.resize(to);
    return std::move(out_);
}

}  // namespace

template <class V>
OwnRows<V> read_rows(const Communicator& communicator, const std::string& path)
{
    SharedFile file(communicator, path);
    const auto header = file.header(is_complex<V>);
    const auto partition = stripes_for(communicator, header.size.rows);
    const int rank = communicator.rank();
    auto rows = communicator.agree_after([&] {
        return RowAssembly<V>(partition.first(rank), {partition.num_rows(rank), header.size.cols});
    });
    file.read<V>(header, partition, false, [&](const auto& triplets) { rows.count(triplets); });
    communicator.agree_after([&] { rows.make_room(); });
    file.read<V>(header, partition, true, [&](const auto& triplets) { rows.take(triplets); });
    return OwnRows<V>{partition, communicator.agree_after([&] { return rows.finish(); })};
}

template <class V>
OwnRows<V> generate_rows(const Communicator& communicator, const std::string& spec)
{
    return communicator.agree_after([&] {
        const int rank = communicator.rank();
        const auto num_rows = linden::detail::num_stencil_rows(spec);
        if (num_rows >= 0) {
            auto partition = stripes_for(communicator, num_rows);
            auto rows = linden::detail::stencil_rows<V>(spec, partition.first(rank), partition.first(rank + 1));
            return OwnRows<V>{std::move(partition), std::move(rows)};
        }
        const auto whole = generate_problem<V, DefaultIndex>(spec);
        auto partition = stripes_for(communicator, whole.size.rows);
        CsrData<V, std::int64_t> rows{{partition.num_rows(rank), whole.size.cols}, {}, {}, {}};
        const auto begin = whole.row_ptrs.begin() + partition.first(rank);
        const auto end = whole.row_ptrs.begin() + partition.first(rank + 1);
        std::transform(begin, end + 1, std::back_inserter(rows.row_ptrs),
                       [&](auto ptr) { return std::int64_t{ptr} - *begin; });
        rows.col_idxs.assign(whole.col_idxs.begin() + *begin, whole.col_idxs.begin() + *end);
        rows.values.assign(whole.values.begin() + *begin, whole.values.begin() + *end);
        return OwnRows<V>{std::move(partition), std::move(rows)};
    });
}

}  // namespace linden::distributed
