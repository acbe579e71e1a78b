#include <linden/config/config.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/matrix/multiply.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/stencil.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/base/type_lists.hpp"
#include "core/factorization/factor_pattern.hpp"
#include "core/kernels/aggregation.hpp"
#include "core/kernels/array.hpp"
#include "core/kernels/bicgstab_l.hpp"
#include "core/kernels/colouring.hpp"
#include "core/kernels/csr.hpp"
#include "core/kernels/deflation.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/limits.hpp"
#include "core/kernels/multigrid.hpp"
#include "core/kernels/nested_dissection.hpp"
#include "core/kernels/parilut.hpp"
#include "core/kernels/pattern.hpp"
#include "core/kernels/persistent.hpp"
#include "core/kernels/reduction.hpp"
#include "core/kernels/sell.hpp"
#include "core/kernels/stencil_cycle.hpp"
#include "core/kernels/stop.hpp"
#include "core/kernels/sweep.hpp"
#include "core/matrix/row_pointers.hpp"
#include "core/matrix/stencil_search.hpp"
#include "core/multigrid/grid.hpp"
#include "core/multigrid/grid_product.hpp"
#include "core/multigrid/stored_matrix.hpp"
#include "core/solver/stop_state.hpp"
#include "core/validation/cases.hpp"
#include "core/validation/runner.hpp"

// instantiate: void validation::drive_kernels<V, I>(validation::Runner&)

