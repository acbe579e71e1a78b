#include "test/tools/program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <utility>

extern char** environ;

namespace linden::test {
namespace {

std::vector<std::string> with_program(const std::vector<std::string>& arguments)
{
    std::vector<std::string> words{LINDEN_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

/// Starts the program that the first word names, with its standard output and error on these descriptors.
pid_t spawn(std::vector<std::string> words, int out, int err)
{
    std::vector<char*> argv;
    for (auto& word : words) {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
    // Interrupts reach the program where this one has been started without them, as by nohup.
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigdefault(&attributes, &interrupts);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    pid_t pid = 0;
    const int error = posix_spawn(&pid, words.front().c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        throw std::runtime_error("the linden program cannot be started");
    }
    return pid;
}

std::string read_all(int descriptor)
{
    std::string text;
    std::array<char, 4096> buffer;
    // A terminal ends with an error (EIO), not with 0, and may do so before its last words: its reader looks for words
    // and then whether the other end is closed, and both may come in between. Whoever reads again has them.
    for (int ends = 0; ends < 2;) {
        const ssize_t count = read(descriptor, buffer.data(), buffer.size());
        if (count > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        } else {
            ++ends;
        }
    }
    close(descriptor);
    return text;
}

int wait_for(pid_t pid)
{
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Outcome run(const std::vector<std::string>& words)
{
    int out[2], err[2];
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
        throw std::runtime_error("no pipe");
    }
    const pid_t pid = spawn(words, out[1], err[1]);
    close(out[1]);
    close(err[1]);
    Outcome outcome;
    std::thread reader([&] { outcome.err = read_all(err[0]); });
    outcome.out = read_all(out[0]);
    reader.join();
    outcome.code = wait_for(pid);
    return outcome;
}

struct OnTerminal {
    pid_t pid = 0;
    int terminal = -1;
};

OnTerminal start_on_terminal(const std::vector<std::string>& arguments)
{
    const int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) {
        throw std::runtime_error("no terminal");
    }
    const int end = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_CLOEXEC);
    const pid_t pid = spawn(with_program(arguments), end, end);
    close(end);
    return {pid, terminal};
}

}  // namespace

Outcome run_linden(const std::vector<std::string>& arguments) { return run(with_program(arguments)); }

Outcome run_linden_in_shell(const std::string& words)
{
    return run({"/bin/sh", "-c", "exec '" + std::string(LINDEN_PROGRAM) + "' " + words});
}

Outcome run_linden_on_terminal(const std::vector<std::string>& arguments)
{
    const auto [pid, terminal] = start_on_terminal(arguments);
    Outcome outcome;
    outcome.out = read_all(terminal);
    outcome.code = wait_for(pid);
    return outcome;
}

Outcome run_linden_and_signal(const std::vector<std::string>& arguments, int signal, int times)
{
    const auto [pid, terminal] = start_on_terminal(arguments);
    Outcome outcome;
    std::array<char, 4096> buffer;
    while (outcome.out.find("iteration ") == std::string::npos) {
        const ssize_t count = read(terminal, buffer.data(), buffer.size());
        if (count <= 0) {
            break;
        }
        outcome.out.append(buffer.data(), static_cast<std::size_t>(count));
    }
    for (int i = 0; i < times; ++i) {
        kill(pid, signal);
    }
    outcome.out += read_all(terminal);
    outcome.code = wait_for(pid);
    return outcome;
}

ScratchFolder::ScratchFolder()
{
    auto name = (std::filesystem::temp_directory_path() / "linden-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("no temporary folder");
    }
    folder_ = name;
}

ScratchFolder::~ScratchFolder()
{
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
}

std::string ScratchFolder::write(std::string_view name, std::string_view content) const
{
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
}

std::string read_file(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error(path + " is not there");
    }
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

std::vector<std::string> lines_of(std::string_view text)
{
    std::vector<std::string> lines;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line);
    }
    return lines;
}

namespace {

bool is_entity(std::string_view text)
{
    for (const std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"}) {
        if (text.starts_with(entity)) {
            return true;
        }
    }
    return false;
}

/// Checks `name attribute="value" ...` of a tag.
std::string attribute_problem(std::string_view tag)
{
    bool quoted = false;
    for (std::size_t i = 0; i < tag.size(); ++i) {
        quoted ^= tag[i] == '"';
        if (tag[i] == '<' || (tag[i] == '&' && !is_entity(tag.substr(i)))) {
            return "a bare " + std::string(1, tag[i]) + " in <" + std::string(tag) + ">";
        }
        if (tag[i] == '=' && !quoted && (i + 1 == tag.size() || tag[i + 1] != '"')) {
            return "a value without quotes in <" + std::string(tag) + ">";
        }
    }
    return quoted ? "an open quote in <" + std::string(tag) + ">" : "";
}

}  // namespace

std::string xml_problem(std::string_view text)
{
    std::vector<std::string> open;
    bool had_root = false;
    while (!text.empty()) {
        if (text.front() != '<') {
            const bool blank = text.front() == ' ' || text.front() == '\n';
            if ((text.front() == '&' && !is_entity(text)) || (open.empty() && !blank)) {
                return "stray text at " + std::string(text.substr(0, 40));
            }
            text.remove_prefix(1);
            continue;
        }
        const auto end = text.find('>');
        if (end == std::string_view::npos) {
            return "an open tag";
        }
        auto tag = text.substr(1, end - 1);
        text.remove_prefix(end + 1);
        if (tag.starts_with("/")) {
            if (open.empty() || open.back() != tag.substr(1)) {
                return "</" + std::string(tag.substr(1)) + "> closes nothing";
            }
            open.pop_back();
            continue;
        }
        if (open.empty() && std::exchange(had_root, true)) {
            return "a second root";
        }
        const bool closed = tag.ends_with("/");
        tag.remove_suffix(closed ? 1 : 0);
        if (const auto problem = attribute_problem(tag); !problem.empty()) {
            return problem;
        }
        if (!closed) {
            open.emplace_back(tag.substr(0, tag.find(' ')));
        }
    }
    return open.empty() && had_root ? "" : "unclosed tags, or none";
}

}  // namespace linden::test
