#include <linden/distributed/io.hpp>
#include <linden/error.hpp>
#include <linden/io/problems.hpp>

#include <algorithm>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>

#include "core/base/type_lists.hpp"
#include "core/distributed/transport.hpp"
#include "core/io/harwell_boeing.hpp"
#include "core/io/mapped_file.hpp"
#include "core/io/matrix_market_entries.hpp"
#include "core/io/stencil_rows.hpp"
#include "core/io/text_file.hpp"

// instantiate: distributed::OwnRows<V> distributed::read_rows<V>(const Communicator&, const std::string&)
// instantiate: distributed::OwnRows<V> distributed::generate_rows<V>(const Communicator&, const std::string&)

namespace linden::distributed {
namespace {

using matrix_market::Header;

Partition stripes_for(const Communicator& ranks, size_type rows)
{
    return Partition::stripes(rows, ranks.size(), ranks.is_reproducible() ? sum_block_rows : 1);
}

/// The lines of one rank.
struct Share {
    std::string_view text;
    size_type num_lines = 0;
    size_type num_entries = 0;  ///< lines that hold one, if they are well formed
};

/// Share `rank` of the lines of `body`: equally many characters, cut where a line ends.
Share share_of(std::string_view body, int rank, int num_ranks)
{
    const auto cut = [&](int part) {
        if (part == 0) {
            return std::size_t{0};
        }
        const auto at = body.size() / static_cast<std::size_t>(num_ranks) * static_cast<std::size_t>(part);
        const auto end = at == 0 || part == num_ranks ? std::string_view::npos : body.find('\n', at - 1);
        return end == std::string_view::npos ? (at == 0 ? at : body.size()) : end + 1;
    };
    const auto begin = cut(rank);
    const auto last = rank + 1 == num_ranks ? body.size() : cut(rank + 1);
    Share share{body.substr(begin, last - begin)};
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

/// Triplets on their way to the owners of their rows.
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

/// CSR of triplets in the order of the file; duplicates are summed in that order.
template <class V>
CsrData<V, std::int64_t> compress(const Triplets<V>& triplets, std::int64_t first, Dim size)
{
    CsrData<V, std::int64_t> out;
    out.size = size;
    std::vector<std::int64_t> ptrs(static_cast<std::size_t>(size.rows) + 1);
    const auto for_each = [&](const auto& use) {
        for (std::size_t r = 0; r < triplets.rows.size(); ++r) {
            for (std::size_t i = 0; i < triplets.rows[r].size(); ++i) {
                use(static_cast<std::size_t>(triplets.rows[r][i] - first), triplets.cols[r][i], triplets.values[r][i]);
            }
        }
    };
    for_each([&](std::size_t row, std::int64_t, const V&) { ++ptrs[row + 1]; });
    std::partial_sum(ptrs.begin(), ptrs.end(), ptrs.begin());
    std::vector<std::pair<std::int64_t, V>> entries(static_cast<std::size_t>(ptrs.back()));
    auto next = ptrs;
    for_each([&](std::size_t row, std::int64_t col, const V& value) {
        entries[static_cast<std::size_t>(next[row]++)] = {col, value};
    });
    out.row_ptrs.push_back(0);
    for (std::size_t row = 0; row < static_cast<std::size_t>(size.rows); ++row) {
        const auto begin = entries.begin() + ptrs[row];
        const auto end = entries.begin() + ptrs[row + 1];
        std::stable_sort(begin, end, [](const auto& a, const auto& b) { return a.first < b.first; });
        for (auto entry = begin; entry != end; ++entry) {
            if (entry != begin && entry->first == (entry - 1)->first) {
                out.values.back() += entry->second;
            } else {
                out.col_idxs.push_back(entry->first);
                out.values.push_back(entry->second);
            }
        }
        out.row_ptrs.push_back(static_cast<std::int64_t>(out.col_idxs.size()));
    }
    return out;
}

/// The text of a file, decompressed where need be.
class Text {
public:
    explicit Text(const std::string& path) : mapped_(path)
    {
        if (is_gzip(mapped_.view())) {
            unpacked_ = gunzip(mapped_.view(), path);
        }
    }
    std::string_view view() const { return unpacked_ ? unpacked_->view() : mapped_.view(); }

private:
    MappedFile mapped_;
    std::optional<TextBuffer> unpacked_;
};

}  // namespace

template <class V>
OwnRows<V> read_rows(const Communicator& communicator, const std::string& path)
{
    const int rank = communicator.rank();
    const auto text = communicator.agree_after([&] { return std::make_unique<const Text>(path); });
    const auto header = communicator.agree_after([&] {
        if (harwell_boeing::is_harwell_boeing(text->view())) {
            throw NotSupported("reading " + path + " on several ranks", "it is a Harwell-Boeing file, by columns");
        }
        const auto found =
            matrix_market::parse_header(text->view(), path, {std::numeric_limits<std::int64_t>::max(), is_complex<V>});
        if (found.is_array) {
            throw NotSupported("reading " + path + " on several ranks", "it is an array file, not a coordinate file");
        }
        if (found.size.rows != found.size.cols) {
            throw InvalidParameter("matrix", std::to_string(found.size.rows) + " x " + std::to_string(found.size.cols),
                                   "a square one");
        }
        return found;
    });
    const auto partition = stripes_for(communicator, header.size.rows);
    const auto share =
        communicator.agree_after([&] { return share_of(text->view().substr(header.body), rank, communicator.size()); });
    size_type lines_before = std::count(text->view().begin(), text->view().begin() + header.body, '\n');
    size_type num_entries = 0;
    size_type num_lines = lines_before;
    const auto line_counts = communicator.all_gather(share.num_lines);
    const auto entry_counts = communicator.all_gather(share.num_entries);
    for (int r = 0; r < communicator.size(); ++r) {
        lines_before += r < rank ? line_counts[static_cast<std::size_t>(r)] : 0;
        num_lines += line_counts[static_cast<std::size_t>(r)];
        num_entries += entry_counts[static_cast<std::size_t>(r)];
    }
    const auto mine = communicator.agree_after([&] { return parse<V>(share, path, header, lines_before, partition); });
    if (num_entries != header.num_entries) {
        throw FileError(path, std::max<size_type>(num_lines, 1),
                        "the file has " + std::to_string(num_entries) + " entries, the header promises " +
                            std::to_string(header.num_entries));
    }
    return communicator.guard([&] {
        Triplets<V> owned(communicator.size());
        owned.rows = detail::exchange_lists(communicator, mine.rows);
        owned.cols = detail::exchange_lists(communicator, mine.cols);
        owned.values = detail::exchange_lists(communicator, mine.values);
        auto rows = communicator.agree_after([&] {
            return compress(owned, partition.first(rank), {partition.num_rows(rank), header.size.cols});
        });
        return OwnRows<V>{partition, std::move(rows)};
    });
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
