#include "core/deflation/deflation_space.hpp"

#include <linden/error.hpp>
#include <linden/matrix/permutation.hpp>

#include <numeric>
#include <utility>

#include "core/deflation/domains.hpp"
#include "core/deflation/galerkin.hpp"
#include "core/kernels/dense.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class detail::DeflationSpace<V>
// instantiate: std::unique_ptr<detail::DeflationSpace<V>> detail::make_deflation_space<V>(const Deflation<V>&, const LinOp<V>&, const LinOp<V>*)

namespace linden {
namespace detail {

template <class V>
DeflationBlocks<V> DeflationSpace<V>::blocks_in(const Executor& exec, V* memory, size_type cols) const
{
    const auto k = num_vectors();
    return {Dense<V>::adopt(exec, {k, cols}, cols, memory), Dense<V>::adopt(exec, {k, cols}, cols, memory + k * cols),
            Dense<V>::adopt(exec, {scratch_rows(), cols}, cols, memory + 2 * k * cols)};
}

template <class V>
void DeflationSpace<V>::solve(const Dense<V>& b, DeflationBlocks<V>& w) const
{
    restrict_to(b, w);
    coarse_.apply(w.sums, w.coefficients);
}

template <class V>
void DeflationSpace<V>::project(const Dense<V>& z, const Dense<V>& r, DeflationBlocks<V>& w) const
{
    restricted_matrix().apply(z, w.coefficients);
    restrict_to(r, w);
    // sums := Y z - Z^H r
    dense_combine<V>(w.sums.executor(), V{1}, std::as_const(w.coefficients).view(), V{-1}, w.sums.view());
    coarse_.apply(w.sums, w.coefficients);
}

template <class V>
void DeflationSpace<V>::project(const Dense<V>& z, DeflationBlocks<V>& w) const
{
    restricted_matrix().apply(z, w.sums);
    coarse_.apply(w.sums, w.coefficients);
}

template <class V>
void DeflationSpace<V>::project(const Dense<V>& z, const Dense<V>& r, const V* alpha, DeflationBlocks<V>& w) const
{
    restricted_matrix().apply(z, w.coefficients);
    restrict_to(r, w);
    deflation_difference<V>(w.sums.executor(), alpha, std::as_const(w.coefficients).view(), w.sums.view());
    coarse_.apply(w.sums, w.coefficients);
}

}  // namespace detail

namespace {

using detail::DeflationBlocks;
using detail::host_rows;

/// Z of domains.
template <class V, class I>
class DomainSpace final : public detail::DeflationSpace<V> {
public:
    /// Row i of the system is row old_rows[i] of `a`; of_row are the domains of the rows of `a`.
    DomainSpace(const Csr<V, I>& a, const detail::Domains& domains, const std::vector<size_type>& old_rows,
                CoarseSolve how)
        : detail::DeflationSpace<V>(a.executor(), domains.num_domains, how),
          exec_(a.executor()),
          new_rows_(old_rows.size()),
          of_row_(old_rows.size()),
          domains_(exec_),
          order_(exec_),
          piece_ptrs_(exec_),
          domain_pieces_(exec_),
          y_(exec_, Dim{})
    {
        for (std::size_t row = 0; row < old_rows.size(); ++row) {
            const auto old = static_cast<std::size_t>(old_rows[row]);
            new_rows_[old] = static_cast<I>(row);
            of_row_[row] = static_cast<I>(domains.of_row[old]);
        }
        cut_into_pieces();
        form(a);
    }

    void add(Scalar<V> alpha, const DeflationBlocks<V>& w, Dense<V>& x) const override
    {
        deflation_add_prolonged<V, I>(exec_, view(), alpha, w.coefficients.view(), x.view());
    }
    void update_direction(const Dense<V>& z, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x, CgScalars<V> s,
                          StopView<real_t<V>> stop) const override
    {
        deflation_update_direction<V, I>(exec_, view(), std::as_const(w.coefficients).view(), z.view(), p.view(),
                                         x.view(), s, stop);
    }
    void update(const LinOp<V>& matrix) override
    {
        visit_csr("deflation", matrix, [&]<class J>(const Csr<V, J>& a) {
            if constexpr (std::is_same_v<I, J>) {
                form(a);
            } else {
                throw NotSupported("deflation", "the new values come with indices of another type");
            }
        });
    }

private:
    size_type scratch_rows() const override { return piece_ptrs_.size() - 1; }
    void restrict_to(const Dense<V>& b, DeflationBlocks<V>& w) const override
    {
        const auto bytes = w.scratch.size().rows * w.scratch.size().cols * static_cast<size_type>(sizeof(V));
        deflation_restrict<V, I>(exec_, view(), b.view(), w.sums.view(),
                                 {reinterpret_cast<std::byte*>(w.scratch.data()), bytes});
    }
    const LinOp<V>& restricted_matrix() const override { return y_; }

    DomainsView<I> view() const
    {
        return {domains_.size(),
                this->num_vectors(),
                scratch_rows(),
                domains_.data(),
                order_.size() == 0 ? nullptr : order_.data(),
                piece_ptrs_.data(),
                domain_pieces_.data()};
    }

