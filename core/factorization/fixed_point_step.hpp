#pragma once

#include <cmath>
#include <vector>

#include "core/factorization/fixed_point.hpp"
#include "core/kernels/selection.hpp"
#include "core/matrix/row_pointers.hpp"

/// A step of ParILUT: the pattern of S becomes that of the largest entries of W.
namespace linden::detail {

/// How many entries W keeps, and how it is found which.
struct FixedPointRule {
    size_type limit = 0;  ///< entries of S, with the diagonal
    Selection selection = Selection::exact;
};

/// A step looks at some rows of W first, and forms of the others only what it may keep. Which entries these are is the
/// same on every executor.
template <class V, class I>
class FixedPointStep {
public:
    using R = real_t<V>;

    FixedPointStep(const Executor& exec, size_type n, FixedPointRule rule)
        : exec_(exec),
          rule_(rule),
          size_(n),
          sample_(exec, sampled_rows(n)),
          threshold_(exec, 1),
          sampled_(exec, {sample_.size(), n}),
          formed_(exec, {n, n}),
          kept_(exec, {n, n}),
          magnitudes_(exec),
          selection_memory_(exec),
          workspace_(exec, exec.is_host() ? parilut_workspace_bytes<V, I>(n, std::max(exec.info().num_units, 1)) : 0)
    {
    }

    /// S := the largest entries of W. S has been checked for bad pivots. Waits.
    void advance(CsrView<V, I> a, FixedPointIterate<V, I>& s)
    {
        const bool is_whole = sample_.size() == size_;
        const bool is_estimate = !is_whole && rule_.selection == Selection::exact;
        for (double margin = is_estimate ? 1.2 : 1;; margin *= 1.5) {
            const bool keeps_all = !find_threshold(a, s, margin);
            parilut_count<V, I>(exec_, a, s.view(), {size_}, threshold_.data(), formed_.row_ptrs.data(), workspace());
            const size_type count = make_row_ptrs(formed_.row_ptrs, "the factors");
            if (is_estimate && !keeps_all && count < rule_.limit) {
                continue;
            }
            parilut_form<V, I>(exec_, a, s.view(), {size_}, threshold_.data(), formed_.written(count), workspace());
            if (is_estimate && count > rule_.limit) {
                take_largest(formed_.view(), s, Selection::exact);
                s.exchange(kept_);
            } else {
                s.exchange(formed_);
            }
            return;
        }
    }

    /// S := W with all its entries, for sweeps on it before `reduce`. S has been checked for bad pivots. Waits.
    void enlarge(CsrView<V, I> a, FixedPointIterate<V, I>& s)
    {
        set_threshold(R{-1});
        parilut_count<V, I>(exec_, a, s.view(), {size_}, threshold_.data(), formed_.row_ptrs.data(), workspace());
        const size_type count = make_row_ptrs(formed_.row_ptrs, "the factors");
        parilut_form<V, I>(exec_, a, s.view(), {size_}, threshold_.data(), formed_.written(count), workspace());
        s.exchange(formed_);
    }
    /// S := its largest entries. S has been checked for bad pivots. Waits.
    void reduce(FixedPointIterate<V, I>& s)
    {
        if (s.matrix().num_nonzeros > rule_.limit) {
            take_largest(s.matrix().view(), s, rule_.selection);
            s.exchange(kept_);
        }
    }

private:
    /// All rows of a small matrix, else rows that are spread evenly but do not follow a grid's lines.
    static std::vector<I> sampled_rows(size_type n)
    {
        constexpr size_type most = 4096;
        const size_type count = std::min(n, most);
        std::vector<I> rows(static_cast<std::size_t>(count));
        for (size_type i = 0; i < count; ++i) {
            const size_type begin = n / count * i + n % count * i / count;
            const size_type length = n / count * (i + 1) + n % count * (i + 1) / count - begin;
            const auto mixed = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15u >> 20;  // [Knuth98, 6.4]
            rows[static_cast<std::size_t>(i)] =
                static_cast<I>(begin + static_cast<size_type>(mixed % static_cast<std::uint64_t>(length)));
        }
        return rows;
    }

    /// threshold_ := what all but about `margin` times the limit of W's entries do not exceed; false if all are kept.
    bool find_threshold(CsrView<V, I> a, const FixedPointIterate<V, I>& s, double margin)
    {
        set_threshold(R{-1});
        const RowSelection<I> selection{sample_.size(), sample_.data()};
        parilut_count<V, I>(exec_, a, s.view(), selection, threshold_.data(), sampled_.row_ptrs.data(), workspace());
        const size_type count = make_row_ptrs(sampled_.row_ptrs, "the sample");
        const double kept = static_cast<double>(rule_.limit) * margin * static_cast<double>(sample_.size()) /
                            static_cast<double>(std::max<size_type>(size_, 1));
        const auto rank = count - static_cast<size_type>(std::min(kept, static_cast<double>(count))) - 1;
        if (rank < 0) {
            return false;
        }
        parilut_form<V, I>(exec_, a, s.view(), selection, threshold_.data(), sampled_.written(count), workspace());
        select(sampled_.view(), selection, s, rank, rule_.selection);
        return true;
    }

    /// threshold_ := the relative magnitude of that rank.
    void select(CsrView<V, I> w, RowSelection<I> selection, const FixedPointIterate<V, I>& s, size_type rank,
                Selection how)
    {
        const size_type count = w.num_nonzeros;
        const size_type bytes = selection_workspace_bytes<R>(count);
        R* const magnitudes = with_room(magnitudes_, count);
        parilut_measure<V, I>(exec_, w, selection, s.scales(), magnitudes);
        selection_select<R>(exec_, count, magnitudes, rank, how, threshold_.data(),
                            {with_room(selection_memory_, bytes), bytes});
    }

    /// kept_ := what the limit allows of W, which has more.
    void take_largest(CsrView<V, I> w, const FixedPointIterate<V, I>& s, Selection how)
    {
        select(w, {size_}, s, w.num_nonzeros - rule_.limit - 1, how);
        parilut_count_large<V, I>(exec_, w, s.scales(), threshold_.data(), kept_.row_ptrs.data());
        const size_type count = make_row_ptrs(kept_.row_ptrs, "the factors");
        parilut_take_large<V, I>(exec_, w, s.scales(), threshold_.data(), kept_.written(count));
    }

    WorkspaceView workspace() { return {workspace_.data(), workspace_.size()}; }
    void set_threshold(R value) { copy_bytes(host(), &value, exec_, threshold_.data(), sizeof value); }

    Executor exec_;
    FixedPointRule rule_;
    size_type size_;
    Array<I> sample_;
    Array<R> threshold_;
    FormedMatrix<V, I> sampled_, formed_, kept_;
    Array<R> magnitudes_;
    Array<std::byte> selection_memory_, workspace_;
};

}  // namespace linden::detail