/// Kernels that small problems on one process do not reach, called as such.
namespace linden::validation {
namespace {

/// Half of n rows, from the last one down.
template <class I>
std::vector<I> every_other_row(size_type n)
{
    std::vector<I> rows;
    for (size_type i = 0; i < n / 2; ++i) {
        rows.push_back(static_cast<I>(n - 1 - 2 * i));
    }
    return rows;
}

/// Rows of a block named by a list, and the rows of a matrix's entries: distributed matrices and readers call these.
template <class V, class I>
void name_rows(const Runner& runner, const Csr<V, I>& a)
{
    const auto& exec = runner.executor();
    const auto n = a.size().rows;
    const auto half = n / 2;
    const Array<I> named(exec, every_other_row<I>(n));
    for (const size_type cols : {size_type{1}, size_type{3}}) {
        auto all = random_block<V>(exec, {n, cols}, runner.seed());
        auto some = Dense<V>::filled(exec, {half, cols}, V{});
        dense_gather_rows<V, I>(exec, named.data(), std::as_const(all).view(), some.view());
        const auto other = random_block<V>(exec, {half, cols}, runner.seed() + 1, 2);
        dense_scatter_rows<V, I>(exec, named.data(), other.view(), all.view());
    }
    Array<I> row_idxs(exec, a.num_nonzeros());
    pattern_expand_rows<I>(exec, n, a.num_nonzeros(), a.row_ptrs(), row_idxs.data());
}

/// What ranks do with numbers while they form aggregates: values of named rows, and columns in their own numbers.
template <class I>
void exchange_states(const Runner& runner, size_type n)
{
    const auto& exec = runner.executor();
    const auto half = n / 2;
    std::vector<std::uint32_t> keys;
    const auto rows = every_other_row<I>(n);
    std::vector<I> numbers;
    for (size_type i = 0; i < n; ++i) {
        keys.push_back((static_cast<std::uint32_t>(i) + static_cast<std::uint32_t>(runner.seed())) * 0x9E3779B9u);
        numbers.push_back(static_cast<I>(n - 1 - i));
    }
    const Array<I> named(exec, rows), map(exec, numbers);
    const Array<std::uint32_t> states(exec, keys);
    Array<std::uint32_t> picked(exec, half);
    array_pick<I>(exec, half, 1, named.data(), states.data(), picked.data());
    Array<I> renumbered(exec, rows), marks(exec, numbers);
    array_renumber<I>(exec, half, map.data(), renumbered.data());
    array_mark_named<I>(exec, half, renumbered.data(), marks.data());
    array_shift<I>(exec, half, 3, renumbered.data(), renumbered.data());
}

/// Rounds of a search for aggregates, which devices of one process have in one kernel.
template <class I>
void search_in_rounds(const Runner& runner, PatternView<I> graph)
{
    const auto& exec = runner.executor();
    Array<std::uint64_t> states(exec, graph.rows), least(exec, graph.rows);
    aggregation_begin<I>(exec, graph, 0, nullptr, states.data());
    for (int round = 0; round < 2; ++round) {
        aggregation_spread<I>(exec, graph, nullptr, round == 0, states.data(), least.data());
        aggregation_decide<I>(exec, graph, 0, nullptr, round + 1, least.data(), states.data());
    }
}

/// Columns that stopped for every reason there is, and go on or not: recurrences that were wrong do not come to order.
template <class V>
void resume(const Runner& runner)
{
    using R = real_t<V>;
    const auto& exec = runner.executor();
    constexpr size_type num_statuses = 9;
    for (const bool after_breakdown : {false, true}) {
        StopState<R> state(exec, 2 * num_statuses);
        const std::vector<R> b(2 * num_statuses, R{1});
        std::vector<R> now(b);
        std::vector<SolveStatus> status;
        for (size_type col = 0; col < 2 * num_statuses; ++col) {
            now[static_cast<std::size_t>(col)] = col % 2 == 0 ? R{0.5} : R{0};  // above the tolerance, and not
            status.push_back(static_cast<SolveStatus>(col / 2));
        }
        const Array<R> norms(exec, b), new_norms(exec, now);
        const StopRule rule{10, 1e-3, 0, Baseline{}, 0, 1e3, 0, 0};
        stop_initialize<R>(exec, rule, norms.data(), norms.data(), state.view());
        state.status().copy_from_host(status.data());
        stop_resume<R>(exec, new_norms.data(), after_breakdown, state.view());
    }
}

/// The state of `cols` columns that run.
template <class R>
StopState<R> running(const Executor& exec, size_type cols)
{
    StopState<R> state(exec, cols);
    const Array<R> norms(exec, std::vector<R>(static_cast<std::size_t>(cols), R{1}));
    stop_initialize<R>(exec, {10, 1e-3, 0, Baseline{}, 0, 1e3, 0, 0}, norms.data(), norms.data(), state.view());
    return state;
}

/// What in solves is a matter of rounding, or happens to matrices that no model problem is.
template <class V>
void correct(const Runner& runner)
{
    const auto& exec = runner.executor();
    constexpr size_type cols = 3;
    auto state = running<real_t<V>>(exec, cols);
    const auto s = random_block<V>(exec, {4, cols}, runner.seed());
    const auto c = random_block<V>(exec, {4, cols}, runner.seed() + 1);
    auto rho = random_block<V>(exec, {1, cols}, runner.seed() + 2);
    deflation_correct_rho<V>(exec, s.view(), c.view(), rho.data(), state.view());
    Array<std::int32_t> broken(exec, std::vector<std::int32_t>{0, 2, 3});
    BiCgStabLScalars<V> scalars{};
    scalars.broken = broken.data();
    bicgstab_l_finish<V>(exec, scalars, state.view());
}

/// A cycle after a cycle, which well-conditioned problems do not need, in both ways to orthogonalise.
template <class V, class I>
void restart(const Runner& runner)
{
    const auto a = share(Csr<V, I>(runner.executor(), problem<V, I>("lap2d:11")));
    const auto b = random_block<V>(runner.executor(), {a->size().rows, 1}, runner.seed());
    for (const auto* const way : {"immediate", "delayed"}) {
        auto x = Dense<V>::filled(runner.executor(), b.size(), V{});
        config::parse_factory<V>(R"({"type": "Gmres", "krylov_dim": 2, "stop": {"max_iterations": 5}, )"
                                 R"("orthogonalization": ")" +
                                     std::string(way) + "\"}",
                                 "a restart")
            ->make(a)
            ->apply(b, x);
    }
}

/// What the way down and the way up of a level do with a matrix that is its own prolongator.
template <class V, class I>
struct StoredProducts {
    const Executor& exec;
    const real_t<V>* scales;
    DenseView<const V> b, r;
    DenseView<V> z;

