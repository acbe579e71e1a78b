#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/preconditioner/neumann.hpp>

#include "core/config/parameter_names.hpp"
#include "core/matrix/csr_operator.hpp"
#include "core/matrix/inverse_diagonal.hpp"
#include "core/preconditioner/neumann_series.hpp"

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
/// of a product with A, and 17 n for order 2. Over ranks b is copied as well, 2 n, and there are 2 order exchanges. The
/// limit of an application is
/// ((6 order - 1) n V + order bytes of the triangles) / bandwidth.
namespace linden {
namespace {

template <class V, class I>
class NeumannSeriesOf final : public detail::TriangleSeries<V, I> {
public:
    NeumannSeriesOf(const Csr<V, I>& a, const typename Neumann<V>::Parameters& p)
        : detail::TriangleSeries<V, I>(a.executor(), a.view(), {.rows = a.size().rows}, p),
          num_nonzeros_(a.num_nonzeros())
    {
        take(a);
    }

    void apply(const Dense<V>& b, Dense<V>& x) const override
    {
        const auto order = this->order_;
        if (order == 0) {
            this->scale(b, x);
            return;
        }
        const size_type count = b.size().rows * b.size().cols;
        typename detail::BlockCache<V>::Lease c_lease(this->between_, count),
            y_lease(this->between_, order > 1 ? count : 0);
        auto c = c_lease.block(b.size());
        add_terms(Side::lower, b.view(), x.view(), c.view());  // c := D^-1 (sum (-L')^j) b
        if (order == 1) {
            add_terms(Side::upper, c.view(), x.view(), x.view());  // x := (sum (-U')^j) c
            return;
        }
        auto y = y_lease.block(b.size());
        add_terms(Side::upper, c.view(), y.view(), x.view());
    }

    void update(const LinOp<V>& matrix) override { take(csr_of<V, I>("Neumann", matrix, num_nonzeros_)); }

private:
    void take(const Csr<V, I>& a)
    {
        detail::invert_diagonal(a, this->own_inverse(), this->num_zeros_.data());
        this->fill(a.view());
    }

    /// result := D (b - T b + T^2 b - ...) by Horner's scheme, alternating with `other`, which order 1 does not need;
    /// D^-1 for the lower triangle, else the identity.
    void add_terms(Side side, DenseView<const V> b, DenseView<V> other, DenseView<V> result) const
    {
        auto y = b;
        for (size_type left = this->order_; left-- > 0;) {
            const auto x = left % 2 == 0 ? result : other;
            this->term(side, side == Side::lower && left == 0, b, y, x);  // x := b - T y
            y = x;
        }
    }

    size_type num_nonzeros_;
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
    impl_ = detail::make_spread_neumann_series(*matrix_, parameters_);
    if (impl_ != nullptr) {
        return;
    }
    visit_csr("Neumann", *matrix_, [&]<class I>(const Csr<V, I>& a) {
        detail::check_storage<V, I>(parameters_.storage);
        impl_ = std::make_unique<NeumannSeriesOf<V, I>>(a, parameters_);
    });
}

template <class V>
Communicator Neumann<V>::communicator() const
{
    return matrix_->communicator();
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
