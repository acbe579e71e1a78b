#include <linden/composition.hpp>
#include <linden/matrix/automatic_format.hpp>
#include <linden/matrix/multiply.hpp>
#include <linden/matrix/operations.hpp>
#include <linden/matrix/statistics.hpp>
#include <linden/matrix/validate.hpp>
#include <linden/reorder/colouring.hpp>
#include <linden/reorder/cuthill_mckee.hpp>
#include <linden/reorder/matching.hpp>
#include <linden/ritz.hpp>
#include <linden/solver/deflated_cg.hpp>

#include <algorithm>
#include <numeric>

#include "core/validation/cases.hpp"
#include "core/validation/runner.hpp"

// instantiate: void validation::drive_algebra<V, I>(validation::Runner&)

namespace linden::validation {
namespace {

/// An order of n rows.
template <class I>
std::vector<I> shuffled(size_type n, std::uint64_t seed)
{
    std::vector<I> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), I{0});
    Numbers numbers(seed);
    for (auto i = order.size(); i > 1; --i) {
        const auto other = static_cast<std::size_t>((numbers.next() + 1) / 2 * static_cast<double>(i));
        std::swap(order[i - 1], order[std::min(other, i - 1)]);
    }
    return order;
}

template <class V, class I>
void rearrange(const Runner& runner, const Csr<V, I>& a)
{
    (void)transpose(a);
    updatable_conjugate_transpose(a).update(a);
    (void)sort_rows(a);
    (void)lower_triangle(a);
    (void)upper_triangle(a, Triangle::without_diagonal);
    (void)submatrix(a, {a.size().rows / 4, a.size().rows / 2}, {0, a.size().cols / 2});
    (void)absolute(a);
    const Permutation<V, I> p(runner.executor(), shuffled<I>(a.size().rows, runner.seed()));
    (void)permute_rows(a, p);
    (void)permute_columns(a, p);
    (void)permute_symmetric(a, p);
    auto b = a.copy();
    const auto d = extract_diagonal(a);
    scale_rows(d, b);
    scale_columns(b, d);
    (void)d.inverse();
    (void)add_scaled_identity(V{2}, a, V{-1});
    (void)add_scaled_identity(V{2}, lower_triangle(a, Triangle::without_diagonal), V{-1});
}

template <class V, class I>
void combine(const Csr<V, I>& a)
{
    const auto t = transpose(a);
    (void)galerkin_product(t, a, a);
    MultiplyPlan<V, I> product(a, t);
    auto c = product.result();
    product.compute(a, t, c);
    const AddPlan<V, I> sum(a, t);
    auto s = sum.result();
    sum.compute(V{2}, a, V{-1}, t, s);
}

template <class V, class I>
void assemble_again(const Runner& runner, const CsrData<V, I>& data)
{
    const auto triplets = to_coo(data);
    const auto order = shuffled<I>(triplets.num_entries(), runner.seed() + 1);
    std::vector<I> rows, cols;
    std::vector<V> values;
    for (const auto k : order) {
        const auto at = static_cast<std::size_t>(k);
        for (int times = 0; times < 1 + k % 2; ++times) {  // some twice, to be summed
            rows.push_back(triplets.rows[at]);
            cols.push_back(triplets.cols[at]);
            values.push_back(triplets.values[at]);
        }
    }
    const auto& exec = runner.executor();
    (void)assemble(exec, data.size, Array<I>(exec, rows), Array<I>(exec, cols), Array<V>(exec, values));
}

/// An auction that leaves rows: all of them have the same column alone.
template <class V, class I>
void leave_rows(const Executor& exec)
{
    constexpr int n = 5;
    std::vector<I> row_ptrs(n + 1);
    std::iota(row_ptrs.begin(), row_ptrs.end(), I{0});
    const Csr<V, I> a(exec, {n, n}, Array<I>(exec, row_ptrs), Array<I>(exec, std::vector<I>(n, I{2})),
                      Array<V>(exec, std::vector<V>(n, V{1})));
    (void)approximate_product_matching(a);
}

/// Two pairs of rows, each a part of the graph by itself, for orders that are found part by part.
template <class V, class I>
void order_parts(const Executor& exec)
{
    const std::vector<I> row_ptrs{0, 2, 4, 6, 8};
    const std::vector<I> col_idxs{0, 1, 0, 1, 2, 3, 2, 3};
    const Csr<V, I> a(exec, {4, 4}, Array<I>(exec, row_ptrs), Array<I>(exec, col_idxs),
                      Array<V>(exec, std::vector<V>(8, V{1})));
    (void)reverse_cuthill_mckee(a);
}

