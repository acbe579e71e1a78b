#pragma once

#include <linden/distributed/communicator.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/io/text_file.hpp"

namespace linden::distributed {

/// A file that the ranks write together from beginning to end. Where all ranks see the same regular file, each writes
/// its texts in their place, all at the same time. What is compressed, a pipe, or not to be seen on every rank, is
/// written by rank 0, to which the others send their texts in turn. All acts are collective and agree on failures:
/// FileError on the ranks that fail, RemoteError on others; the file is then incomplete.
class SharedWriter {
public:
    /// Takes a piece of text; throws what ends the writing.
    using Sink = std::function<void(std::string_view)>;
    /// Passes the text of a rank to a sink in pieces. May be called twice, with the same text.
    using Source = std::function<void(const Sink&)>;

    /// Overwrites what is there.
    SharedWriter(const Communicator& ranks, const std::string& path);
    ~SharedWriter();
    SharedWriter(const SharedWriter&) = delete;
    SharedWriter& operator=(const SharedWriter&) = delete;

    /// Appends the texts of all ranks in the order of ranks.
    void append(const Source& mine);
    void close();

private:
    class Place;
    void append_in_place(const Source& mine);
    void append_in_turn(const Source& mine);
    std::exception_ptr write_received(int rank, std::exception_ptr failure);

    const Communicator& ranks_;
    std::string path_;
    std::unique_ptr<TextWriter> whole_;  // on rank 0, where it writes all
    std::unique_ptr<Place> place_;       // where each rank writes its own
    std::string received_;
    std::uint64_t end_ = 0;  // of what has been written
};

}  // namespace linden::distributed
