#pragma once

#include <string>
#include <string_view>

namespace linden {

/// The content of a regular file, of which only what is looked at is brought into memory.
class MappedFile {
public:
    /// @throws FileError
    explicit MappedFile(const std::string& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    std::string_view view() const { return {static_cast<const char*>(data_), size_}; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace linden
