#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linden::tool {

/// A file that is to be written at the end. It is opened at once, so that one that cannot be written is known before
/// the work begins; what is there stays until then, and a file that would remain empty is removed again.
class OutputFile {
public:
    /// No file if `path` is empty. `option` is where the path was given, for errors. @throws FileError
    OutputFile(std::string path, std::string_view option);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    explicit operator bool() const { return !path_.empty(); }
    const std::string& path() const { return path_; }
    const std::string& option() const { return option_; }

    /// @throws FileError
    void write(std::string_view text);
    /// Says that somebody else wrote it.
    void keep() { created_ = false; }

private:
    std::string path_;
    std::string option_;
    bool created_ = false;
};

/// Refuses outputs that would overwrite each other or one of `inputs`. @throws UsageError
void check_distinct(const std::vector<const OutputFile*>& outputs, const std::vector<std::string>& inputs);

}  // namespace linden::tool
