#include "core/base/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <tuple>

namespace linden {
namespace {

/// Levenshtein distance, letter case ignored.
std::size_t edit_distance(std::string_view a, std::string_view b)
{
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t substitution = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates)
{
    constexpr std::size_t shortest_beginning = 3;
    std::string nearest;
    const std::size_t most = std::max<std::size_t>(2, name.size() / 2);
    auto best = std::tuple(true, most + 1, true);
    for (const auto& candidate : candidates) {
        const bool is_longer = !name.empty() && edit_distance(name, candidate.substr(0, name.size())) == 0;
        const bool is_beginning = is_longer && name.size() >= shortest_beginning;
        const auto edits = edit_distance(name, candidate);
        const auto distance = std::tuple(!is_beginning, edits, !is_longer);
        if (distance < best && (is_beginning || edits <= most)) {
            best = distance;
            nearest = candidate;
        }
    }
    return nearest;
}

std::string expected_one_of(std::string_view name, const std::vector<std::string>& candidates)
{
    std::string text = "expected one of ";
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        text += (i == 0 ? "" : ", ") + candidates[i];
    }
    const auto nearest = nearest_name(name, candidates);
    return nearest.empty() ? text : "did you mean '" + nearest + "'? " + text;
}

}  // namespace linden
