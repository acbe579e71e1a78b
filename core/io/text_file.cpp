#include "core/io/text_file.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace linden {
namespace {

class Descriptor {
public:
    explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (fd_ < 0) {
            throw_file_error(path, "cannot be opened", errno);
        }
    }
    ~Descriptor() { ::close(fd_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }

private:
    int fd_;
};

TextBuffer read_all(const std::string& path)
{
    Descriptor file(path);
    struct stat status = {};
    if (::fstat(file.get(), &status) != 0) {
        throw_file_error(path, "cannot be examined", errno);
    }
    if (S_ISDIR(status.st_mode)) {
        throw FileError(path, 0, "is a directory, not a file");
    }
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) {
        throw FileError(path, 0, "is neither a regular file nor a pipe");
    }
    TextBuffer text;
    // One more than the size, so that the end of the file shows without growing.
    text.reserve(std::max(TextBuffer::first_capacity, static_cast<std::size_t>(status.st_size) + 1));
    while (true) {
        if (text.size() == text.capacity()) {
            text.reserve(2 * text.capacity());
        }
        const auto room = std::min(TextBuffer::max_slice, text.capacity() - text.size());
        const auto count = ::read(file.get(), text.end(), room);
        if (count == 0) {
            return text;
        }
        if (count > 0) {
            text.advance(static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            throw_file_error(path, "cannot be read", errno);
        }
    }
}

}  // namespace

void throw_file_error(std::string_view path, std::string_view what, int error)
{
    throw FileError(path, 0, std::string(what) + ": " + std::strerror(error));
}

void TextBuffer::reserve(std::size_t capacity)
{
    if (capacity <= capacity_) {
        return;
    }
    auto grown = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ > 0) {
        std::memcpy(grown.get(), data_.get(), size_);
    }
    data_ = std::move(grown);
    capacity_ = capacity;
}

std::size_t size_of_file(const std::string& path)
{
    struct stat status = {};
    if (::stat(path.c_str(), &status) != 0) {
        throw_file_error(path, "cannot be opened", errno);
    }
    if (!S_ISREG(status.st_mode)) {
        throw FileError(path, 0, "is not a regular file");
    }
    return static_cast<std::size_t>(status.st_size);
}

std::size_t TextReader::most_characters() const
{
    constexpr std::size_t most_per_byte = 1032;  // of deflate
    return is_compressed_ ? most_per_byte * file_bytes_ : file_bytes_;
}

TextBuffer load_text(const std::string& path)
{
    auto content = read_all(path);
    return is_gzip(content.view()) ? gunzip(content.view(), path) : std::move(content);
}

}  // namespace linden
