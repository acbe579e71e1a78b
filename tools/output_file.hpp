#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linden::tool {

/// A file that is to be written at the end, `-` for standard output. That it can be written is tried at once, before
/// the work begins; what is there stays until the end, and nothing is left where nothing was.
class OutputFile {
public:
    /// No file if `path` is empty. `option` is where the path was given, for errors. @throws FileError
    OutputFile(std::string path, std::string_view option);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    explicit operator bool() const { return !path_.empty(); }
    const std::string& path() const { return path_; }
    const std::string& option() const { return option_; }
    /// Then nothing else goes there.
    bool is_standard_output() const { return path_ == "-"; }

    /// @throws FileError
    void write(std::string_view text);

private:
    std::string path_;
    std::string option_;
};

/// @throws FileError if standard output takes no more
void print_to_standard_output(std::string_view text);

/// Refuses names of pictures in other formats than SVG, by their suffix. @throws UsageError
void check_picture(const std::string& path, std::string_view option);

/// Refuses outputs that would overwrite each other, mix on standard output, or overwrite one of `inputs`.
/// @throws UsageError
void check_distinct(const std::vector<const OutputFile*>& outputs, const std::vector<std::string>& inputs);

}  // namespace linden::tool
