#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Runs the linden program as a user does, and looks at what it leaves.
namespace linden::test {

struct Outcome {
    int code = -1;  ///< -1 where a signal ended it
    std::string out;
    std::string err;
};

/// The program with these arguments and no input.
Outcome run_linden(const std::vector<std::string>& arguments);

/// The program with these words as a shell reads them, redirections among them.
Outcome run_linden_in_shell(const std::string& words);

/// What it writes to a terminal, which is its standard output and its standard error.
Outcome run_linden_on_terminal(const std::vector<std::string>& arguments);

/// The same, and sends `signal` so many times once the line of progress has appeared.
Outcome run_linden_and_signal(const std::vector<std::string>& arguments, int signal, int times = 1);

/// A folder of a test's own, removed with everything in it.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    std::string path(std::string_view name) const { return (folder_ / name).string(); }
    /// Writes a file. Returns its path.
    std::string write(std::string_view name, std::string_view content) const;
    bool is_empty() const { return std::filesystem::is_empty(folder_); }

private:
    std::filesystem::path folder_;
};

std::string read_file(const std::string& path);

std::vector<std::string> lines_of(std::string_view text);

/// What is wrong with `text` as XML: nesting, quotes, entities; empty if nothing is.
std::string xml_problem(std::string_view text);

}  // namespace linden::test