    /// The order of rows by domains, and its pieces.
    void cut_into_pieces()
    {
        const auto n = of_row_.size();
        const auto k = static_cast<std::size_t>(this->num_vectors());
        std::vector<I> order(n);
        std::iota(order.begin(), order.end(), I{0});
        const auto domain_of = [&](I row) { return of_row_[static_cast<std::size_t>(row)]; };
        std::stable_sort(order.begin(), order.end(), [&](I a, I b) { return domain_of(a) < domain_of(b); });
        std::vector<I> ends(k + 1);
        for (const I domain : of_row_) {
            ++ends[static_cast<std::size_t>(domain) + 1];
        }
        std::partial_sum(ends.begin(), ends.end(), ends.begin());
        std::vector<I> piece_ptrs{0};
        std::vector<I> domain_pieces{0};
        for (std::size_t domain = 0; domain < k; ++domain) {
            while (piece_ptrs.back() < ends[domain + 1]) {
                const size_type end = piece_ptrs.back() + deflation_piece_rows;
                piece_ptrs.push_back(static_cast<I>(std::min<size_type>(end, ends[domain + 1])));
            }
            domain_pieces.push_back(static_cast<I>(piece_ptrs.size() - 1));
        }
        domains_ = Array<I>(exec_, of_row_);
        piece_ptrs_ = Array<I>(exec_, piece_ptrs);
        domain_pieces_ = Array<I>(exec_, domain_pieces);
        if (!std::is_sorted(order.begin(), order.end())) {
            order_ = Array<I>(exec_, order);
        }
    }

    /// Y and E^-1. Goes over the rows of A domain by domain.
    void form(const Csr<V, I>& a)
    {
        const auto host = host_rows(a);
        const auto k = static_cast<std::size_t>(this->num_vectors());
        std::vector<std::vector<std::size_t>> rows(k);
        for (std::size_t row = 0; row < new_rows_.size(); ++row) {
            rows[domain_of(static_cast<std::size_t>(new_rows_[row]))].push_back(row);
        }
        detail::HostRows<V, I> y{{0}, {}, {}};
        detail::GalerkinMatrix<V> e(this->num_vectors());
        detail::RowSum<V> sum(a.size().cols);
        for (std::size_t domain = 0; domain < k; ++domain) {
            for (const auto row : rows[domain]) {
                for (auto at = host.row_ptrs[row]; at < host.row_ptrs[row + 1]; ++at) {
                    const auto col = static_cast<std::size_t>(host.col_idxs[static_cast<std::size_t>(at)]);
                    sum.add(static_cast<std::size_t>(new_rows_[col]), host.values[static_cast<std::size_t>(at)]);
                }
            }
            sum.take([&](std::size_t col, auto value, double magnitude) {
                y.col_idxs.push_back(static_cast<I>(col));
                y.values.push_back(static_cast<V>(value));
                e.add(domain, domain_of(col), value, magnitude);
            });
            y.row_ptrs.push_back(static_cast<I>(y.col_idxs.size()));
        }
        y_ = Csr<V, I>(exec_, {this->num_vectors(), a.size().cols}, Array<I>(exec_, y.row_ptrs),
                       Array<I>(exec_, y.col_idxs), Array<V>(exec_, y.values));
        e.factorize_into(this->coarse_, exec_);
    }

    std::size_t domain_of(std::size_t new_row) const { return static_cast<std::size_t>(of_row_[new_row]); }

    Executor exec_;
    std::vector<I> new_rows_;  ///< by rows of the given matrix
    std::vector<I> of_row_;    ///< domains, by rows of the system
    Array<I> domains_, order_, piece_ptrs_, domain_pieces_;
    Csr<V, I> y_;
};

/// Z as the user gives it.
template <class V, class I>
class BasisSpace final : public detail::DeflationSpace<V> {
public:
    BasisSpace(const Csr<V, I>& a, const Dense<V>& basis, const std::vector<size_type>& old_rows, CoarseSolve how)
        : detail::DeflationSpace<V>(a.executor(), basis.size().cols, how),
          exec_(a.executor()),
          old_rows_(old_rows),
          z_(exec_, basis.size()),
          z_adjoint_(exec_, {basis.size().cols, basis.size().rows}),
          y_(exec_, {basis.size().cols, basis.size().rows}),
          given_(basis.to_host())
    {
        std::vector<V> z(given_.size());
        std::vector<V> adjoint(given_.size());
        const auto k = static_cast<std::size_t>(this->num_vectors());
        const auto n = old_rows_.size();
        for (std::size_t row = 0; row < n; ++row) {
            for (std::size_t j = 0; j < k; ++j) {
                z[row * k + j] = given_[static_cast<std::size_t>(old_rows_[row]) * k + j];
                adjoint[j * n + row] = conjugate(z[row * k + j]);
            }
        }
        copy_bytes(detail::host(), z.data(), exec_, z_.data(), z.size() * sizeof(V));
        copy_bytes(detail::host(), adjoint.data(), exec_, z_adjoint_.data(), adjoint.size() * sizeof(V));
        form(a);
    }

