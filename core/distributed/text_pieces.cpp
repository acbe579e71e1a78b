#include "core/distributed/text_pieces.hpp"

#include <algorithm>

namespace linden::distributed {
namespace {

constexpr std::size_t step_bytes = std::size_t{1} << 16;

/// Whether a line that is neither empty nor a comment has ended.
bool holds_header(std::string_view text)
{
    for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        const auto first = text.find_first_not_of(" \t\r\v\f");
        if (text[first] != '\n' && text[first] != '%') {
            return true;
        }
        text.remove_prefix(end + 1);
    }
    return false;
}

}  // namespace

std::string_view TextPieces::load(std::size_t begin, std::size_t end)
{
    // What is loaded is kept as far as it is wanted: a compressed text is not to be read twice.
    const auto loaded_end = offset_ + loaded_.size();
    if (begin < offset_ || begin > loaded_end) {
        loaded_.clear();
    } else {
        loaded_.erase(loaded_.begin(), loaded_.begin() + static_cast<std::ptrdiff_t>(begin - offset_));
    }
    offset_ = begin;
    const auto kept = loaded_.size();
    if (end - begin > kept) {
        loaded_.resize(end - begin);
        loaded_.resize(kept + reader_.read(begin + kept, loaded_.data() + kept, end - begin - kept));
    }
    return {loaded_.data(), std::min(loaded_.size(), end - begin)};
}

std::string_view TextPieces::head()
{
    std::size_t wanted = step_bytes;
    while (true) {
        const auto text = load(0, wanted);
        if (text.size() < wanted || holds_header(text)) {
            return text;
        }
        wanted *= 2;
    }
}

TextPiece TextPieces::piece(std::size_t number)
{
    // With the character before, which tells whether a line begins.
    const auto begin = number * piece_bytes_;
    const std::size_t before = number == 0 ? 0 : 1;
    const auto end = begin + piece_bytes_;
    auto text = load(begin - before, end);
    if (text.size() <= before) {
        return {begin, {}, true};
    }
    const auto skipped = number == 0 ? 0 : text.find('\n') + 1;
    if (skipped == text.size() || (number > 0 && skipped == 0)) {
        return {begin, {}, false};
    }
    for (auto more = end; text.back() != '\n' && text.size() == more - (begin - before);) {
        more += step_bytes;
        const auto longer = load(begin - before, more);
        const auto line_end = longer.find('\n', text.size());
        text = longer.substr(0, line_end == std::string_view::npos ? line_end : line_end + 1);
    }
    return {begin - before + skipped, text.substr(skipped), false};
}

}  // namespace linden::distributed
