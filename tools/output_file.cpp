#include "tools/output_file.hpp"

#include <linden/error.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/io/text_file.hpp"

#include "tools/commands.hpp"

namespace linden::tool {
namespace {

/// Also where the files are not there yet.
bool same_file(const std::string& a, const std::string& b)
{
    std::error_code error;
    if (std::filesystem::exists(a, error) && std::filesystem::exists(b, error)) {
        return std::filesystem::is_regular_file(a, error) && std::filesystem::equivalent(a, b, error);
    }
    const auto one = std::filesystem::weakly_canonical(a, error);
    return !error && one == std::filesystem::weakly_canonical(b, error) && !error;
}

FileError cannot_write(const std::string& path)
{
    const char* why = errno == 0 ? "" : std::strerror(errno);
    return FileError(path, 0, std::string("cannot be written") + (*why == 0 ? "" : ": ") + why);
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string_view option) : path_(std::move(path)), option_(option)
{
    if (path_.empty() || is_standard_output()) {
        return;
    }
    for (const std::string_view ending : {".xz", ".bz2", ".zst", ".zip", ".Z"}) {
        if (path_.ends_with(ending)) {
            throw UsageError(option_ + " " + path_ + ": only gzip is written; give a name with .gz, or one without " +
                             std::string(ending));
        }
    }
    std::error_code error;
    const bool existed = std::filesystem::exists(std::filesystem::symlink_status(path_, error));
    errno = 0;
    if (!std::ofstream(path_, std::ios::app)) {
        throw cannot_write(path_);
    }
    if (!existed) {
        std::filesystem::remove(path_, error);  // whatever ends the program, nothing empty is left
    }
}

void OutputFile::write(std::string_view text)
{
    if (is_standard_output()) {
        print_to_standard_output(text);
        return;
    }
    TextWriter file(path_);
    file.write(text);
    file.close();
}

void print_to_standard_output(std::string_view text)
{
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
        throw cannot_write("standard output");
    }
}

void check_picture(const std::string& path, std::string_view option)
{
    auto suffix = std::filesystem::path(path).extension().string();
    std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](unsigned char c) { return std::tolower(c); });
    for (const std::string_view other :
         {".png", ".pdf", ".jpg", ".jpeg", ".gif", ".eps", ".ps", ".tif", ".tiff", ".bmp", ".webp"}) {
        if (suffix == other) {
            throw UsageError(std::string(option) + " " + path + ": pictures are written as SVG; give a name with .svg");
        }
    }
}

void check_distinct(const std::vector<const OutputFile*>& outputs, const std::vector<std::string>& inputs)
{
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!*outputs[i]) {
            continue;
        }
        const auto& path = outputs[i]->path();
        for (const auto& input : inputs) {
            if (!input.empty() && !outputs[i]->is_standard_output() && same_file(path, input)) {
                throw UsageError(outputs[i]->option() + " " + path + " would overwrite the input " + input);
            }
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (outputs[i]->is_standard_output() && outputs[j]->is_standard_output()) {
                throw UsageError(outputs[j]->option() + " - and " + outputs[i]->option() + " - exclude each other");
            }
            if (*outputs[j] && same_file(path, outputs[j]->path())) {
                throw UsageError(outputs[i]->option() + " and " + outputs[j]->option() + " name the same file, " +
                                 path);
            }
        }
    }
}

}  // namespace linden::tool
