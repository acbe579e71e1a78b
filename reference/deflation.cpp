#include "core/portable/deflation.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void restrict_to_domains(const Executor&, DomainsView<I> domains, DenseView<const V> b, DenseView<V> c, WorkspaceView)
{
    for (size_type domain = 0; domain < c.rows; ++domain) {
        for (size_type col = 0; col < c.cols; ++col) {
            c(domain, col) = V{};
            for (I piece = domains.domain_pieces[domain]; piece < domains.domain_pieces[domain + 1]; ++piece) {
                V sum{};
                for (I k = domains.piece_ptrs[piece]; k < domains.piece_ptrs[piece + 1]; ++k) {
                    sum += b(domains.order == nullptr ? k : domains.order[k], col);
                }
                c(domain, col) += sum;
            }
        }
    }
}

template <class V, class I>
void project(const Executor& exec, DomainsView<I> domains, CsrView<V, I> y, DenseView<const V> z, StepView<V> step,
             DenseView<V> c, WorkspaceView workspace)
{
    restrict_to_domains(exec, domains, step.r, c, workspace);
    for (size_type domain = 0; domain < c.rows; ++domain) {
        for (size_type col = 0; col < c.cols; ++col) {
            const V restricted = c(domain, col);
            V sum{};
            for (I k = y.row_ptrs[domain]; k < y.row_ptrs[domain + 1]; ++k) {
                sum += y.values[k] * z(y.col_idxs[k], col);
            }
            if (const V alpha = step.alpha[col]; alpha != V{}) {
                sum -= restricted / alpha;
                if (step.rho != nullptr) {
                    const V beta = step.rho[col] / step.rho_old[col];
                    sum += beta * ((step.sums(domain, col) - restricted) / alpha);
                    step.sums(domain, col) = restricted;
                }
            }
            c(domain, col) = sum;
        }
    }
}

template <class V, class I>
void add_prolonged(const Executor&, DomainsView<I> domains, Scalar<V> alpha, DenseView<const V> c, DenseView<V> x)
{
    for (size_type row = 0; row < x.rows; ++row) {
        for (size_type col = 0; col < x.cols; ++col) {
            x(row, col) += alpha[col] * c(domains.domains[row], col);
        }
    }
}

template <class V, class I>
void update_direction(const Executor&, DomainsView<I> domains, DenseView<const V> c, DenseView<const V> z,
                      DenseView<V> p, DenseView<V> x, CgScalars<V> s, StopView<real_t<V>> stop)
{
    for (size_type col = 0; col < x.cols; ++col) {
        const V beta = stop.is_running(col) ? s.rho[col] / s.rho_old[col] : V{};
        for (size_type row = 0; row < x.rows; ++row) {
            if (s.alpha[col] != V{}) {
                x(row, col) += s.alpha[col] * p(row, col);
            }
            if (stop.is_running(col)) {
                p(row, col) = z(row, col) - c(domains.domains[row], col) + beta * p(row, col);
            }
        }
    }
}

}  // namespace

void register_deflation()
{
    host::bind_deflation_blocks(Backend::reference);
    for_each_value_index([]<class V, class I>() {
        deflation_restrict<V, I>.bind(Backend::reference, restrict_to_domains<V, I>);
        deflation_project<V, I>.bind(Backend::reference, project<V, I>);
        deflation_add_prolonged<V, I>.bind(Backend::reference, add_prolonged<V, I>);
        deflation_update_direction<V, I>.bind(Backend::reference, update_direction<V, I>);
    });
}

}  // namespace linden::reference
