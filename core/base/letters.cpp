#include "core/base/letters.hpp"

#include <array>
#include <cstddef>
#include <cstring>

#include "core/base/executor_state.hpp"

namespace linden::detail {
namespace {

std::array<MakeLetters, num_backends>& makers()
{
    static std::array<MakeLetters, num_backends> table{};
    return table;
}

/// Copies that have come when they are posted.
class Copies final : public Letters {
public:
    explicit Copies(const Executor& exec) : exec_(exec) {}

    std::int64_t post(const void* source, std::size_t bytes) override
    {
        const auto letter = new_letter();
        exec_.state().copy_to_host(source, copies_[box_of(letter)].data(), bytes);
        return letter;
    }
    bool has_come(std::int64_t) const override { return true; }
    void take(std::int64_t letter, void* target, std::size_t bytes) override
    {
        std::memcpy(target, copies_[box_of(letter)].data(), bytes);
        empty_box(letter);
    }

private:
    Executor exec_;
    std::array<std::array<std::byte, most_bytes>, most_untaken> copies_;
};

}  // namespace

Letters::Letters()
{
    for (std::int64_t box = most_untaken; box-- > 0;) {
        empty_boxes_.push_back(box);
    }
}

std::int64_t Letters::new_letter()
{
    const auto box = empty_boxes_.back();
    empty_boxes_.pop_back();
    return ++num_posted_ * most_untaken + box;
}

std::unique_ptr<Letters> make_letters(const Executor& exec)
{
    const auto make = makers()[static_cast<std::size_t>(exec.backend())];
    return make == nullptr ? std::make_unique<Copies>(exec) : make(exec);
}

void register_letters(Backend backend, MakeLetters make) { makers()[static_cast<std::size_t>(backend)] = make; }

}  // namespace linden::detail
