#pragma once

#include <linden/distributed/partition.hpp>
#include <linden/error.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/distributed/text_pieces.hpp"
#include "core/distributed/transport.hpp"
#include "core/io/harwell_boeing.hpp"
#include "core/io/matrix_market_entries.hpp"

namespace linden::distributed {

/// Lines that a rank parses, and what is counted of them.
struct Share {
    std::string_view text;
    size_type num_lines = 0;
    size_type num_entries = 0;  ///< lines that hold one, if they are well formed
    bool is_behind_end = false;
};

/// The lines of a piece that lie behind the header, of `body` characters.
inline Share share_of(const TextPiece& piece, std::size_t body)
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

/// What stands before a share.
struct Before {
    size_type lines = 0, entries = 0;
};

/// Parses the share. Values of an array have no indices: they are those of the columns, one after the other.
template <class V>
Triplets<V> parse(const Share& share, const std::string& path, matrix_market::Header header, Before before,
                  const Partition& partition)
{
    const auto rows = header.size.rows;
    const auto most = header.num_entries;
    header.body = 0;
    header.num_entries = share.num_entries;
    Triplets<V> triplets(partition.num_ranks());
    auto entry = before.entries;
    const auto put = [&](std::int64_t row, std::int64_t col, const V& value) {
        const auto owner = static_cast<std::size_t>(partition.owner(row));
        triplets.rows[owner].push_back(row);
        triplets.cols[owner].push_back(col);
        triplets.values[owner].push_back(value);
    };
    try {
        for (const auto& chunk : matrix_market::parse_entries<V, std::int64_t>(share.text, path, header)) {
            for (std::size_t i = 0; i < chunk.values.size(); ++i, ++entry) {
                if (!header.is_array) {
                    put(chunk.rows[i], chunk.cols[i], chunk.values[i]);
                } else if (entry < most) {  // more are an error, when all have been counted
                    put(entry % rows, entry / rows, chunk.values[i]);
                }
            }
        }
    } catch (const FileError& error) {
        throw FileError(path, error.line == 0 ? 0 : error.line + before.lines, error.problem);
    }
    return triplets;
}

/// A Matrix Market file that ranks read together, in rounds: each parses a piece, one after the other in the file, and
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

    /// What is read: a square matrix, or a block of vectors, which may be an array.
    enum class Content { matrix, block };
    /// Collective.
    matrix_market::Header header(bool takes_complex, Content content);
    /// Collective. Calls `use` with the triplets of own rows of each round, of `header`, in the order of the file.
    /// `wants_all`: else without columns and values.
    template <class V, class Use>
    void read(const matrix_market::Header& header, const Partition& partition, bool wants_all, const Use& use);

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

inline matrix_market::Header SharedFile::header(bool takes_complex, Content content)
{
    return communicator_.agree_after([&] {
        const auto text = pieces_->head();
        if (harwell_boeing::is_harwell_boeing(text)) {
            throw NotSupported("reading " + path_ + " on several ranks", "it is a Harwell-Boeing file, by columns");
        }
        const auto found = matrix_market::parse_header(
            text, path_, {std::numeric_limits<std::int64_t>::max(), takes_complex, pieces_->most_characters()});
        if (found.is_array && (content == Content::matrix || found.symmetry != matrix_market::Symmetry::general)) {
            throw NotSupported("reading " + path_ + " on several ranks",
                               content == Content::matrix ? "it is an array file, not a coordinate file"
                                                          : "it is an array of a symmetric matrix");
        }
        if (content == Content::matrix && found.size.rows != found.size.cols) {
            throw InvalidParameter("matrix in " + path_,
                                   std::to_string(found.size.rows) + " x " + std::to_string(found.size.cols),
                                   "a square one on several ranks");
        }
        header_lines_ = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(found.body), '\n');
        return found;
    });
}

template <class V, class Use>
void SharedFile::read(const matrix_market::Header& header, const Partition& partition, bool wants_all, const Use& use)
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
        Before before{num_lines, num_entries};
        for (std::size_t r = 0; r < num_ranks; ++r) {
            before.lines += r < rank ? shares[r].num_lines : 0;
            before.entries += r < rank ? shares[r].num_entries : 0;
            num_lines += shares[r].num_lines;
            num_entries += shares[r].num_entries;
            is_behind_end = shares[r].is_behind_end;
        }
        const auto mine = communicator_.agree_after([&] { return parse<V>(share, path_, header, before, partition); });
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

}  // namespace linden::distributed
