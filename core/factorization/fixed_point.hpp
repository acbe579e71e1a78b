#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/preconditioner/incomplete_factorization.hpp>

#include <memory>
#include <utility>

#include "core/factorization/long_rows.hpp"
#include "core/kernels/parilut.hpp"
#include "core/matrix/pattern_operations.hpp"

/// Incomplete factors by fixed-point iterations: ParILU and ParIC on a given pattern, ParILUT and ParICT on one that
/// they find. [ChowPatel15], [AnztEtAl19b]
namespace linden::detail {

/// `array` with room for `size` values; old ones are lost where there was less.
template <class T>
T* with_room(Array<T>& array, size_type size)
{
    if (array.size() < size) {
        array = Array<T>(array.executor());  // before the new one
        array = Array<T>(array.executor(), size);
    }
    return array.data();
}

/// A matrix whose memory is kept as its pattern changes.
template <class V, class I>
struct FormedMatrix {
    FormedMatrix(const Executor& exec, Dim dim) : size(dim), row_ptrs(exec, dim.rows + 1), col_idxs(exec), values(exec)
    {
    }

    CsrView<V, I> view() const
    {
        return {size.rows, size.cols, num_nonzeros, row_ptrs.data(), col_idxs.data(), values.data()};
    }
    /// With memory for so many entries.
    FormedRows<V, I> written(size_type count)
    {
        num_nonzeros = count;
        return {row_ptrs.data(), with_room(col_idxs, count), with_room(values, count)};
    }

    Dim size;
    size_type num_nonzeros = 0;
    Array<I> row_ptrs, col_idxs;
    Array<V> values;
};

/// S of core/kernels/parilut.hpp: its pattern, which may change, and its values.
template <class V, class I>
class FixedPointIterate {
public:
    FixedPointIterate(const Executor& exec, Dim size);

    /// Takes another pattern with values; leaves the old ones there.
    void exchange(FormedMatrix<V, I>& other);

    const FormedMatrix<V, I>& matrix() const { return s_; }
    V* values() { return s_.values.data(); }
    FixedPointView<V, I> view() const
    {
        return {s_.view(), diagonal_.data(), inverses_.data(), scales_.data(), long_rows_.view()};
    }

    /// Before patterns come whose rows are about as long as those of `a`.
    void expect(PatternView<I> a) { long_rows_.expect(a); }
    /// Before each use of view(): replaces bad pivots.
    void check_pivots(const Array<real_t<V>>& norms, bool is_hermitian, PivotReport* report);
    /// S := W on the pattern of S.  a: A there. After check_pivots.
    void sweep(const V* a);
    /// The same in place, within blocks of rows. The arguments are those of check_pivots.
    void sweep_in_place(const V* a, const Array<real_t<V>>& norms, bool is_hermitian);

    const V* inverses() const { return inverses_.data(); }
    const real_t<V>* scales() const { return scales_.data(); }

private:
    Executor exec_;
    FormedMatrix<V, I> s_;
    Array<V> next_values_;
    Array<I> diagonal_;
    Array<V> inverses_;
    Array<real_t<V>> scales_;
    LongRowsOf<I> long_rows_;
};

template <class V, class I>
class FixedPointStep;

/// Incomplete factors of matrices with one pattern.
template <class V, class I>
class FixedPointFactorization {
public:
    /// `base`: A's pattern with its diagonal, or with more; `source`: the entries of A. Finds the pattern of the
    /// factors, and their values. @throws InvalidParameter
    FixedPointFactorization(Pattern<I> base, const FactorizationPlan& plan, const Csr<V, I>& a, PivotReport* report);

    /// As IncompleteFactorization::factors describes them.
    const std::shared_ptr<Csr<V, I>>& factors() const { return factors_; }
    /// The factors of `a` on the same pattern. Allocates nothing, does not wait.
    void update(const Csr<V, I>& a, PivotReport* report);

private:
    void load(const Csr<V, I>& a);
    void locate();
    void start();
    void advance(FixedPointStep<V, I>& step, PivotReport* report);
    void sweep(size_type count, PivotReport* report);
    void improve(PivotReport* report);
    void eliminate(PivotReport* report);
    void take_pattern_of_factors();
    void store_factors();

    Executor exec_;
    FactorizationPlan plan_;
    Pattern<I> base_;
    Array<I> base_diagonal_;
    Array<V> base_values_;
    Array<real_t<V>> norms_;
    FixedPointIterate<V, I> s_;
    Array<I> source_;  ///< entries of base_ that S has, -1 for fill
    Array<V> a_;       ///< their values
    Array<I> lower_;   ///< entries of S that a Cholesky factor has
    std::shared_ptr<Csr<V, I>> factors_;
};

}  // namespace linden::detail
