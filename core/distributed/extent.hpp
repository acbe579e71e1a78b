#pragma once

#include <linden/array.hpp>
#include <linden/distributed/partition.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <vector>

#include "core/base/executor_state.hpp"
#include "core/kernels/exchange.hpp"

namespace linden::distributed {

/// What a rank sees of all rows: its own and some of other ranks, its ghosts, in the order of the whole. Positions
/// count from the lowest one that it sees.
class Extent {
public:
    Extent() = default;
    /// ghosts: in ascending order, none of them among the `num_own` rows from `first` on.
    Extent(std::int64_t first, size_type num_own, std::vector<std::int64_t> ghosts)
        : first_(first),
          num_own_(num_own),
          ghosts_(std::move(ghosts)),
          num_lower_(std::lower_bound(ghosts_.begin(), ghosts_.end(), first) - ghosts_.begin())
    {
    }
    /// The own rows of a rank and those of `numbers` that are not its own, in any order and as often as they like;
    /// negative numbers are none.
    static Extent around(const Partition& partition, int rank, const std::vector<std::int64_t>& numbers)
    {
        const auto first = partition.first(rank);
        const auto num_own = partition.num_rows(rank);
        return Extent(first, num_own, Extent(first, num_own, {}).others(numbers));
    }
    /// Those of `numbers` that are not own ones, each once, in ascending order.
    std::vector<std::int64_t> others(const std::vector<std::int64_t>& numbers) const
    {
        std::vector<std::int64_t> result;
        for (const auto number : numbers) {
            if (number >= 0 && !is_own(number)) {
                result.push_back(number);
            }
        }
        std::sort(result.begin(), result.end());
        result.erase(std::unique(result.begin(), result.end()), result.end());
        return result;
    }
    /// All rows.
    static Extent whole(const Partition& partition, int rank)
    {
        std::vector<std::int64_t> ghosts;
        for (std::int64_t row = 0; row < partition.num_rows(); ++row) {
            if (row < partition.first(rank) || row >= partition.first(rank + 1)) {
                ghosts.push_back(row);
            }
        }
        return Extent(partition.first(rank), partition.num_rows(rank), std::move(ghosts));
    }

    std::int64_t first() const { return first_; }
    size_type num_own() const { return num_own_; }
    /// Ghosts below the own rows: the position of the first own row.
    size_type num_lower() const { return num_lower_; }
    size_type num_upper() const { return num_ghosts() - num_lower_; }
    size_type num_ghosts() const { return static_cast<size_type>(ghosts_.size()); }
    size_type size() const { return num_own_ + num_ghosts(); }
    const std::vector<std::int64_t>& ghosts() const { return ghosts_; }

    bool is_own(std::int64_t number) const { return number >= first_ && number < first_ + num_own_; }
    std::int64_t number(size_type position) const
    {
        if (position < num_lower_) {
            return ghosts_[static_cast<std::size_t>(position)];
        }
        const auto own = position - num_lower_;
        return own < num_own_ ? first_ + own : ghosts_[static_cast<std::size_t>(position - num_own_)];
    }
    /// The position of a number; -1 if it is not seen.
    size_type position(std::int64_t number) const
    {
        if (is_own(number)) {
            return num_lower_ + number - first_;
        }
        const auto at = std::lower_bound(ghosts_.begin(), ghosts_.end(), number);
        if (at == ghosts_.end() || *at != number) {
            return -1;
        }
        return at - ghosts_.begin() + (number > first_ ? num_own_ : 0);
    }
    /// This and the ghosts of another one around the same own rows.
    Extent with(const std::vector<std::int64_t>& ghosts) const
    {
        std::vector<std::int64_t> all;
        std::set_union(ghosts_.begin(), ghosts_.end(), ghosts.begin(), ghosts.end(), std::back_inserter(all));
        return Extent(first_, num_own_, std::move(all));
    }
    friend bool operator==(const Extent&, const Extent&) = default;

private:
    std::int64_t first_ = 0;
    size_type num_own_ = 0;
    std::vector<std::int64_t> ghosts_;
    size_type num_lower_ = 0;
};

/// Copies `count` values within an executor.
template <class T>
void copy_within(const Executor& exec, const T* source, T* target, size_type count)
{
    if (count > 0) {
        copy_bytes(exec, source, exec, target, static_cast<std::size_t>(count) * sizeof(T));
    }
}

/// An extent for an executor's kernels.
class ExtentOnExecutor {
public:
    ExtentOnExecutor(const Executor& exec, const Extent& extent)
        : ghosts_(exec, extent.ghosts()),
          view_{extent.first(), extent.num_own(), extent.num_lower(), extent.num_ghosts(), ghosts_.data()}
    {
    }
    const SeenRows& view() const { return view_; }

private:
    Array<std::int64_t> ghosts_;
    SeenRows view_;
};

}  // namespace linden::distributed
