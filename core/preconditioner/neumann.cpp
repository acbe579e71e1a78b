#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/neumann.hpp>

#include "core/colouring/stored_triangle.hpp"
#include "core/config/parameter_names.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/neumann.hpp"
#include "core/matrix/block_cache.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/matrix/inverse_diagonal.hpp"

// instantiate: class CsrOperator<Neumann, V>
// instantiate: class Neumann<V>

/// Vector words moved per application with one right-hand side (n rows; the entries of the triangles apart):
///
///                                      reads       writes   words   times
///     y := b - L' b                    b           y        2       1
///     y := b - L' y                    b y         y        3       order - 1
///         the last of these: D^-1      d                    1       1
///     x := c - U' c                    c           x        2       1
///     x := c - U' x                    c x         x        3       order - 1     total (6 order - 1) n
///
/// for order >= 1, with L' = L D^-1, U' = D^-1 U and c the result of the first half; 3 n for order 0. Each triangle is
/// read `order` times: 2 order nnz(L + U) + n operations. For the 5-point stencil these are 9 n for order 1, as many as
/// of a product with A, and 17 n for order 2. The limit of an application is
/// ((6 order - 1) n V + order bytes of the triangles) / bandwidth.
namespace linden {
namespace detail {

/// The series of a matrix, for any index type.
template <class V>
class NeumannSeries {
public:
    virtual ~NeumannSeries() = default;

    /// x := M^-1 b
    virtual void apply(const Dense<V>& b, Dense<V>& x) const = 0;
    virtual void update(const LinOp<V>& matrix) = 0;
    bool is_capturable() const { return true; }
    virtual size_type num_zero_diagonals() const = 0;
    virtual size_type num_nonzeros() const = 0;
    virtual size_type storage_bytes() const = 0;
};

}  // namespace detail

namespace {

template <class V, class I>
class NeumannSeriesOf final : public detail::NeumannSeries<V> {
public:
    using Triangle = detail::StoredTriangle<V, I>;

    NeumannSeriesOf(const Csr<V, I>& a, const typename Neumann<V>::Parameters& p)
        : exec_(a.executor()),
          order_(p.order),
          num_nonzeros_(a.num_nonzeros()),
          inverse_(exec_, a.size().rows),
          ones_(exec_, p.order > 0 ? a.size().rows : 0),
          num_zeros_(exec_, 1),
          lower_(exec_, a.view(), Side::lower, p.order > 0, {{.rows = a.size().rows}}, 1, p.storage),
          upper_(exec_, a.view(), Side::upper, p.order > 0, {{.rows = a.size().rows}}, 1, p.storage),
          between_(exec_)
    {
        dense_fill<V>(exec_, V{1}, {ones_.size(), 1, 1, ones_.data()});
        fill(a);
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        if (order_ == 0) {
            dense_scale_rows<V>(exec_, {inverse_.size(), 1, 1, inverse_.data()}, V{1}, b.view(), V{}, x.view());
            return;
        }
        const size_type count = b.size().rows * b.size().cols;
        typename detail::BlockCache<V>::Lease c_lease(between_, count), y_lease(between_, order_ > 1 ? count : 0);
        auto c = c_lease.block(b.size());
        add_terms(lower_, inverse_.data(), b.view(), x.view(), c.view());  // c := D^-1 (sum (-L')^j) b
        if (order_ == 1) {
            add_terms(upper_, nullptr, c.view(), x.view(), x.view());  // x := (sum (-U')^j) c
            return;
        }
        auto y = y_lease.block(b.size());
        add_terms(upper_, nullptr, c.view(), y.view(), x.view());
    }

    void update(const LinOp<V>& matrix) override { fill(csr_of<V, I>("Neumann", matrix, num_nonzeros_)); }

    size_type num_zero_diagonals() const override { return num_zeros_.to_host().front(); }
    size_type num_nonzeros() const override { return lower_.num_nonzeros() + upper_.num_nonzeros(); }
    size_type storage_bytes() const override
    {
        return lower_.bytes() + upper_.bytes() + static_cast<size_type>(inverse_.bytes());
    }

private:
    /// D^-1, L' = L D^-1 and U' = D^-1 U
    void fill(const Csr<V, I>& a)
    {
        detail::invert_diagonal(a, inverse_.data(), num_zeros_.data());
        lower_.fill({a.view(), ones_.data(), inverse_.data()});
        upper_.fill({a.view(), inverse_.data(), nullptr});
    }

    /// result := D (b - T b + T^2 b - ...) by Horner's scheme, alternating with `other`, which order 1 does not need.
    void add_terms(const Triangle& triangle, const V* d, DenseView<const V> b, DenseView<V> other,
                   DenseView<V> result) const
    {
        auto y = b;
        for (size_type left = order_; left-- > 0;) {
            const auto x = left % 2 == 0 ? result : other;
            // x := b - T y
            triangle.with_part(0, [&]<class S, class J>(const ColourView<S, J>& rows) {
                neumann_term<V, S, J>(exec_, rows.entries, left == 0 ? d : nullptr, b, y, x);
            });
            y = x;
        }
    }

    Executor exec_;
    size_type order_;
    size_type num_nonzeros_;
    Array<V> inverse_;  ///< D^-1
    Array<V> ones_;     ///< row factors of L'
    Array<size_type> num_zeros_;
    Triangle lower_, upper_;
    mutable detail::BlockCache<V> between_;
};

}  // namespace

template <class V>
void Neumann<V>::Parameters::describe(ParameterVisitor& v)
{
    v("order", order, "highest power of the triangles in the series; 0: Jacobi");
    v.choice("storage", storage, config::storage_names, "precision of the stored triangles");
}

template <class V>
Neumann<V>::Neumann(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : CsrOperator<Neumann, V>(std::move(exec), detail::square("Neumann", matrix->size())),
      parameters_(parameters),
      matrix_(std::move(matrix))
{
    if (parameters_.order < 0) {
        throw InvalidParameter("order", std::to_string(parameters_.order), "at least 0");
    }
    visit_csr("Neumann", *matrix_, [&]<class I>(const Csr<V, I>& a) {
        detail::check_storage<V, I>(parameters_.storage);
        impl_ = std::make_unique<NeumannSeriesOf<V, I>>(a, parameters_);
    });
}

template <class V>
size_type Neumann<V>::num_zero_diagonals() const
{
    return impl_->num_zero_diagonals();
}

template <class V>
size_type Neumann<V>::num_nonzeros() const
{
    return impl_->num_nonzeros();
}

template <class V>
size_type Neumann<V>::storage_bytes() const
{
    return impl_->storage_bytes();
}

template <class V>
void Neumann<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    impl_->apply(b, x);
}

}  // namespace linden