/// What is found in the graph, or in the numbers, of a matrix.
template <class V, class I>
void look_at(const Runner& runner, const Csr<V, I>& a)
{
    (void)statistics(a);
    (void)validate(a);
    (void)reverse_cuthill_mckee(a);
    order_parts<V, I>(a.executor());
    (void)maximum_product_matching(a);
    (void)approximate_product_matching(a);
    leave_rows<V, I>(a.executor());
    for (const auto algorithm : {ColouringAlgorithm::greedy, ColouringAlgorithm::jones_plassmann}) {
        for (const size_type block_rows : {size_type{1}, size_type{4}}) {
            const auto colouring =
                find_colouring(a, {.algorithm = algorithm, .balance = true, .block_rows = block_rows});
            (void)is_valid(colouring, a);
        }
    }
    (void)maximal_independent_set(a, 1, static_cast<size_type>(runner.seed()));
    (void)maximal_independent_set(a, 2);
    (void)automatic_format<V>(share(a.copy()));
}

/// What only C++ can name: deflation by given domains, by a sparse basis and by a dense one; and more vectors than are
/// worth a dense inverse.
template <class V, class I>
void deflate(const Runner& runner, size_type grid)
{
    const auto& exec = runner.executor();
    const auto matrix = share(Csr<V, I>(exec, problem<V, I>("lap2d:" + std::to_string(grid))));
    const auto n = matrix->size().rows;
    const auto b = random_block<V>(exec, {n, 1}, runner.seed());
    const auto solve = [&](const Deflation<V>& deflation) {
        typename DeflatedCg<V>::Parameters parameters;
        parameters.deflation = deflation;
        parameters.stop.max_iterations = 8;
        auto x = Dense<V>::filled(exec, {n, 1}, V{});
        DeflatedCg<V>::factory(parameters).generate(matrix)->solve(b, x);
    };
    std::vector<I> domains(static_cast<std::size_t>(n));
    CsrData<V, I> basis{{n, 4}, {0}, {}, std::vector<V>(static_cast<std::size_t>(n), V{1})};
    for (size_type i = 0; i < n; ++i) {
        domains[static_cast<std::size_t>(i)] = static_cast<I>(i % 4);
        basis.row_ptrs.push_back(static_cast<I>(i + 1));
    }
    basis.col_idxs = domains;
    Deflation<V> deflation;
    deflation.vectors = 4;
    deflation.domain_array = std::make_shared<const Array<I>>(exec, domains);
    solve(deflation);
    Deflation<V> sparse;
    sparse.sparse_basis = share(Csr<V, I>(exec, basis));
    solve(sparse);
    Deflation<V> dense;
    dense.basis = std::make_shared<const Dense<V>>(random_block<V>(exec, {n, 4}, runner.seed() + 1));
    solve(dense);
    Deflation<V> boxes;
    boxes.kind = DeflationKind::boxes;
    boxes.nx = boxes.ny = grid;
    boxes.boxes_x = boxes.boxes_y = grid / 2;
    solve(boxes);
}

}  // namespace

template <class V, class I>
void drive_algebra(Runner& runner)
{
    std::vector<std::string> specs{"lap2d:11"};
    if (runner.level() > 1) {
        const auto seed = ":" + std::to_string(runner.seed());
        for (const char* spec : {"random:1:1", "random:33:4", "random:597:5", "powerlaw:601:5"}) {
            specs.push_back(spec + seed);
        }
    }
    for (const auto& spec : specs) {
        const auto data = problem<V, I>(spec);
        const auto& exec = runner.executor();
        const auto on = " " + spec + ", " + std::string(name(value_type_of<V>));
        runner.run("rearrangements of" + on, [&] { rearrange(runner, Csr<V, I>(exec, data)); });
        runner.run("sums and products of" + on, [&] { combine(Csr<V, I>(exec, data)); });
        runner.run("assembly of" + on, [&] { assemble_again(runner, data); });
        runner.run("graph of" + on, [&] { look_at(runner, Csr<V, I>(exec, data)); });
    }
    runner.run("deflation, " + std::string(name(value_type_of<V>)),
               [&] { deflate<V, I>(runner, runner.level() > 1 ? 40 : 12); });
    runner.run("Ritz vectors, " + std::string(name(value_type_of<V>)), [&] {
        const Csr<V, I> a(runner.executor(), problem<V, I>("lap2d:11"));
        (void)ritz_vectors<V>(a, nullptr, random_block<V>(runner.executor(), {a.size().rows, 1}, runner.seed()), 20, 3);
    });
}

}  // namespace linden::validation