    /// The ends of a cycle for vectors of U.
    template <class U, class S, class J>
    void ends(const SellView<S, J>& m) const
    {
        const Dim size{b.rows, b.cols};
        const auto outside = Dense<U>::filled(exec, size, U{1});
        auto x = outside.copy(exec);
        auto t = Dense<V>::filled(exec, size, V{});  // what comes from the pool may have the result already
        multigrid_enter<U, V, S, J>(exec, m, scales, 0.6, outside.view(), z, t.view());
        Array<U> sums(exec, 2 * size.cols);
        auto workspace = ReductionWorkspace::for_values<U>(exec, 2 * size.cols);
        for (U* const wx : {static_cast<U*>(nullptr), sums.data()}) {
            multigrid_leave<U, V, S, J>(exec, m, {scales, 0.5, 0.6}, b, std::as_const(t).view(), x.view(),
                                        {outside.view(), wx, sums.data() + size.cols, workspace.view()});
        }
    }
    template <class S, class J>
    void operator()(const SellView<S, J>& m) const
    {
        sell_spmv<V, S, J>(exec, m, Scalar<V>(V{1}), b, Scalar<V>(V{0}), z);
        Array<V> sums(exec, 2 * b.cols);
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * b.cols);
        sell_spmv_dot<V, S, J>(exec, m, b, z, r, sums.data(), sums.data() + b.cols, workspace.view());
        multigrid_up<V, S, J>(exec, m, m, 0.6, b, r, z);
        multigrid_sweep<V, S, J>(exec, m, 0.6, b, r, z);
        multigrid_correct<V, S, J>(exec, m, 0.6, b, r, z);
        for_each_finest_type([&]<class U, class W, class T, class K>() {
            if constexpr (std::is_same_v<SellView<S, J>, SellView<T, K>> && std::is_same_v<V, W>) {
                ends<U>(m);
            }
        });
    }
    template <class S>
    void operator()(const CsrView<S, I>& m) const
    {
        multigrid_down<V, S, I>(exec, m, b, z);
        multigrid_up_rows<V, S, I>(exec, m, m, 0.6, b, r, z);
        multigrid_sweep_rows<V, S, I>(exec, m, 0.6, b, r, z);
    }
};

/// Matrices of multigrid in every storage type, in slices and in rows.
template <class V, class I>
void store(const Runner& runner, const Csr<V, I>& a)
{
    using detail::Layout;
    using Stored = detail::StoredMatrix<V, I>;
    const auto& exec = runner.executor();
    const auto n = a.size().rows;
    const auto ones = Array<real_t<V>>(exec, std::vector<real_t<V>>(static_cast<std::size_t>(n), real_t<V>{1}));
    const auto b = random_block<V>(exec, {n, 2}, runner.seed() + 2);
    const auto r = random_block<V>(exec, {n, 2}, runner.seed() + 3);
    auto z = random_block<V>(exec, {n, 2}, runner.seed() + 4);
    Array<V> inverses(exec, n);
    multigrid_invert_sums<V>(exec, n, ones.data(), inverses.data());
    const StoredProducts<V, I> multiply{exec, ones.data(), b.view(), r.view(), z.view()};
    std::vector<StoragePrecision> precisions{StoragePrecision::same};
    if constexpr (sizeof(I) == 4) {
        precisions.push_back(StoragePrecision::single);
        if constexpr (!is_complex<V>) {
            precisions.push_back(StoragePrecision::half);
        }
    }
    for (const auto precision : precisions) {
        for (const auto layout : {Layout::slices, Layout::rows}) {
            Stored stored(exec, a.view(), layout, precision);
            Array<I> marks(exec, a.size().rows);
            stored.fill_columns();
            stored.fill({a.view(), ones.data(), ones.data()}, marks.data());
            Stored::with_views(multiply, stored);
            Stored::find_columns({&stored});
            Stored::with_views(multiply, stored);
            if constexpr (sizeof(I) == 4) {
                if (layout == Layout::slices && stored.find_offsets_with_gaps()) {
                    stored.fill({a.view(), ones.data(), ones.data()}, marks.data());
                    Stored::with_views(multiply, stored);
                }
            }
        }
    }
}

