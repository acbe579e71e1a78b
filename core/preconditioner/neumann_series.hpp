#pragma once

#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/neumann.hpp>

#include <memory>

#include "core/colouring/stored_triangle.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/neumann.hpp"
#include "core/matrix/block_cache.hpp"

/// Truncated Neumann series of the triangles of a matrix.
namespace linden::detail {

/// The series of a matrix, for any index type.
template <class V>
class NeumannSeries {
public:
    virtual ~NeumannSeries() = default;

    /// x := M^-1 b
    virtual void apply(const Dense<V>& b, Dense<V>& x) const = 0;
    virtual void update(const LinOp<V>& matrix) = 0;
    virtual bool is_capturable() const { return true; }
    virtual size_type num_zero_diagonals() const = 0;
    virtual size_type num_nonzeros() const = 0;
    virtual size_type storage_bytes() const = 0;
};

/// D^-1, L' = L D^-1 and U' = D^-1 U, of the rows that a matrix has, or of those among them that are this rank's.
template <class V, class I>
class TriangleSeries : public NeumannSeries<V> {
public:
    size_type num_zero_diagonals() const override { return num_zeros_.to_host().front(); }
    size_type num_nonzeros() const override { return lower_.num_nonzeros() + upper_.num_nonzeros(); }
    size_type storage_bytes() const override
    {
        return lower_.bytes() + upper_.bytes() + static_cast<size_type>(inverse_.bytes());
    }

protected:
    /// a: n x n, of which other rows than `rows` are empty.
    TriangleSeries(const Executor& exec, PatternView<I> a, const ColourSegment& rows,
                   const typename Neumann<V>::Parameters& p)
        : order_(p.order),
          first_(rows.first),
          inverse_(exec, a.rows),
          num_zeros_(exec, 1),
          between_(exec),
          ones_(exec, p.order > 0 ? a.rows : 0),
          lower_(exec, a, Side::lower, p.order > 0, {rows}, 1, p.storage),
          upper_(exec, a, Side::upper, p.order > 0, {rows}, 1, p.storage)
    {
        dense_fill<V>(exec, V{1}, {ones_.size(), 1, 1, ones_.data()});
    }

    const Executor& exec() const { return inverse_.executor(); }
    /// D^-1 of the own rows.
    V* own_inverse() { return inverse_.data() + first_; }
    const V* own_inverse() const { return inverse_.data() + first_; }
    /// L' and U', when D^-1 of all rows is there.
    void fill(CsrView<V, I> a)
    {
        lower_.fill({a, ones_.data(), inverse_.data()});
        upper_.fill({a, inverse_.data(), nullptr});
    }
    /// x := b - T y, times D^-1 if it `is_scaled`, T = L' or U'.  b, x: the own rows, y: all.
    void term(Side side, bool is_scaled, DenseView<const V> b, DenseView<const V> y, DenseView<V> x) const
    {
        const auto& triangle = side == Side::lower ? lower_ : upper_;
        triangle.with_part(0, [&]<class S, class J>(const ColourView<S, J>& rows) {
            neumann_term<V, S, J>(exec(), rows.entries, is_scaled ? own_inverse() : nullptr, b, y, x);
        });
    }
    /// x := D^-1 b
    void scale(const Dense<V>& b, Dense<V>& x) const
    {
        const auto n = b.size().rows;
        dense_scale_rows<V>(exec(), {n, 1, 1, own_inverse()}, V{1}, b.view(), V{}, x.view());
    }

    size_type order_;
    size_type first_;  ///< the first of the own rows
    Array<V> inverse_;
    Array<size_type> num_zeros_;
    mutable BlockCache<V> between_;

private:
    Array<V> ones_;  ///< row factors of L'
    StoredTriangle<V, I> lower_, upper_;
};

/// The series over the ranks of a distributed::Matrix; null if the matrix is none. Collective.
/// @throws InvalidParameter, RemoteError if another rank fails
template <class V>
std::shared_ptr<NeumannSeries<V>> make_spread_neumann_series(const LinOp<V>& matrix,
                                                             const typename Neumann<V>::Parameters& p);

}  // namespace linden::detail
