#pragma once

#include <linden/array.hpp>

#include <bit>
#include <string>
#include <utility>

#include "core/kernels/stencil.hpp"
#include "core/matrix/row_pointers.hpp"

namespace linden::detail {

/// So many stencils have entries that stay in the nearest cache beside all else that a cycle reads.
inline constexpr size_type most_cycle_stencils = 512;

/// Looks for the stencils of a matrix, on its executor. Nothing waits but `has_stencils`; nothing allocates but the
/// constructor.
template <class V, class I>
class StencilSearch {
public:
    using R = real_t<V>;

    /// Room for at most `most` stencils.
    StencilSearch(const Executor& exec, const ScaledView<V, I>& scaled, size_type most)
        : exec_(exec),
          most_(most),
          slots_(static_cast<size_type>(std::bit_ceil(static_cast<std::uint64_t>(16 * most)))),
          leaders_(exec, num_stencil_tables * slots_ + 2),
          numbers_(exec, num_stencil_tables * slots_ + 1),
          first_entries_(exec, num_stencil_tables * slots_ + 1),
          is_new_(exec, scaled.a.rows),
          workspace_(exec, prefix_sum_workspace_bytes),
          found_(exec, num_stencil_answers),
          size_(scaled.a.size()),
          num_nonzeros_(scaled.a.num_nonzeros),
          stencils_(exec, scaled.a.rows),
          ptrs_(exec, most + 1),
          offsets_(exec, most_entries()),
          values_(exec, most_entries()),
          left_(exec, scaled.left == nullptr ? 0 : most),
          entering_(exec, scaled.left == nullptr ? 0 : most_entries())
    {
    }

    /// Passes over a matrix of whose rows a sample has too many stencils. Rows are compared bit for bit.
    void search(const ScaledView<V, I>& scaled)
    {
        const size_type all_slots = num_stencil_tables * slots_;
        exec_.state().fill_zero(leaders_.data(), leaders_.bytes());
        exec_.state().fill_zero(found_.data(), found_.bytes());
        const StencilTables<I> tables{slots_,       most_, leaders_.data(), numbers_.data(), first_entries_.data(),
                                      found_.data()};
        std::uint64_t* const used = leaders_.data() + all_slots;  // slots, of the sample and of all rows
        const size_type sampled = 2 * most_;
        const size_type step = scaled.a.rows / sampled;
        if (step > 1) {
            stencil_enter<V, I>(exec_, scaled, step, nullptr, tables, used, nullptr);
            if (exec_.state().is_host() && *used > static_cast<std::uint64_t>(most_)) {
                found_.data()[stencils_found] = most_ + 1;  // devices go on, and find as much, without a look
                return;
            }
        }
        stencil_enter<V, I>(exec_, scaled, 1, used, tables, used + 1, is_new_.data());
        stencil_mark<V, I>(exec_, scaled, tables);
        prefix_sum<I>(exec_, all_slots, numbers_.data(), found_.data() + stencils_found, workspace());
        prefix_sum<I>(exec_, all_slots, first_entries_.data(), found_.data() + entries_found, workspace());
        stencil_take<V, I>(
            exec_, scaled, tables,
            {most_entries(), ptrs_.data(), offsets_.data(), values_.data(), left_.data(), entering_.data()});
        stencil_assign<V, I>(exec_, scaled, tables, is_new_.data(), stencils_.data());
        stencil_judge(exec_, most_, most_entries(), found_.data());
    }

    /// num_stencil_answers numbers on the executor, for `accept`.
    const Array<std::int64_t>& found() const { return found_; }
    /// Whether every row has a stencil. `found`: those numbers.
    bool accept(const std::int64_t* found)
    {
        std::copy_n(found, num_stencil_answers, answers_);
        return answers_[stencils_are_valid] != 0;
    }
    /// The same. Waits.
    bool has_stencils() { return accept(found_.to_host().data()); }
    /// What would have to be otherwise where it has not.
    std::string explain() const
    {
        if (answers_[stencils_found] > most_) {
            return "more: more rows than that differ from each other";
        }
        if (answers_[rows_without_stencil] > 0) {
            return "any, where no row has more than " + std::to_string(longest_stencil) +
                   " entries: " + std::to_string(answers_[rows_without_stencil]) + " rows have no stencil";
        }
        return "more: the stencils have " + std::to_string(num_entries()) + " entries, of at most " +
               std::to_string(most_entries());
    }

    size_type num_stencils() const { return answers_[stencils_found]; }
    size_type num_entries() const { return answers_[entries_found]; }
    size_type longest() const { return answers_[longest_found]; }
    StencilView<V, I> view() const
    {
        return {size_.rows,       size_.cols,   num_nonzeros_,   num_stencils(), longest(),
                stencils_.data(), ptrs_.data(), offsets_.data(), values_.data()};
    }
    const R* left() const { return left_.data(); }
    const V* entering() const { return entering_.data(); }
    /// What is not 0, on the executor, where every row had a stencil in the last search.
    const std::int64_t* are_valid() const { return found_.data() + stencils_are_valid; }
    /// Of what products read.
    size_type bytes() const
    {
        const auto of_entry = static_cast<size_type>(sizeof(I) + sizeof(V));
        return static_cast<size_type>(stencils_.bytes()) + num_entries() * of_entry;
    }

    Array<std::uint16_t> take_stencils() { return std::move(stencils_); }
    const Array<I>& ptrs() const { return ptrs_; }
    const Array<I>& offsets() const { return offsets_; }
    const Array<V>& values() const { return values_; }

private:
    size_type most_entries() const { return 16 * most_; }
    WorkspaceView workspace() { return {workspace_.data(), workspace_.size()}; }

    Executor exec_;
    size_type most_, slots_;
    Array<std::uint64_t> leaders_;
    Array<I> numbers_, first_entries_;
    Array<std::uint8_t> is_new_;
    Array<std::byte> workspace_;
    Array<std::int64_t> found_;
    std::int64_t answers_[num_stencil_answers]{};
    Dim size_;
    size_type num_nonzeros_;
    Array<std::uint16_t> stencils_;
    Array<I> ptrs_, offsets_;
    Array<V> values_;
    Array<R> left_;
    Array<V> entering_;
};

}  // namespace linden::detail
