#include "core/io/text_file.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <zlib.h>

/// Compressed texts, and plain ones that zlib writes as they are.
namespace linden {
namespace {

constexpr auto first_capacity = TextBuffer::first_capacity;
constexpr auto max_slice = TextBuffer::max_slice;

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

TextReader::TextReader(std::string path) : path_(std::move(path)), file_bytes_(size_of_file(path_))
{
    errno = 0;
    file_ = gzopen(path_.c_str(), "rb");  // passes a plain text through as it is
    if (file_ == nullptr) {
        throw_file_error(path_, "cannot be opened", errno != 0 ? errno : ENOMEM);
    }
    gzbuffer(as_gz(file_), 1 << 18);
    is_compressed_ = gzdirect(as_gz(file_)) == 0;
}

TextReader::~TextReader() { gzclose(as_gz(file_)); }

std::size_t TextReader::read(std::size_t offset, char* to, std::size_t count)
{
    auto* const file = as_gz(file_);
    std::size_t done = 0;
    const bool is_there = gzseek(file, static_cast<z_off_t>(offset), SEEK_SET) >= 0;
    while (is_there && done < count) {
        const auto got = gzread(file, to + done, static_cast<unsigned>(std::min(max_slice, count - done)));
        if (got <= 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    int code = Z_OK;
    gzerror(file, &code);
    if (code == Z_BUF_ERROR) {
        throw FileError(path_, 0, "the gzip file is truncated");
    }
    if (code != Z_OK && code != Z_STREAM_END) {
        throw FileError(path_, 0, "cannot be read: " + gz_problem(file));
    }
    return done;
}

TextWriter::TextWriter(std::string path) : path_(std::move(path))
{
    // T: zlib passes the text through as it is.
    errno = 0;
    file_ = gzopen(path_.c_str(), path_.ends_with(".gz") ? "wb" : "wbT");
    if (file_ == nullptr) {
        throw_file_error(path_, "cannot be opened for writing", errno != 0 ? errno : ENOMEM);
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
        throw_file_error(path_, "cannot be written and is incomplete", errno != 0 ? errno : EIO);
    }
}

}  // namespace linden