/// Both ends of a cycle by stencils, which are valid or not; methods meet these above 262144 rows.
template <class V, class I>
void meet_stencils(const Runner& runner, const Csr<V, I>& a)
{
    const auto& exec = runner.executor();
    const Dim size{a.size().rows, 2};
    const Array<real_t<V>> scales(
        exec, std::vector<real_t<V>>(static_cast<std::size_t>(size.rows), static_cast<real_t<V>>(0.5)));
    const ScaledView<V, I> scaled{a.view(), scales.data(), scales.data()};
    detail::StencilSearch<V, I> search(exec, scaled, 512);
    search.search(scaled);
    if (!search.has_stencils()) {
        return;
    }
    const Array<std::int64_t> invalid(exec, std::vector<std::int64_t>{0});
    const auto b = random_block<V>(exec, size, runner.seed() + 5);
    for (const auto* const are_valid : {search.are_valid(), invalid.data()}) {
        const ScaledStencils<V, I> stencils{search.view(), search.left(), search.entering(), are_valid, scaled};
        for_each_stencil_cycle([&]<class U, class W, class J>() {
            if constexpr (std::is_same_v<V, W> && std::is_same_v<I, J>) {
                const auto outside = Dense<U>::filled(exec, size, U{1});
                auto x = outside.copy(exec);
                auto r = Dense<V>::filled(exec, size, V{}), t = r.copy(exec);
                stencil_cycle_enter<U, V, I>(exec, stencils, 0.6, outside.view(), r.view(), t.view());
                Array<U> sums(exec, 2 * size.cols);
                auto workspace = ReductionWorkspace::for_values<U>(exec, 2 * size.cols);
                for (U* const wx : {static_cast<U*>(nullptr), sums.data()}) {
                    stencil_cycle_leave<U, V, I>(exec, stencils, 0.5, 0.6, b.view(), std::as_const(t).view(), x.view(),
                                                 {outside.view(), wx, sums.data() + size.cols, workspace.view()});
                }
            }
        });
    }
}

/// Blocks of a grid, and the product of rows that are copies; methods meet these from 16384 rows on, and from 262144.
template <class V, class I>
void multiply_on_grid(const Runner& runner)
{
    const auto& exec = runner.executor();
    const Csr<V, I> a(exec, problem<V, I>("lap2d:40"));
    const auto n = a.size().rows;
    const GridBlocks blocks{{{40, 40, 1}}, {{13, 13, 1}}, {3, 3, 1}};
    Array<std::int64_t> offsets(exec, 20 * 8);
    grid_sample<I>(exec, a.view(), 20, 8, offsets.data());
    const Array<real_t<V>> largest(exec, std::vector<real_t<V>>(static_cast<std::size_t>(n), real_t<V>{1}));
    Array<std::int64_t> counts(exec, num_grid_flags);
    detail::count_grid_flags(a, largest, 0.4, blocks.fine, 100, counts.data());

    Array<I> row_ptrs(exec, n + 1), aggregates(exec, n);
    grid_aggregates<I>(exec, blocks, aggregates.data());
    std::vector<I> ends(static_cast<std::size_t>(n + 1));
    std::iota(ends.begin(), ends.end(), I{0});
    const Csr<V, I> members(exec, {n, blocks.coarse.size()}, Array<I>(exec, ends), std::move(aggregates),
                            Array<V>(exec, std::vector<V>(static_cast<std::size_t>(n), V{1})));
    const auto p = multiply(a, members);
    const auto r = conjugate_transpose(p);
    const ScaledView<V, I> plain{a.view(), nullptr, nullptr};
    detail::StencilSearch<V, I> stencils(exec, plain, 512);
    stencils.search(plain);
    detail::GridProduct<V, I> product(exec, detail::window_of(blocks, {1, 1, 1}));
    product.search(r, a, p, {stencils.view().stencils, stencils.are_valid()});
    if (!product.accept(product.found().to_host().data())) {
        throw Error("no row of a product on a grid is a copy");
    }
    auto c = product.take();
    const Array<std::int64_t> invalid(exec, std::vector<std::int64_t>{0});
    for (const auto* const are_valid : {stencils.are_valid(), invalid.data()}) {
        exec.state().fill_zero(c.values(), static_cast<std::size_t>(c.num_nonzeros()) * sizeof(V));
        product.compute(r, a, p, {stencils.view().stencils, are_valid}, c);
    }
}

