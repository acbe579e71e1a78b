// needs: double int32
#include <linden/preconditioner/multicoloured.hpp>

#include "benchmark/support/suite.hpp"

/// Multi-coloured SSOR of matrices whose rows are alike, and of such where they are not: one application, and what is
/// made of a matrix before the first.
namespace linden::benchmarks {
namespace {

using I = std::int32_t;

/// Ones on the diagonal, in the last row and in the last column.
template <class V>
Csr<V, I> arrow(const Executor& exec, I n)
{
    CsrData<V, I> a{{n, n}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        for (I col = row + 1 < n ? row : 0; col < n; col = row + 1 < n && col < n - 1 ? n - 1 : col + 1) {
            a.col_idxs.push_back(col);
            a.values.push_back(col == row ? static_cast<V>(n) : V{1});
        }
        a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
    }
    return Csr<V, I>(exec, a);
}

template <class V>
std::shared_ptr<const Csr<V, I>> matrix_of(const Executor& exec, const std::string& spec)
{
    return spec == "arrow:100000" ? std::make_shared<const Csr<V, I>>(arrow<V>(exec, 100000))
                                  : problem<V, I>(exec, spec);
}

template <class V>
void add_multicoloured(const Executor& exec, const std::string& spec, size_type k)
{
    const auto what = short_name(spec) + (k == 1 ? "" : "x" + std::to_string(k));
    add("mc_ssor_apply", exec, type_names<V, I>(), what, [=](benchmark::State& state) {
        const auto op = McSsor<V>::factory().generate(matrix_of<V>(exec, spec));
        const size_type n = op->size().rows;
        const auto b = block<V>(exec, {n, k});
        Dense<V> x(exec, b.size());
        // As sweep_red_black, whatever the slices take.
        const size_type bytes =
            op->num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)) +
            n * ((1 + 6 * k) * static_cast<size_type>(sizeof(V)) + 2 * static_cast<size_type>(sizeof(I)));
        measure(state, exec, bytes, [&] { op->apply(b, x); });
    });
    if (k == 1) {
        add("mc_ssor_generate", exec, type_names<V, I>(), what, [=](benchmark::State& state) {
            const auto a = matrix_of<V>(exec, spec);
            measure(state, exec, a->num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)),
                    [&] { McSsor<V>::factory().generate(a); });
        });
    }
}

const Suite suite{[](const Executor& exec) {
    for (const auto* const spec : {"lap3d:100", "powerlaw:1000000:7:1", "arrow:100000"}) {
        for (const size_type k : {1, 4}) {
            add_multicoloured<double>(exec, spec, k);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
