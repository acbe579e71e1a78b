#include "core/kernels/supernodes.hpp"

#include <cmath>

#include "core/base/math.hpp"
#include "core/portable/pivots.hpp"

namespace linden::reference {
namespace {

/// A supernode's shape and where its panel is.
template <class I>
struct Panel {
    Panel(const SupernodeView<I>& f, size_type s)
        : begin(f.first[s]),
          end(f.first[s + 1]),
          rows(f.rows + f.row_ptrs[s]),
          height(f.row_ptrs[s + 1] - f.row_ptrs[s]),
          values(f.value_ptrs[s])
    {
    }
    size_type width() const { return end - begin; }
    size_type at(size_type row, size_type column) const { return values + column * height + row; }
    /// Which of its rows is that row.
    size_type place_of(I row) const
    {
        size_type place = 0;
        while (rows[place] != row) {
            ++place;
        }
        return place;
    }

    size_type begin, end;
    const I* rows;
    size_type height, values;
};

/// The entry of row k of U in the panel of its supernode, as the factor of column k of L.
template <class V>
V upper_of(const SupernodeFactors<V>& values, size_type entry, size_type pivot)
{
    return values.upper != nullptr ? values.upper[entry] : values.lower[pivot] * conj(values.lower[entry]);
}

template <class V, class I>
void update_by(const SupernodeView<I>& f, size_type s, const I* source, const SupernodeFactors<V>& values)
{
    const Panel<I> to(f, s), from(f, source[0]);
    for (size_type j = source[1]; j < source[2]; ++j) {
        const size_type column = from.rows[j] - to.begin;
        for (size_type i = j; i < from.height; ++i) {
            const size_type entry = to.at(to.place_of(from.rows[i]), column);
            for (size_type k = 0; k < from.width(); ++k) {
                const auto pivot = from.at(k, k);
                values.lower[entry] -= values.lower[from.at(i, k)] * upper_of(values, from.at(j, k), pivot);
                if (values.upper != nullptr && i > j) {
                    values.upper[entry] -= values.upper[from.at(i, k)] * values.lower[from.at(j, k)];
                }
            }
        }
    }
}

template <class V, class I>
void factorize_panel(const Panel<I>& p, const PivotLimits<real_t<V>>& limits, const SupernodeFactors<V>& values,
                     PivotReport* report)
{
    for (size_type k = 0; k < p.width(); ++k) {
        V& pivot = values.lower[p.at(k, k)];
        pivot = values.upper != nullptr ? pivot : V{real(pivot)};
        const V* const u = (values.upper != nullptr ? values.upper : values.lower) + p.at(0, k);
        const auto largest = [&] {
            real_t<V> most{};
            for (size_type i = k + 1; i < p.height; ++i) {
                most = std::max(most, magnitude(u[i]));
            }
            return most;
        };
        if (is_bad_pivot(pivot_size(pivot, limits), limits, p.begin + k, largest)) {
            pivot = pivot_instead(pivot, limits, p.begin + k);
            add_bad_pivot(*report, p.begin + k);
        }
        for (size_type i = k + 1; i < p.height; ++i) {
            values.lower[p.at(i, k)] /= pivot;
        }
        for (size_type j = k + 1; j < p.width(); ++j) {
            for (size_type i = j; i < p.height; ++i) {
                values.lower[p.at(i, j)] -= values.lower[p.at(i, k)] * upper_of(values, p.at(j, k), p.at(k, k));
                if (values.upper != nullptr && i > j) {
                    values.upper[p.at(i, j)] -= values.upper[p.at(i, k)] * values.lower[p.at(j, k)];
                }
            }
        }
    }
}

template <class V, class I>
void factorize(const Executor&, SupernodeView<I> f, PivotLimits<real_t<V>> limits, SupernodeFactors<V> values,
               PivotReport* report, WorkspaceView)
{
    *report = {};
    for (size_type s = 0; s < f.num_supernodes; ++s) {
        for (size_type source = f.source_ptrs[s]; source < f.source_ptrs[s + 1]; ++source) {
            update_by(f, s, f.sources + 3 * source, values);
        }
        factorize_panel(Panel<I>(f, s), limits, values, report);
    }
}

template <class V, class I>
void solve(const Executor&, SupernodeView<I> f, SupernodeFactors<const V> values, DenseView<V> x, WorkspaceView)
{
    const auto row = [&x](size_type i, size_type j) -> V& { return x.values[i * x.stride + j]; };
    for (size_type j = 0; j < x.cols; ++j) {
        for (size_type s = 0; s < f.num_supernodes; ++s) {  // x := L^-1 x
            const Panel<I> p(f, s);
            for (size_type k = 0; k < p.width(); ++k) {
                for (size_type i = k + 1; i < p.height; ++i) {
                    row(p.rows[i], j) -= values.lower[p.at(i, k)] * row(p.rows[k], j);
                }
            }
        }
        for (size_type s = f.num_supernodes; s-- > 0;) {  // x := U^-1 x
            const Panel<I> p(f, s);
            for (size_type k = p.width(); k-- > 0;) {
                V& here = row(p.rows[k], j);
                for (size_type i = k + 1; i < p.height && values.upper != nullptr; ++i) {
                    here -= values.upper[p.at(i, k)] * row(p.rows[i], j);
                }
                here /= values.lower[p.at(k, k)];
                for (size_type i = k + 1; i < p.height && values.upper == nullptr; ++i) {
                    here -= conj(values.lower[p.at(i, k)]) * row(p.rows[i], j);
                }
            }
        }
    }
}

}  // namespace

void register_supernodes()
{
    for_each_value_index([]<class V, class I>() {
        supernodes_factorize<V, I>.bind(Backend::reference, factorize<V, I>);
        supernodes_solve<V, I>.bind(Backend::reference, solve<V, I>);
    });
}

}  // namespace linden::reference
