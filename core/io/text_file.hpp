#pragma once

#include <linden/types.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

/// Text files as a whole or in parts, plain or compressed with gzip. Every failure is a FileError. Where the build has
/// no zlib, everything that is compressed fails; zlib/ has what depends on that.
namespace linden {

/// A text in memory that grows without being initialised.
class TextBuffer {
public:
    static constexpr std::size_t first_capacity = std::size_t{1} << 16;
    /// zlib counts in 32 bits and read() in at most 31, so long texts pass in slices.
    static constexpr std::size_t max_slice = std::size_t{1} << 30;

    std::string_view view() const { return {data_.get(), size_}; }
    std::size_t size() const { return size_; }
    std::size_t capacity() const { return capacity_; }
    char* end() { return data_.get() + size_; }

    /// Declares `count` characters after end() as written; they must fit the capacity.
    void advance(std::size_t count) { size_ += count; }
    void reserve(std::size_t capacity);

private:
    std::unique_ptr<char[]> data_;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

/// @throws FileError with the system's words for `error`, a value of errno
[[noreturn]] void throw_file_error(std::string_view path, std::string_view what, int error);

inline bool is_gzip(std::string_view content) { return content.substr(0, 2) == "\x1f\x8b"; }

/// The size of a regular file.
std::size_t size_of_file(const std::string& path);

/// The content of a regular file or a pipe, decompressed if it begins with the magic number of gzip.
TextBuffer load_text(const std::string& path);

/// Decompresses all members of a gzip file. Memory follows what is really decompressed, not what a trailer claims.
/// `name` is the file in errors.
TextBuffer gunzip(std::string_view compressed, std::string_view name);

/// A regular file that is read in parts, decompressed if it begins with the magic number of gzip; then a part costs as
/// much as all that lies between it and the one before, or the beginning of the file.
class TextReader {
public:
    explicit TextReader(std::string path);
    ~TextReader();
    TextReader(const TextReader&) = delete;
    TextReader& operator=(const TextReader&) = delete;

    /// Reads up to `count` characters from `offset` on into `to`; fewer only where the text ends. The number of them.
    std::size_t read(std::size_t offset, char* to, std::size_t count);
    std::size_t file_bytes() const { return file_bytes_; }
    /// The text is no longer than so.
    std::size_t most_characters() const;

private:
    std::string path_;
    std::size_t file_bytes_ = 0;
    bool is_compressed_ = false;
    void* file_ = nullptr;
};

/// A file that is written from beginning to end, through gzip if the path ends with `.gz`.
class TextWriter {
public:
    explicit TextWriter(std::string path);
    ~TextWriter();
    TextWriter(const TextWriter&) = delete;
    TextWriter& operator=(const TextWriter&) = delete;

    void write(std::string_view text);
    /// Flushes; errors that the system reports late (full disk) appear here. Without it the file may be incomplete.
    void close();

private:
    std::string path_;
    void* file_ = nullptr;
};

}  // namespace linden
