#include "core/base/letters.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>
#include <vector>

#include "gpu/device/subgroup.cuh"
#include "gpu/device/system_memory.cuh"
#include "gpu/runtime/launch.hpp"

/// Letters that a small kernel writes to page-locked memory of the host, which looks for them there: no copy engine has
/// a turn, and no event.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

using linden::detail::Letters;

/// Its number is written behind its words.
struct alignas(128) Box {
    std::uint32_t words[Letters::most_bytes / sizeof(std::uint32_t)];
    std::uint32_t number;
};
using Boxes = std::array<Box, Letters::most_untaken>;
constexpr int box_threads = 32;
static_assert(Letters::most_bytes / sizeof(std::uint32_t) <= box_threads);

__global__ void __launch_bounds__(box_threads)
    write_letter(const std::uint32_t* source, int words, Box* box, std::uint32_t number)
{
    let_next_kernel_begin();
    wait_for_previous_kernel();
    if (thread_id() < words) {
        box->words[thread_id()] = source[thread_id()];
    }
    system_fence();
    Subgroup<box_threads>::sync();
    if (thread_id() == 0) {
        store_system_release(&box->number, number);
    }
}

/// Page-locked memory, which takes long to make: what is given back serves the next, until the program ends.
class SpareBoxes {
public:
    static Boxes* take()
    {
        const std::lock_guard lock(mutex());
        if (!spare().empty()) {
            auto* const boxes = spare().back();
            spare().pop_back();
            return boxes;
        }
        return new (allocate_pinned(sizeof(Boxes))) Boxes;
    }
    static void give_back(Boxes* boxes)
    {
        const std::lock_guard lock(mutex());
        spare().push_back(boxes);
    }

private:
    static std::mutex& mutex()
    {
        static std::mutex one;
        return one;
    }
    static std::vector<Boxes*>& spare()
    {
        static auto* const all = new std::vector<Boxes*>;  // drivers end before static memory does
        return *all;
    }
};

class PostedLetters final : public Letters {
public:
    explicit PostedLetters(const Executor& exec) : exec_(exec), boxes_(SpareBoxes::take())
    {
        for (auto& box : *boxes_) {
            box.number = 0;
        }
    }
    ~PostedLetters() override
    {
        try {
            if (!are_all_taken()) {
                exec_.synchronize();  // what is on its way must not come to the next owner
            }
            SpareBoxes::give_back(boxes_);
        } catch (...) {  // a device that has failed
        }
    }

    std::int64_t post(const void* source, std::size_t bytes) override
    {
        const auto letter = new_letter();
        launch_overlapped_on(exec_, write_letter, 1, box_threads, 0, static_cast<const std::uint32_t*>(source),
                             static_cast<int>(bytes / sizeof(std::uint32_t)), &box(letter), number(letter));
        return letter;
    }
    bool has_come(std::int64_t letter) const override
    {
        return std::atomic_ref(box(letter).number).load(std::memory_order_acquire) == number(letter);
    }
    void take(std::int64_t letter, void* target, std::size_t bytes) override
    {
        gpu(exec_).count_synchronization();
        wait(letter);
        std::memcpy(target, box(letter).words, bytes);
        empty_box(letter);
    }

private:
    /// A device that has failed says so when all its work is waited for.
    void wait(std::int64_t letter) const
    {
        constexpr int looks = 1 << 10;
        constexpr auto patience = std::chrono::seconds(1);
        const auto begin = std::chrono::steady_clock::now();
        while (true) {
            for (int look = 0; look < looks; ++look) {
                if (has_come(letter)) {
                    return;
                }
            }
            if (std::chrono::steady_clock::now() - begin > patience) {
                exec_.synchronize();
            }
        }
    }
    Box& box(std::int64_t letter) const { return (*boxes_)[box_of(letter)]; }
    static std::uint32_t number(std::int64_t letter) { return static_cast<std::uint32_t>(letter / most_untaken); }

    Executor exec_;
    Boxes* boxes_;
};

}  // namespace

void register_letters()
{
    linden::detail::register_letters(this_backend, [](const Executor& exec) -> std::unique_ptr<Letters> {
        return std::make_unique<PostedLetters>(exec);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