/// Entries above a threshold; methods meet these where rows are sampled, above 4096 of them.
template <class V, class I>
void take_large(const Runner& runner, const Csr<V, I>& a)
{
    using R = real_t<V>;
    const auto& exec = runner.executor();
    const auto n = a.size().rows;
    const Array<R> scales(exec, std::vector<R>(static_cast<std::size_t>(n), R{0.5}));
    for (const R bound : {R{-1}, R{0.4}, std::numeric_limits<R>::infinity()}) {
        const Array<R> threshold(exec, std::vector<R>{bound});
        Array<I> row_ptrs(exec, n + 1);
        parilut_count_large<V, I>(exec, a.view(), scales.data(), threshold.data(), row_ptrs.data());
        const auto count = detail::make_row_ptrs(row_ptrs, "the entries");
        Array<I> col_idxs(exec, count);
        Array<V> values(exec, count);
        parilut_take_large<V, I>(exec, a.view(), scales.data(), threshold.data(),
                                 {row_ptrs.data(), col_idxs.data(), values.data()});
    }
}

/// Entries that are large in their rows, and colourings with conflicts, into memory that says nothing yet: what further
/// types do with these may leave what was there.
template <class V, class I>
void judge_rows(const Runner& runner, const Csr<V, I>& a)
{
    const auto& exec = runner.executor();
    const auto n = a.size().rows;
    Array<I> row_ptrs(exec, n + 1);
    multigrid_count_large<V, I>(exec, a.view(), 0.5, row_ptrs.data());
    const auto count = static_cast<std::size_t>(detail::make_row_ptrs(row_ptrs, "the entries"));
    Array<I> col_idxs(exec, std::vector<I>(count, I{-1}));
    multigrid_take_large<V, I>(exec, a.view(), 0.5, row_ptrs.data(), col_idxs.data());
    for (const I colour : {I{0}, I{2}}) {
        const Array<I> colours(exec, std::vector<I>(static_cast<std::size_t>(n), colour));
        Array<size_type> num_conflicts(exec, std::vector<size_type>{-1});
        colouring_validate<I>(exec, a.view(), 2, colours.data(), num_conflicts.data());
    }
}

/// Triangles in lower precision, which methods store with columns of 32 bits on hosts.
template <class V, class I>
void fill_triangles(const Runner& runner, const Csr<V, I>& a)
{
    const auto& exec = runner.executor();
    const auto n = a.size().rows;
    const auto row_ptrs = a.to_host().row_ptrs;
    I width = 0;
    for (std::size_t row = 0; row + 1 < row_ptrs.size(); ++row) {
        width = std::max<I>(width, row_ptrs[row + 1] - row_ptrs[row]);
    }
    const SellLayout<I> layout{n, n, n, width};
    const Array<V> factors(exec, Numbers(runner.seed()).values<V>(n));
    for_each_lower_storage<V>([&]<class S>() {
        Array<I> col_idxs(exec, n * width);
        Array<S> stored(exec, n * width);
        sweep_fill_triangle<V, S, I>(exec, {.a = a.view(), .side = Side::lower, .row_factors = factors.data()}, 0,
                                     layout, col_idxs.data(), stored.data());
    });
}

/// Sweeps in place over several blocks of rows, with pivots that are judged; small problems have one block.
template <class V, class I>
void sweep_in_place(const Runner& runner, const Csr<V, I>& a)
{
    using R = real_t<V>;
    const auto& exec = runner.executor();
    const auto n = a.size().rows;
    const auto pattern = detail::pattern_without_fill<I>(exec, a.view(), false);
    const auto count = pattern.col_idxs.size();
    const Array<V> from(exec, Numbers(runner.seed() + 1).values<V>(count));
    Array<V> s(exec, Numbers(runner.seed()).values<V>(count)), inverses(exec, n), values(exec, count);
    Array<I> diagonal(exec, n);
    Array<R> scales(exec, n);
    const Array<R> norms(exec, std::vector<R>(static_cast<std::size_t>(n), R{1}));
    Array<PivotReport> report(exec, 1);
    pattern_find_diagonal<I>(exec, pattern.view(), diagonal.data());
    for (const bool is_hermitian : {false, true}) {
        parilut_check_pivots<V, I>(exec, n, diagonal.data(), norms.data(), is_hermitian, s.data(),
                                   {inverses.data(), scales.data(), report.data()});
        const CsrView<V, I> view{n, n, count, pattern.row_ptrs.data(), pattern.col_idxs.data(), s.data()};
        parilut_sweep_in_place<V, I>(exec, {view, diagonal.data(), inverses.data(), scales.data()}, from.data(),
                                     {norms.data(), is_hermitian}, 32, values.data());
    }
}

