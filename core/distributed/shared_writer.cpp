#include "core/distributed/shared_writer.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/distributed/transport.hpp"

namespace linden::distributed {

/// A regular file that is written at any offsets.
class SharedWriter::Place {
public:
    explicit Place(const std::string& path) : path_(path), fd_(::open(path.c_str(), O_WRONLY | O_CLOEXEC))
    {
        if (fd_ < 0) {
            throw_file_error(path_, "cannot be opened for writing", errno);
        }
    }
    ~Place()
    {
        if (fd_ >= 0) {
            ::close(fd_);
        }
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    void write(std::uint64_t offset, std::string_view text)
    {
        while (!text.empty()) {
            const auto slice = std::min(text.size(), TextBuffer::max_slice);
            const auto done = ::pwrite(fd_, text.data(), slice, static_cast<off_t>(offset));
            if (done < 0 && errno != EINTR) {
                throw_file_error(path_, "cannot be written and is incomplete", errno);
            }
            const auto count = static_cast<std::size_t>(std::max<ssize_t>(done, 0));
            offset += count;
            text.remove_prefix(count);
        }
    }
    void close()
    {
        if (::close(std::exchange(fd_, -1)) != 0) {
            throw_file_error(path_, "cannot be written and is incomplete", errno);
        }
    }

private:
    std::string path_;
    int fd_;
};

namespace {

/// The number by which a host knows a regular file; 0 if there is none.
std::uint64_t number_of_file(const std::string& path)
{
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) ? status.st_ino : 0;
}

}  // namespace

SharedWriter::SharedWriter(const Communicator& ranks, const std::string& path) : ranks_(ranks), path_(path)
{
    ranks_.agree_after([&] {
        if (ranks_.rank() == 0) {
            whole_ = std::make_unique<TextWriter>(path_);
        }
    });
    const auto seen = ranks_.all_gather(number_of_file(path_));
    const bool is_same = std::all_of(seen.begin(), seen.end(), [&](auto n) { return n != 0 && n == seen.front(); });
    if (!ranks_.is_single() && is_same && !path_.ends_with(".gz")) {
        ranks_.agree_after([&] {
            if (whole_ != nullptr) {
                std::exchange(whole_, nullptr)->close();
            }
            place_ = std::make_unique<Place>(path_);
        });
    }
}

SharedWriter::~SharedWriter() = default;

void SharedWriter::append(const Source& mine)
{
    if (place_ != nullptr) {
        append_in_place(mine);
    } else {
        ranks_.guard([&] { append_in_turn(mine); });
    }
}

void SharedWriter::append_in_place(const Source& mine)
{
    std::uint64_t size = 0;
    ranks_.agree_after([&] { mine([&](std::string_view text) { size += text.size(); }); });
    const auto sizes = ranks_.all_gather(size);
    auto at = end_;
    for (std::size_t r = 0; r < sizes.size(); ++r) {
        at += r < static_cast<std::size_t>(ranks_.rank()) ? sizes[r] : 0;
        end_ += sizes[r];
    }
    ranks_.agree_after([&] {
        mine([&](std::string_view text) {
            place_->write(at, text);
            at += text.size();
        });
    });
}

void SharedWriter::append_in_turn(const Source& mine)
{
    auto& transport = ranks_.transport();
    std::exception_ptr failure;
    const auto send = [&](std::string_view text) {
        std::uint64_t size = text.size();
        transport.start(std::vector<Message>{{0, &size, sizeof size}}, {})->wait();
        if (size > 0) {
            transport.start(std::vector<Message>{{0, const_cast<char*>(text.data()), text.size()}}, {})->wait();
        }
    };
    if (ranks_.rank() == 0) {
        try {
            mine([&](std::string_view text) { whole_->write(text); });
        } catch (...) {
            failure = std::current_exception();
        }
        for (int rank = 1; rank < ranks_.size(); ++rank) {
            failure = write_received(rank, failure);
        }
    } else {
        mine([&](std::string_view text) {
            if (!text.empty()) {  // nothing is the end
                send(text);
            }
        });
        send({});
    }
    ranks_.agree(failure);
}

/// Receives all that the rank sends, and writes it if nothing has failed before. Returns what has.
std::exception_ptr SharedWriter::write_received(int rank, std::exception_ptr failure)
{
    auto& transport = ranks_.transport();
    while (true) {
        std::uint64_t size = 0;
        transport.start({}, std::vector<Message>{{rank, &size, sizeof size}})->wait();
        if (size == 0) {
            return failure;
        }
        received_.resize(size);
        transport.start({}, std::vector<Message>{{rank, received_.data(), received_.size()}})->wait();
        try {
            if (failure == nullptr) {
                whole_->write(received_);
            }
        } catch (...) {
            failure = std::current_exception();
        }
    }
}

void SharedWriter::close()
{
    ranks_.agree_after([&] {
        if (place_ != nullptr) {
            place_->close();
        } else if (whole_ != nullptr) {
            std::exchange(whole_, nullptr)->close();
        }
    });
}

}  // namespace linden::distributed
