#include "tools/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "tools/interrupt.hpp"

namespace linden::tool {

bool is_terminal() { return isatty(STDOUT_FILENO) != 0; }

void show_line(std::string_view text)
{
    std::printf("\r%.*s\033[K", static_cast<int>(text.size()), text.data());
    std::fflush(stdout);
}

Watcher::Watcher(std::vector<double> rhs_norms, bool shows)
    : rhs_norms_(std::move(rhs_norms)),
      shows_(shows),
      start_(Clock::now())
{
}

bool Watcher::observe(const IterationInfo& info)
{
    if (is_interrupted()) {
        return false;
    }
    if (!shows_) {
        return true;
    }
    double residual = 0;
    for (std::size_t col = 0; col < info.residual_norms.size(); ++col) {
        const double norm = rhs_norms_[col];
        residual = std::max(residual, info.residual_norms[col] / (norm > 0 ? norm : 1));
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    char line[96];
    const int length = std::snprintf(line, sizeof line, "iteration %lld   residual %.2e   %.3g iterations/s",
                                     static_cast<long long>(info.iteration), residual,
                                     static_cast<double>(info.iteration) / std::max(seconds, 1e-9));
    show_line({line, static_cast<std::size_t>(length)});
    return true;
}

}  // namespace linden::tool