/// Four parts, and rows that separate some of them.
template <class V>
void dissect(const Runner& runner, size_type part, size_type separators)
{
    const auto& exec = runner.executor();
    const auto size = 4 * part + separators;
    std::vector<std::int32_t> order;
    std::vector<ColumnRange> ranges;
    for (size_type i = 0; i < size; ++i) {
        order.push_back(static_cast<std::int32_t>((i + 5) % size));
        const size_type first = i < 4 * part ? i / part : i % 2 * 2;
        const size_type last = i < 4 * part ? first + 1 : 4 - i % 3;
        ranges.push_back({static_cast<std::int32_t>(first * part), static_cast<std::int32_t>(last * part)});
    }
    const Array<V> values(exec, Numbers(runner.seed()).values<V>(size * size));
    const Array<std::int32_t> on_exec(exec, order);
    const Array<ColumnRange> ranges_on_exec(exec, ranges);
    const NestedDissectionView<V> view{size, 4 * part, values.data(), on_exec.data(), ranges_on_exec.data()};
    for (const size_type cols : {size_type{1}, size_type{3}}) {
        const auto b = random_block<V>(exec, {size, cols}, runner.seed() + 1);
        auto t = Dense<V>::filled(exec, {separators, cols}, V{});
        auto x = Dense<V>::filled(exec, {size, cols}, V{});
        nested_dissection_gather<V>(exec, view, b.view(), t.view());
        nested_dissection_expand<V>(exec, view, b.view(), std::as_const(t).view(), x.view());
    }
}

/// Products where a few rows are far longer than others: devices split entries there, not rows.
template <class V, class I>
void multiply_uneven(const Runner& runner)
{
    constexpr I n = 10'000, step = 100, longest = 200;
    CsrData<V, I> uneven{{n, n}, {0}, {}, {}};
    for (I row = 0; row < n; ++row) {
        const I length = row % step == 0 ? longest : 1;
        for (I k = 0; k < length; ++k) {
            uneven.col_idxs.push_back(static_cast<I>(std::min<I>(row, n - longest) + k));
        }
        uneven.row_ptrs.push_back(static_cast<I>(uneven.col_idxs.size()));
    }
    uneven.values = Numbers(runner.seed()).values<V>(static_cast<size_type>(uneven.col_idxs.size()));
    const auto& exec = runner.executor();
    const Csr<V, I> a(exec, uneven);
    for (const size_type cols : {size_type{1}, size_type{3}}) {
        auto x = Dense<V>::filled(exec, {n, cols}, V{});
        a.apply(random_block<V>(exec, {n, cols}, runner.seed()), x);
    }
}

/// A series over triangles whose columns are too far apart for 16 bits.
template <class V, class I>
void add_terms(const Runner& runner)
{
    const auto& exec = runner.executor();
    const auto a = share(Csr<V, I>(exec, problem<V, I>("random:70000:3:1")));
    std::vector<std::string> precisions{"same"};
    if constexpr (sizeof(I) == 4 && sizeof(real_t<V>) == 8) {
        precisions.emplace_back("single");
    }
    if constexpr (sizeof(I) == 4 && !is_complex<V>) {
        precisions.emplace_back("half");
    }
    const auto b = random_block<V>(exec, {a->size().rows, 1}, runner.seed());
    auto x = Dense<V>::filled(exec, b.size(), V{});
    for (const auto& precision : precisions) {
        const auto text = R"({"type": "Neumann", "storage": ")" + precision + R"("})";
        config::parse_factory<V>(text, "a series")->make(a)->apply(b, x);
    }
}