    void add(Scalar<V> alpha, const DeflationBlocks<V>& w, Dense<V>& x) const override
    {
        dense_multiply<V>(exec_, z_.view(), alpha, w.coefficients.view(), V{1}, x.view());
    }
    void update_direction(const Dense<V>& z, DeflationBlocks<V>& w, Dense<V>& p, Dense<V>& x, CgScalars<V> s,
                          StopView<real_t<V>> stop) const override
    {
        dense_copy<V>(exec_, z.view(), w.scratch.view());
        add(V{-1}, w, w.scratch);  // z - Z c
        cg_update_direction<V>(exec_, std::as_const(w.scratch).view(), p.view(), x.view(), s, stop);
    }
    void update(const LinOp<V>& matrix) override
    {
        visit_csr("deflation", matrix, [&](const auto& a) { form(a); });
    }

private:
    size_type scratch_rows() const override { return z_.size().rows; }
    void restrict_to(const Dense<V>& b, DeflationBlocks<V>& w) const override { z_adjoint_.apply(b, w.sums); }
    const LinOp<V>& restricted_matrix() const override { return y_; }

    /// Y = Z^H A and E^-1
    template <class J>
    void form(const Csr<V, J>& a)
    {
        const auto host = host_rows(a);
        const auto k = static_cast<std::size_t>(this->num_vectors());
        const auto n = old_rows_.size();
        std::vector<Wide> sums(k * n);  // by columns of the given matrix
        std::vector<double> magnitudes(k * n);
        for (std::size_t row = 0; row < n; ++row) {
            for (auto at = host.row_ptrs[row]; at < host.row_ptrs[row + 1]; ++at) {
                const auto col = static_cast<std::size_t>(host.col_idxs[static_cast<std::size_t>(at)]);
                const Wide value(host.values[static_cast<std::size_t>(at)]);
                for (std::size_t j = 0; j < k; ++j) {
                    const Wide term = multiply(conjugate(Wide(given_[row * k + j])), value);
                    sums[col * k + j] += term;
                    magnitudes[col * k + j] += std::abs(term);
                }
            }
        }
        std::vector<V> y(k * n);
        detail::GalerkinMatrix<V> e(this->num_vectors());
        for (std::size_t row = 0; row < n; ++row) {
            const auto old = static_cast<std::size_t>(old_rows_[row]);
            for (std::size_t i = 0; i < k; ++i) {
                const Wide sum = sums[old * k + i];
                y[i * n + row] = static_cast<V>(sum);
                for (std::size_t j = 0; j < k; ++j) {
                    const Wide z(given_[old * k + j]);
                    e.add(i, j, multiply(sum, z), magnitudes[old * k + i] * std::abs(z));
                }
            }
        }
        copy_bytes(detail::host(), y.data(), exec_, y_.data(), y.size() * sizeof(V));
        e.factorize_into(this->coarse_, exec_);
    }

    using Wide = detail::Wide<V>;

    Executor exec_;
    std::vector<size_type> old_rows_;
    Dense<V> z_, z_adjoint_, y_;
    std::vector<V> given_;
};

/// old_rows[i]: the row of the matrix that is row i of the system.
template <class V>
std::vector<size_type> old_rows(size_type rows, const LinOp<V>* to)
{
    std::vector<size_type> result(static_cast<std::size_t>(rows));
    std::iota(result.begin(), result.end(), size_type{0});
    bool found = to == nullptr;
    for_each_index([&]<class I>() {
        if (const auto* const permutation = dynamic_cast<const Permutation<V, I>*>(to); permutation != nullptr) {
            const auto order = permutation->to_host();
            result.assign(order.begin(), order.end());
            found = true;
        }
    });
    if (!found) {
        throw NotSupported("deflation", "the preconditioner has an ordering that is no Permutation");
    }
    return result;
}

}  // namespace

template <class V>
std::unique_ptr<detail::DeflationSpace<V>> detail::make_deflation_space(const Deflation<V>& options,
                                                                        const LinOp<V>& matrix, const LinOp<V>* to)
{
    const auto n = matrix.size().rows;
    const auto rows = old_rows(n, to);
    std::unique_ptr<DeflationSpace<V>> space;
    visit_csr("deflation", matrix, [&]<class I>(const Csr<V, I>& a) {
        if (options.basis == nullptr) {
            space = std::make_unique<DomainSpace<V, I>>(a, make_domains(options, n), rows, options.coarse);
            return;
        }
        if (options.basis->size().rows != n) {
            throw DimensionMismatch("deflation", "the matrix", matrix.size(), "the basis", options.basis->size());
        }
        if (options.basis->size().cols < 1 || options.basis->size().cols > std::max<size_type>(n, 1)) {
            throw InvalidParameter("basis", std::to_string(options.basis->size().cols) + " columns",
                                   "1 to the number of rows");
        }
        space = std::make_unique<BasisSpace<V, I>>(a, *options.basis, rows, options.coarse);
    });
    return space;
}

}  // namespace linden
