#include "core/io/text_file.hpp"

#include <linden/error.hpp>

#include <cerrno>
#include <cstdio>
#include <utility>

/// Plain texts alone, for builds without zlib.
namespace linden {
namespace {

constexpr const char* advice =
    "this build has no zlib: use an uncompressed file, or install zlib1g-dev and configure with LINDEN_ZLIB=ON";

std::FILE* as_file(void* file) { return static_cast<std::FILE*>(file); }

}  // namespace

TextBuffer gunzip(std::string_view, std::string_view name)
{
    throw FileError(name, 0, std::string("is compressed with gzip, and ") + advice);
}

TextReader::TextReader(std::string path) : path_(std::move(path)), file_bytes_(size_of_file(path_))
{
    file_ = std::fopen(path_.c_str(), "rbe");
    if (file_ == nullptr) {
        throw_file_error(path_, "cannot be opened", errno);
    }
    char magic[2] = {};
    if (is_gzip({magic, read(0, magic, sizeof magic)})) {
        std::fclose(as_file(file_));
        (void)gunzip({}, path_);
    }
}

TextReader::~TextReader() { std::fclose(as_file(file_)); }

std::size_t TextReader::read(std::size_t offset, char* to, std::size_t count)
{
    const bool is_there = ::fseeko(as_file(file_), static_cast<off_t>(offset), SEEK_SET) == 0;
    const auto done = is_there ? std::fread(to, 1, count, as_file(file_)) : 0;
    if (std::ferror(as_file(file_)) != 0) {
        throw_file_error(path_, "cannot be read", errno);
    }
    return done;
}

TextWriter::TextWriter(std::string path) : path_(std::move(path))
{
    if (path_.ends_with(".gz")) {
        throw FileError(path_, 0, std::string("would be compressed with gzip, but ") + advice);
    }
    file_ = std::fopen(path_.c_str(), "wbe");
    if (file_ == nullptr) {
        throw_file_error(path_, "cannot be opened for writing", errno);
    }
}

TextWriter::~TextWriter()
{
    if (file_ != nullptr) {
        std::fclose(as_file(file_));
    }
}

void TextWriter::write(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), as_file(file_)) != text.size()) {
        throw_file_error(path_, "cannot be written and is incomplete", errno);
    }
}

void TextWriter::close()
{
    if (std::fclose(as_file(std::exchange(file_, nullptr))) != 0) {
        throw_file_error(path_, "cannot be written and is incomplete", errno);
    }
}

}  // namespace linden
