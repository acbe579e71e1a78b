#include "core/portable/deflation.hpp"

#include <algorithm>
#include <utility>

#include "core/base/math.hpp"
#include "omp/few_rows.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// partials(piece, :) := the sums along the pieces [begin, end)
template <class V, class I>
void sum_pieces(const DomainsView<I>& domains, DenseView<const V> b, V* partials, size_type begin, size_type end)
{
    for (size_type piece = begin; piece < end; ++piece) {
        V* const sums = partials + piece * b.cols;
        const size_type first = domains.piece_ptrs[piece];
        const size_type last = domains.piece_ptrs[piece + 1];
        for (size_type col = 0; col < b.cols; ++col) {
            constexpr int lanes = 4;
            V sum[lanes] = {};
            for (size_type k = first; k < last; ++k) {
                sum[(k - first) % lanes] += b(domains.order == nullptr ? k : size_type{domains.order[k]}, col);
            }
            sums[col] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
        }
    }
}

template <class V, class I>
const V* sums_of_pieces(const Executor& exec, const DomainsView<I>& domains, DenseView<const V> b,
                        WorkspaceView workspace)
{
    V* const partials = reinterpret_cast<V*>(workspace.data);
    parallel_parts(exec, FewRows{domains.num_pieces, domains.rows * b.cols},
                   [&](size_type begin, size_type end) { sum_pieces(domains, b, partials, begin, end); });
    return partials;
}

template <class V, class I>
void restrict_to_domains(const Executor& exec, DomainsView<I> domains, DenseView<const V> b, DenseView<V> c,
                         WorkspaceView workspace)
{
    const V* const partials = sums_of_pieces(exec, domains, b, workspace);
    for (size_type domain = 0; domain < c.rows; ++domain) {
        std::fill_n(c.values + domain * c.stride, c.cols, V{});
        for (I piece = domains.domain_pieces[domain]; piece < domains.domain_pieces[domain + 1]; ++piece) {
            for (size_type col = 0; col < c.cols; ++col) {
                c(domain, col) += partials[piece * c.cols + col];
            }
        }
    }
}

/// What deflation_project takes beside Y z for an element, whose sum of r is `restricted`.
template <class V>
V step_term(const StepView<V>& step, size_type domain, size_type col, V restricted)
{
    const V alpha = step.alpha[col];
    if (step.rho == nullptr) {
        return -restricted / alpha;
    }
    const V beta = step.rho[col] / step.rho_old[col];
    const V before = std::exchange(step.sums(domain, col), restricted);
    return multiply(beta, before - restricted) / alpha - restricted / alpha;
}

template <class V, class I>
void project(const Executor& exec, DomainsView<I> domains, CsrView<V, I> y, DenseView<const V> z, StepView<V> step,
             DenseView<V> c, WorkspaceView workspace)
{
    bool reads_r = false;
    for (size_type col = 0; col < c.cols; ++col) {
        reads_r |= step.alpha[col] != V{};
    }
    const V* const partials = reads_r ? sums_of_pieces(exec, domains, step.r, workspace) : nullptr;
    const auto element = [&](size_type domain, size_type col) {
        V sum{};
        if (step.alpha[col] != V{}) {
            V restricted{};
            for (I piece = domains.domain_pieces[domain]; piece < domains.domain_pieces[domain + 1]; ++piece) {
                restricted += partials[piece * c.cols + col];
            }
            sum = step_term(step, domain, col, restricted);
        }
        for (I k = y.row_ptrs[domain]; k < y.row_ptrs[domain + 1]; ++k) {
            sum += multiply(y.values[k], z(y.col_idxs[k], col));
        }
        return sum;
    };
    parallel_parts(exec, by_nonzeros(y), [&](size_type begin, size_type end) {
        for (size_type domain = begin; domain < end; ++domain) {
            for (size_type col = 0; col < c.cols; ++col) {
                c(domain, col) = element(domain, col);
            }
        }
    });
}

template <class V, class I>
void add_prolonged(const Executor& exec, DomainsView<I> domains, Scalar<V> alpha, DenseView<const V> c, DenseView<V> x)
{
    const auto tile = [&](auto lanes, size_type first, size_type last) {
        const auto factor = lanes.gather([&](size_type col) { return alpha[col]; });
        for (size_type row = first; row < last; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                const size_type col = lanes.column(lane);
                x(row, col) += multiply(factor[lane], c(domains.domains[row], col));
            }
        }
    };
    parallel_rows(exec, {x.rows, x.cols},
                  [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
}

template <class V, class I>
void update_direction(const Executor& exec, DomainsView<I> domains, DenseView<const V> c, DenseView<const V> z,
                      DenseView<V> p, DenseView<V> x, CgScalars<V> s, StopView<real_t<V>> stop)
{
    const auto moved = [&](size_type col) { return s.alpha[col] != V{}; };
    const auto runs = [&](size_type col) { return stop.is_running(col); };
    const auto tile = [&](auto lanes, size_type first, size_type last) {
        const auto alpha = lanes.gather([&](size_type col) { return s.alpha[col]; });
        const auto beta = lanes.gather([&](size_type col) { return runs(col) ? s.rho[col] / s.rho_old[col] : V{}; });
        const auto moving = lanes.gather(moved);
        const auto running = lanes.gather(runs);
        for (size_type row = first; row < last; ++row) {
            const size_type domain = domains.domains[row];
            for (int lane = 0; lane < lanes.width; ++lane) {
                // x := x + alpha p, p := z - Z c + beta p
                const size_type col = lanes.column(lane);
                const V direction = p(row, col);
                const V next = z(row, col) - c(domain, col) + multiply(beta[lane], direction);
                x(row, col) = moving[lane] ? x(row, col) + multiply(alpha[lane], direction) : x(row, col);
                p(row, col) = running[lane] ? next : direction;
            }
        }
    };
    bool anything = false;
    for (size_type col = 0; col < x.cols; ++col) {
        anything |= moved(col) || runs(col);
    }
    if (anything) {
        parallel_rows(exec, {x.rows, x.cols},
                      [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
    }
}

/// So little that one thread does it.
}  // namespace

void register_deflation()
{
    host::bind_deflation_blocks(Backend::omp);
    for_each_value_index([]<class V, class I>() {
        deflation_restrict<V, I>.bind(Backend::omp, restrict_to_domains<V, I>);
        deflation_project<V, I>.bind(Backend::omp, project<V, I>);
        deflation_add_prolonged<V, I>.bind(Backend::omp, add_prolonged<V, I>);
        deflation_update_direction<V, I>.bind(Backend::omp, update_direction<V, I>);
    });
}

}  // namespace linden::omp
