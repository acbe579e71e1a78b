#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace linden {

/// The candidate that `name` most likely means, letter case ignored: the shortest that begins with it, if `name` has
/// three characters or more; else the one with the smallest edit distance, and of equally near ones the first that
/// begins with it, or the first. Empty if none comes near.
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

/// `expected one of a, b, c`, with `did you mean 'b'?` where one comes near.
std::string expected_one_of(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace linden
