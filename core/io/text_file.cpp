#include "core/io/text_file.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

namespace linden {
namespace {

constexpr std::size_t first_capacity = std::size_t{1} << 16;
/// zlib counts in 32 bits and read() in at most 31, so long texts are processed in steps of this size.
constexpr std::size_t max_slice = std::size_t{1} << 30;

[[noreturn]] void fail(std::string_view path, std::string_view what, int error)
{
    throw FileError(path, 0, std::string(what) + ": " + std::strerror(error));
}

class Descriptor {
public:
    explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC))
    {
        if (fd_ < 0) {
            fail(path, "cannot be opened", errno);
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
        fail(path, "cannot be examined", errno);
    }
    if (S_ISDIR(status.st_mode)) {
        throw FileError(path, 0, "is a directory, not a file");
    }
    if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode)) {
        throw FileError(path, 0, "is neither a regular file nor a pipe");
    }
    TextBuffer text;
    // One more than the size, so that the end of the file shows without growing.
    text.reserve(std::max(first_capacity, static_cast<std::size_t>(status.st_size) + 1));
    while (true) {
        if (text.size() == text.capacity()) {
            text.reserve(2 * text.capacity());
        }
        const auto count = ::read(file.get(), text.end(), std::min(max_slice, text.capacity() - text.size()));
        if (count == 0) {
            return text;
        }
        if (count > 0) {
            text.advance(static_cast<std::size_t>(count));
        } else if (errno != EINTR) {
            fail(path, "cannot be read", errno);
        }
    }
}

bool is_gzip(std::string_view content) { return content.substr(0, 2) == "\x1f\x8b"; }

/// zlib's inflate over a text in memory.
class Inflater {
public:
    Inflater(std::string_view input, std::string_view name) : input_(input), name_(name)
    {
        constexpr int gzip_only = 16 + MAX_WBITS;
        if (inflateInit2(&stream_, gzip_only) != Z_OK) {
            throw FileError(name_, 0, "gzip: no memory to begin decompression");
        }
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    /// Appends what fits the capacity of `out`; true when a member of the file has ended.
    bool append_to(TextBuffer& out)
    {
        const auto offered = std::min(max_slice, input_.size());
        const auto room = std::min(max_slice, out.capacity() - out.size());
        // zlib does not write to its input; the C interface of old versions lacks the const.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input_.data()));
        stream_.avail_in = static_cast<uInt>(offered);
        stream_.next_out = reinterpret_cast<Bytef*>(out.end());
        stream_.avail_out = static_cast<uInt>(room);
        const int result = inflate(&stream_, Z_NO_FLUSH);
        const auto produced = room - stream_.avail_out;
        input_.remove_prefix(offered - stream_.avail_in);
        out.advance(produced);
        if (result == Z_BUF_ERROR || (result == Z_OK && input_.empty() && produced < room)) {
            throw FileError(name_, 0, "the gzip file is truncated");
        }
        if (result != Z_OK && result != Z_STREAM_END) {
            throw FileError(
                name_, 0,
                std::string("the gzip file is corrupt: ") + (stream_.msg != nullptr ? stream_.msg : zError(result)));
        }
        return result == Z_STREAM_END;
    }

    void next_member() { inflateReset(&stream_); }
    std::string_view rest() const { return input_; }

private:
    std::string_view input_;
    std::string_view name_;
    z_stream stream_ = {};
};

gzFile as_gz(void* file) { return static_cast<gzFile>(file); }

std::string gz_problem(gzFile file)
{
    int code = Z_OK;
    const char* message = gzerror(file, &code);
    return code == Z_ERRNO || message == nullptr || *message == '\0' ? std::strerror(errno) : message;
}

}  // namespace

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

TextBuffer load_text(const std::string& path)
{
    auto content = read_all(path);
    return is_gzip(content.view()) ? gunzip(content.view(), path) : std::move(content);
}

TextBuffer gunzip(std::string_view compressed, std::string_view name)
{
    Inflater inflater(compressed, name);
    TextBuffer text;
    text.reserve(std::max(first_capacity, 4 * compressed.size()));
    while (true) {
        if (text.size() == text.capacity()) {
            text.reserve(2 * text.capacity());
        }
        if (!inflater.append_to(text)) {
            continue;
        }
        const auto rest = inflater.rest();
        if (rest.find_first_not_of('\0') == std::string_view::npos) {
            return text;  // tapes and block devices pad with zeros
        }
        if (!is_gzip(rest)) {
            throw FileError(name, 0, "the gzip file has other data after its end");
        }
        inflater.next_member();
    }
}

TextWriter::TextWriter(std::string path) : path_(std::move(path))
{
    // T: zlib passes the text through as it is.
    errno = 0;
    file_ = gzopen(path_.c_str(), path_.ends_with(".gz") ? "wb" : "wbT");
    if (file_ == nullptr) {
        fail(path_, "cannot be opened for writing", errno != 0 ? errno : ENOMEM);
    }
    gzbuffer(as_gz(file_), 1 << 18);
}

TextWriter::~TextWriter()
{
    if (file_ != nullptr) {
        gzclose(as_gz(file_));
    }
}

void TextWriter::write(std::string_view text)
{
    while (!text.empty()) {
        const auto slice = text.substr(0, max_slice);
        if (gzwrite(as_gz(file_), slice.data(), static_cast<unsigned>(slice.size())) == 0) {
            throw FileError(path_, 0, "cannot be written and is incomplete: " + gz_problem(as_gz(file_)));
        }
        text.remove_prefix(slice.size());
    }
}

void TextWriter::close()
{
    errno = 0;
    if (gzclose(as_gz(std::exchange(file_, nullptr))) != Z_OK) {
        fail(path_, "cannot be written and is incomplete", errno != 0 ? errno : EIO);
    }
}

}  // namespace linden
