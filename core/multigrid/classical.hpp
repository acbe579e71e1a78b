#pragma once

#include <linden/matrix/csr.hpp>

#include <optional>
#include <utility>

#include "core/kernels/array.hpp"
#include "core/kernels/classical.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/matrix/make_pattern.hpp"
#include "core/matrix/pattern_operations.hpp"
#include "core/matrix/product.hpp"
#include "core/matrix/result_plan.hpp"
#include "core/multigrid/interpolation.hpp"

/// Coarsening by points, and interpolation from them. [DeSterckEtAl06], [LiSjogreenYang21]
namespace linden::detail {

/// What each row depends on strongly, and its diagonal. Waits.
template <class V, class I>
Pattern<I> dependence_pattern(const Csr<V, I>& a, double threshold)
{
    const auto& exec = a.executor();
    return make_plain_pattern<I>(
        exec, a.size(), "strong dependence",
        [&](I* counts) { classical_count_strong<V, I>(exec, a.view(), threshold, counts); },
        [&](Pattern<I>& p) {
            classical_take_strong<V, I>(exec, a.view(), threshold, p.row_ptrs.data(), p.col_idxs.data());
        });
}

/// Which rows are points, and their numbers.
template <class I>
struct Points {
    Array<std::uint64_t> states;
    Array<I> numbers;  ///< of the points before each row
    size_type count = 0;
};

/// Points so that no two depend on each other and all other rows that something depends on depend on one, rows that
/// many depend on first: PMIS. Waits.
template <class I>
Points<I> find_points(const Executor& exec, const Pattern<I>& strong)
{
    constexpr int most_rounds = 100;
    constexpr int look_every = 4;
    const auto n = strong.size.rows;
    const auto dependents = transposed_pattern<I>(exec, strong.view());
    Array<std::uint64_t> states(exec, n), next(exec, n);
    Array<I> undecided(exec, n), marks(exec, n + 1);
    classical_begin<I>(exec, dependents.view(), states.data());
    for (int round = 0; round < most_rounds; round += look_every) {
        for (int pair = 0; pair < look_every; pair += 2) {
            classical_decide<I>(exec, strong.view(), dependents.view(), states.data(), next.data());
            classical_decide<I>(exec, strong.view(), dependents.view(), next.data(), states.data());
        }
        classical_mark_undecided<I>(exec, n, states.data(), undecided.data());
        if (count_marks(undecided).front() == 0) {
            break;
        }
    }
    classical_mark<I>(exec, n, states.data(), marks.data());
    const auto count = make_row_ptrs(marks, "the points");
    return {std::move(states), std::move(marks), count};
}

/// P = V U without small entries: extended interpolation in the form of products of matrices, MM-ext+i.
template <class V, class I>
class ClassicalInterpolation final : public Interpolation<V, I> {
public:
    /// Keeps the `most` largest entries of a row, to which the others are added. Waits.
    ClassicalInterpolation(const Csr<V, I>& a, Pattern<I> strong, const Points<I>& points, size_type most)
        : strong_(std::move(strong)),
          states_(points.states.clone(a.executor())),
          sums_(a.executor(), a.size().rows)
    {
        make_factors(a, points);
        compute_factors(a);
        product_.emplace(*v_, *u_);
        const auto& exec = a.executor();
        p_.emplace(matrix_of<V>(make_plain_pattern<I>(
            exec, product().size(), "the prolongator",
            [&](I* counts) { classical_limit<I>(exec, product().view(), most, counts); },
            [&](Pattern<I>& p) {
                classical_take_largest<V, I>(exec, product().view(), most, p.row_ptrs.data(), p.col_idxs.data());
            })));
        truncate();
    }

    const Csr<V, I>& prolongator() const override { return *p_; }
    void update(const Csr<V, I>& a) override
    {
        compute_factors(a);
        product_->compute(*v_, *u_);
        truncate();
    }

private:
    void make_factors(const Csr<V, I>& a, const Points<I>& points)
    {
        const auto& exec = a.executor();
        const auto n = a.size().rows;
        Array<I> v_ptrs(exec, n + 1), u_ptrs(exec, n + 1);
        classical_count<I>(exec, strong_.view(), states_.data(), v_ptrs.data(), u_ptrs.data());
        const auto factor = [&](Array<I> row_ptrs, size_type cols, const I* numbers) {
            Array<I> col_idxs(exec, make_row_ptrs(row_ptrs, "a factor of the prolongator"));
            classical_take<I>(exec, strong_.view(), states_.data(), numbers, row_ptrs.data(), col_idxs.data());
            return matrix_of<V>(Pattern<I>{{n, cols}, std::move(row_ptrs), std::move(col_idxs)});
        };
        v_.emplace(factor(std::move(v_ptrs), n, nullptr));
        u_.emplace(factor(std::move(u_ptrs), points.count, points.numbers.data()));
    }
    void compute_factors(const Csr<V, I>& a)
    {
        const auto& exec = a.executor();
        classical_values_u<V, I>(exec, a.view(), strong_.view(), states_.data(), u_->view().row_ptrs, u_->values(),
                                 sums_.data());
        classical_values_v<V, I>(exec, a.view(), strong_.view(), states_.data(), sums_.data(), v_->view().row_ptrs,
                                 v_->values());
    }
    const Csr<V, I>& product() const { return product_->result(); }
    void truncate() { multigrid_truncate<V, I>(p_->executor(), product().view(), p_->view(), p_->values()); }

    Pattern<I> strong_;
    Array<std::uint64_t> states_;
    Array<V> sums_;
    std::optional<Csr<V, I>> v_, u_, p_;
    std::optional<Product<V, I>> product_;
};

}  // namespace linden::detail
