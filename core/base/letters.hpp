#pragma once

#include <linden/executor.hpp>

#include <cstdint>
#include <memory>
#include <vector>

/// What the host reads of an executor's memory while it asks for more work. A copy that waits leaves a device idle from
/// the end of its last kernel until the host has seen the copy and asked for the next one.
namespace linden::detail {

class Letters {
public:
    static constexpr std::size_t most_bytes = 64;
    static constexpr std::int64_t most_untaken = 64;

    Letters();
    virtual ~Letters() = default;
    Letters(const Letters&) = delete;
    Letters& operator=(const Letters&) = delete;

    /// Sends what `source` holds when the work asked for so far has been done: at most `most_bytes` bytes, a multiple
    /// of 4. Returns the letter's number. No more than `most_untaken` are there that have not been taken.
    virtual std::int64_t post(const void* source, std::size_t bytes) = 0;
    virtual bool has_come(std::int64_t letter) const = 0;
    /// Waits until it has come. Each letter is taken once.
    virtual void take(std::int64_t letter, void* target, std::size_t bytes) = 0;

protected:
    /// The number of a new letter, which has a box of its own until it has been taken.
    std::int64_t new_letter();
    static std::size_t box_of(std::int64_t letter) { return static_cast<std::size_t>(letter % most_untaken); }
    void empty_box(std::int64_t letter) { empty_boxes_.push_back(letter % most_untaken); }
    bool are_all_taken() const { return static_cast<std::int64_t>(empty_boxes_.size()) == most_untaken; }

private:
    std::int64_t num_posted_ = 0;
    std::vector<std::int64_t> empty_boxes_;
};

/// The executor lives as long as they do.
std::unique_ptr<Letters> make_letters(const Executor& exec);

/// Where a backend has none of its own, a letter is a copy that waits.
using MakeLetters = std::unique_ptr<Letters> (*)(const Executor&);
void register_letters(Backend backend, MakeLetters make);

}  // namespace linden::detail
