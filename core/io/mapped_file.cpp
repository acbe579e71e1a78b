#include "core/io/mapped_file.hpp"

#include <linden/error.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/io/text_file.hpp"

namespace linden {

MappedFile::MappedFile(const std::string& path)
{
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        throw_file_error(path, "cannot be opened", errno);
    }
    struct stat status {};
    const bool is_regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    size_ = is_regular ? static_cast<std::size_t>(status.st_size) : 0;
    if (size_ > 0) {
        data_ = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
    }
    const int error = errno;
    close(file);
    if (!is_regular) {
        throw FileError(path, 0, "is not a regular file");
    }
    if (data_ == MAP_FAILED) {
        throw_file_error(path, "cannot be mapped", error);
    }
}

MappedFile::~MappedFile()
{
    if (data_ != nullptr) {
        munmap(data_, size_);
    }
}

}  // namespace linden
