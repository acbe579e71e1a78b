#pragma once

#include <deque>
#include <mutex>
#include <utility>

namespace linden::detail {

/// What calls borrow, one at a time each. Items stay where they are until the end, since loops that a device recorded
/// hold their addresses. Thread-safe.
template <class T>
class Pool {
    struct Slot {
        T item;
        bool idle = false;
    };

public:
    /// An item of its own for a call, for as long as the lease lives.
    class Lease {
    public:
        ~Lease()
        {
            const std::lock_guard lock(pool_.mutex_);
            slot_.idle = true;
        }
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;

        T& operator*() const { return slot_.item; }
        T* operator->() const { return &slot_.item; }

    private:
        friend class Pool;
        Lease(Pool& pool, Slot& slot) : pool_(pool), slot_(slot) {}

        Pool& pool_;
        Slot& slot_;
    };

    /// The first idle item that `fits(item)`, else what `make()` returns.
    template <class Fits, class Make>
    Lease take(Fits fits, Make make)
    {
        if (Slot* const slot = idle_slot(fits); slot != nullptr) {
            return Lease(*this, *slot);
        }
        T item = make();  // others need not wait for this
        const std::lock_guard lock(mutex_);
        return Lease(*this, slots_.emplace_back(Slot{std::move(item)}));
    }

private:
    template <class Fits>
    Slot* idle_slot(Fits& fits)
    {
        const std::lock_guard lock(mutex_);
        for (auto& slot : slots_) {
            if (slot.idle && fits(slot.item)) {
                slot.idle = false;
                return &slot;
            }
        }
        return nullptr;
    }

    std::mutex mutex_;
    std::deque<Slot> slots_;
};

}  // namespace linden::detail