/// Whole solves by all of a device, where a part of it does not hold the vectors, with rows and with stencils.
template <class V, class I>
void solve_whole(const Runner& runner)
{
    const auto& exec = runner.executor();
    const auto* const spec = sizeof(V) == 4 ? "lap2d:500" : sizeof(V) == 8 ? "lap2d:360" : "lap2d:260";
    const auto a = share(Csr<V, I>(exec, problem<V, I>(spec)));
    const auto b = random_block<V>(exec, {a->size().rows, 1}, runner.seed());
    const auto cg = config::parse_factory<V>(R"({"type": "Cg", "stop": {"max_iterations": 5}})", "a whole solve");
    const LinOpPtr<V> by_stencils = share(Formatted<V>(a, share(Stencil<V, I>::from_csr(*a))));
    for (const auto& matrix : {LinOpPtr<V>(a), by_stencils}) {
        auto x = Dense<V>::filled(exec, b.size(), V{});
        cg->make(matrix)->apply(b, x);
    }
}

/// Products whose rows are added entry by entry, of one vector and of three.
template <class V, class I>
void multiply_in_order(const Runner& runner, const Csr<V, I>& a)
{
    for (const size_type cols : {1, 3}) {
        const auto b = random_block<V>(runner.executor(), {a.size().cols, cols}, runner.seed());
        auto x = Dense<V>::filled(runner.executor(), {a.size().rows, cols}, V{1});
        csr_spmv_in_order<V, I>(runner.executor(), a.view(), V{2}, b.view(), V{-1}, x.view());
    }
}

/// Blocks meet, twice in one workspace: the second time they count on from where the first ended.
void meet(const Executor& exec)
{
    Array<std::int32_t> met(exec, 1);
    Array<std::byte> workspace(exec, persistent_header_bytes);
    exec.state().fill_zero(workspace.data(), persistent_header_bytes);
    for (const std::int32_t count : {1, 100}) {
        limits_meet(exec, count, met.data(), {workspace.data(), workspace.size()});
    }
}

}  // namespace

template <class V, class I>
void drive_kernels(Runner& runner)
{
    const auto type = ", " + std::string(name(value_type_of<V>));
    const auto& exec = runner.executor();
    const auto seed = ":" + std::to_string(runner.seed());
    const Csr<V, I> grid(exec, problem<V, I>("lap2d:11"));
    runner.run("rounds of a search for aggregates" + type, [&] { search_in_rounds<I>(runner, grid.view()); });
    for (const auto& spec : {std::string("lap2d:11"), "powerlaw:301:5" + seed}) {
        const auto on = " of " + spec + type;
        const auto data = problem<V, I>(spec);
        runner.run("named rows" + on, [&] { name_rows(runner, Csr<V, I>(exec, data)); });
        runner.run("states of other ranks' rows" + on, [&] { exchange_states<I>(runner, data.size.rows); });
        runner.run("stored matrices" + on, [&] { store(runner, Csr<V, I>(exec, data)); });
        runner.run("large entries" + on, [&] { take_large(runner, Csr<V, I>(exec, data)); });
        runner.run("rows judged" + on, [&] { judge_rows(runner, Csr<V, I>(exec, data)); });
        runner.run("triangles in lower precision" + on, [&] { fill_triangles(runner, Csr<V, I>(exec, data)); });
        runner.run("products in order" + on, [&] { multiply_in_order(runner, Csr<V, I>(exec, data)); });
        runner.run("blocks swept in place" + on, [&] { sweep_in_place(runner, Csr<V, I>(exec, data)); });
    }
    runner.run("both ends of a cycle by stencils" + type, [&] { meet_stencils(runner, grid); });
    runner.run("a product on a grid" + type, [&] { multiply_on_grid<V, I>(runner); });
    runner.run("columns taken up again" + type, [&] { resume<V>(runner); });
    runner.run("columns corrected and broken" + type, [&] { correct<V>(runner); });
    runner.run("a restarted solve" + type, [&] { restart<V, I>(runner); });
    runner.run("inverses by nested dissection" + type, [&] {
        dissect<V>(runner, 1, 1);
        dissect<V>(runner, 33, 17);
    });
    if (limits_meet.available(exec.backend())) {
        runner.run("blocks that meet" + type, [&] { meet(exec); });
    }
    if (exec.is_host()) {
        return;  // it does the same for matrices of any size
    }
    runner.run("a product with long rows" + type, [&] { multiply_uneven<V, I>(runner); });
    runner.run("a series of long columns" + type, [&] { add_terms<V, I>(runner); });
    if (!is_emulation(exec)) {
        runner.run("a whole solve" + type, [&] { solve_whole<V, I>(runner); });
    }
}

}  // namespace linden::validation
