#pragma once

#include <linden/array.hpp>

#include <deque>
#include <functional>
#include <vector>

#include "core/base/letters.hpp"
#include "core/multigrid/phases.hpp"

namespace linden::detail {

/// What a set-up reads on the host, and the work that nothing of the next levels waits for, which is asked for while
/// the host waits for what it reads: it keeps a device busy meanwhile. Work that needs numbers of its own is asked for
/// behind them.
class Backlog {
public:
    using Numbers = std::vector<std::int64_t>;

    /// They live as long as this.
    Backlog(const Executor& exec, PhaseClock& clock) : exec_(exec), clock_(clock), letters_(make_letters(exec)) {}

    const Executor& executor() const { return exec_; }

    /// A letter with these numbers, at most eight, for `take`.
    std::int64_t post(const Array<std::int64_t>& numbers)
    {
        while (num_posted_ >= Letters::most_untaken) {
            do_next(true);
        }
        ++num_posted_;
        return letters_->post(numbers.data(), numbers.bytes());
    }
    Numbers take(std::int64_t letter, size_type size)
    {
        while (!letters_->has_come(letter) && do_next(false)) {
        }
        return open(letter, size);
    }
    Numbers read(const Array<std::int64_t>& numbers) { return take(post(numbers), numbers.size()); }

    void put_off(AmgPhase phase, std::function<void()> work)
    {
        tasks_.push_back({phase, no_letter, 0, [work = std::move(work)](const Numbers&) { work(); }});
    }
    /// work(numbers), when they have come
    void put_off(AmgPhase phase, const Array<std::int64_t>& numbers, std::function<void(const Numbers&)> work)
    {
        tasks_.push_back({phase, post(numbers), numbers.size(), std::move(work)});
    }
    /// What was put off and needs no waiting.
    void advance()
    {
        while (do_next(false)) {
        }
    }
    /// All that was put off.
    void finish()
    {
        while (do_next(true)) {
        }
    }

private:
    static constexpr std::int64_t no_letter = -1;

    struct Task {
        AmgPhase phase;
        std::int64_t letter;
        size_type num_numbers;
        std::function<void(const Numbers&)> work;
    };

    /// The first task that can be done, or with `waits` the first one when it can be; false if there is none.
    bool do_next(bool waits)
    {
        auto next = tasks_.begin();
        while (next != tasks_.end() && next->letter != no_letter && !letters_->has_come(next->letter)) {
            ++next;
        }
        if (next == tasks_.end()) {
            if (!waits || tasks_.empty()) {
                return false;
            }
            next = tasks_.begin();
        }
        const Task task = std::move(*next);
        tasks_.erase(next);
        const auto phase = clock_.phase();
        clock_.enter(task.phase);
        task.work(task.letter == no_letter ? Numbers() : open(task.letter, task.num_numbers));
        clock_.enter(phase);
        return true;
    }
    Numbers open(std::int64_t letter, size_type size)
    {
        Numbers numbers(static_cast<std::size_t>(size));
        letters_->take(letter, numbers.data(), numbers.size() * sizeof(std::int64_t));
        --num_posted_;
        return numbers;
    }

    const Executor& exec_;
    PhaseClock& clock_;
    std::unique_ptr<Letters> letters_;
    std::deque<Task> tasks_;
    std::int64_t num_posted_ = 0;
};

}  // namespace linden::detail
