#pragma once

#include <linden/matrix/csr.hpp>

#include <optional>

#include "core/matrix/pattern_operations.hpp"

namespace linden::detail {

/// A~ = R A C with diagonal R and C of powers of two, so that A~ has A's digits: rows, and then columns, get entries
/// whose largest is in [1, 2), those of rows stay there. R A, and so A~, is the same whatever powers of two have scaled
/// A's rows. Rows and columns without an entry keep the factor 1.
///
/// With `is_symmetric` R = C, by the diagonal, whose entries come to [1/2, 2): A~ is the same whatever powers of two
/// have scaled rows and columns alike.
template <class V, class I>
class EquilibratedMatrix {
public:
    EquilibratedMatrix(const Csr<V, I>& a, bool is_symmetric);

    /// Takes the values of `a`, of the same pattern, without allocation.
    void update(const Csr<V, I>& a);
    const Csr<V, I>& matrix() const { return scaled_; }

    /// Makes factors of A~ those of A, in the form of IncompleteFactorization::factors. Exact.
    void restore(Csr<V, I>& factors) const;

private:
    using R = real_t<V>;

    void find_symmetric(const Csr<V, I>& a);
    void find_both(const Csr<V, I>& a);

    Executor exec_;
    bool is_symmetric_;
    Csr<V, I> scaled_;
    std::optional<Pattern<I>> transposed_;  ///< none if symmetric
    Array<V> diagonal_;                     ///< empty unless symmetric
    Array<R> magnitudes_, norms_, rows_, columns_;
};

}  // namespace linden::detail
