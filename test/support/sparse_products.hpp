#pragma once

#include "core/kernels/spgeam.hpp"
#include "core/kernels/spgemm.hpp"
#include "core/matrix/row_pointers.hpp"
#include "test/support/kernel_cases.hpp"

/// Products and sums of sparse matrices by their kernels, and the operands that are tried.
namespace linden::test {

template <class V, class I>
struct Pair {
    CsrData<V, I> a, b;
};

/// The workspace for A B, filled with ones.
template <class V, class I>
Array<std::byte> product_workspace(const Csr<V, I>& a, const Csr<V, I>& b, size_type num_nonzeros)
{
    size_type bytes = 0;
    spgemm_workspace<I>(a.executor(), a.view(), b.view(), num_nonzeros, &bytes);
    return Array<std::byte>(a.executor(), std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{0xFF}));
}

/// The row pointers of A B. `workspace` is left for the columns.
template <class V, class I>
Array<I> product_row_ptrs(const Csr<V, I>& a, const Csr<V, I>& b, Array<std::byte>& workspace)
{
    Array<I> row_ptrs(a.executor(), a.size().rows + 1);
    spgemm_count<I>(a.executor(), a.view(), b.view(), row_ptrs.data(), {workspace.data(), workspace.size()});
    linden::detail::make_row_ptrs(row_ptrs, "product");
    return row_ptrs;
}
template <class V, class I>
Array<I> product_row_ptrs(const Csr<V, I>& a, const Csr<V, I>& b)
{
    auto workspace = product_workspace(a, b, 0);
    return product_row_ptrs(a, b, workspace);
}

/// The pattern of A B; its values are not those of the product.
template <class V, class I>
Csr<V, I> product_pattern(const Csr<V, I>& a, const Csr<V, I>& b)
{
    const auto& exec = a.executor();
    auto workspace = product_workspace(a, b, 0);
    auto row_ptrs = product_row_ptrs(a, b, workspace);
    Array<I> col_idxs(exec, row_ptrs.to_host().back());
    spgemm_fill<I>(exec, a.view(), b.view(), row_ptrs.data(), col_idxs.data(), {workspace.data(), workspace.size()});
    const std::vector<V> values(static_cast<std::size_t>(col_idxs.size()), V{-7});
    return Csr<V, I>(exec, {a.size().rows, b.size().cols}, std::move(row_ptrs), std::move(col_idxs),
                     Array<V>(exec, values));
}

/// A B.
template <class V, class I>
CsrData<V, I> product_on(const Executor& exec, const Pair<V, I>& operands)
{
    const Csr<V, I> a(exec, operands.a);
    const Csr<V, I> b(exec, operands.b);
    auto c = product_pattern(a, b);
    auto workspace = product_workspace(a, b, c.num_nonzeros());
    spgemm_multiply<V, I>(exec, a.view(), b.view(), c.view(), c.values(), {workspace.data(), workspace.size()});
    return c.to_host();
}

/// A B by the kernels that find columns and values at once, which this executor has.
template <class V, class I>
CsrData<V, I> formed_on(const Executor& exec, const Pair<V, I>& operands)
{
    const Csr<V, I> a(exec, operands.a);
    const Csr<V, I> b(exec, operands.b);
    size_type bytes = 0;
    spgemm_form_workspace<V, I>(exec, a.view(), b.view(), &bytes);
    Array<std::byte> memory(exec, std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte{0xFF}));
    const WorkspaceView workspace{memory.data(), memory.size()};
    Array<I> row_ptrs(exec, a.size().rows + 1);
    spgemm_form<V, I>(exec, a.view(), b.view(), row_ptrs.data(), workspace);
    linden::detail::make_row_ptrs(row_ptrs, "product");
    Array<I> col_idxs(exec, row_ptrs.to_host().back());
    Array<V> values(exec, std::vector<V>(static_cast<std::size_t>(col_idxs.size()), V{-7}));
    spgemm_take<V, I>(exec, a.view(), b.view(), row_ptrs.data(), col_idxs.data(), values.data(), workspace);
    return {{a.size().rows, b.size().cols}, row_ptrs.to_host(), col_idxs.to_host(), values.to_host()};
}

/// The row pointers of alpha A + beta B.
template <class V, class I>
Array<I> sum_row_ptrs(const Csr<V, I>& a, const Csr<V, I>& b)
{
    Array<I> row_ptrs(a.executor(), a.size().rows + 1);
    spgeam_count<I>(a.executor(), a.view(), b.view(), row_ptrs.data());
    linden::detail::make_row_ptrs(row_ptrs, "sum");
    return row_ptrs;
}

/// alpha A + beta B.
template <class V, class I>
CsrData<V, I> sum_on(const Executor& exec, V alpha, V beta, const Pair<V, I>& operands)
{
    const Csr<V, I> a(exec, operands.a);
    const Csr<V, I> b(exec, operands.b);
    auto row_ptrs = sum_row_ptrs(a, b);
    Array<I> col_idxs(exec, row_ptrs.to_host().back());
    Array<V> values(exec, col_idxs.size());
    spgeam_fill<I>(exec, a.view(), b.view(), row_ptrs.data(), col_idxs.data());
    spgeam_add<V, I>(exec, alpha, a.view(), beta, b.view(), row_ptrs.data(), values.data());
    return {a.size(), row_ptrs.to_host(), col_idxs.to_host(), values.to_host()};
}

/// Calls f(pair): nothing, small sizes, every pattern, rows of A B with few and with many products, full rows and
/// columns, rectangular matrices, columns far apart.
template <class V, class I, class F>
void for_each_product_case(Random& random, F&& f)
{
    const auto call = [&](Dim a, size_type mean_a, Pattern pattern_a, size_type cols, size_type mean_b,
                          Pattern pattern_b) {
        SCOPED_TRACE(std::to_string(a.rows) + " x " + std::to_string(a.cols) + " x " + std::to_string(cols) +
                     ", means " + std::to_string(mean_a) + " and " + std::to_string(mean_b));
        f(Pair<V, I>{random_csr<V, I>(random, a, mean_a, pattern_a),
                     random_csr<V, I>(random, {a.cols, cols}, mean_b, pattern_b)});
    };
    for (const size_type n : {0, 1, 31, 32, 33, 597}) {
        call({n, n}, 3, Pattern::uniform, n, 3, Pattern::uniform);
    }
    for (const auto pattern_a : all_patterns) {
        for (const auto pattern_b : all_patterns) {
            call({130, 150}, 4, pattern_a, 170, 5, pattern_b);
        }
    }
    call({40, 60}, 9, Pattern::uniform, 3000, 9, Pattern::uniform);      // medium rows
    call({40, 60}, 9, Pattern::uniform, 3000, 75, Pattern::uniform);     // medium and long rows, too many to be kept
    call({40, 60}, 20, Pattern::uniform, 3000, 75, Pattern::uniform);    // medium rows that become long ones
    call({60, 200}, 30, Pattern::uniform, 40, 9, Pattern::uniform);      // several products to a column
    call({60, 200}, 30, Pattern::uniform, 130, 12, Pattern::uniform);    // the same, more columns than most have
    call({20, 300}, 90, Pattern::uniform, 90, 20, Pattern::uniform);     // the same of long rows of A
    call({30, 100}, 20, Pattern::uniform, 9000, 20, Pattern::uniform);   // long rows, several windows
    call({30, 60}, 12, Pattern::uniform, 120, 80, Pattern::uniform);     // long rows of B, and few more columns
    call({30, 40}, 4, Pattern::uniform, 50, 20, Pattern::uniform);       // few long rows of B
    call({20, 500}, 150, Pattern::uniform, 30, 0, Pattern::dense_row);   // few products of long rows of A
    call({3, 700}, 2, Pattern::dense_row, 20000, 14, Pattern::uniform);  // a row of 20000 products
    call({1, 300}, 300, Pattern::dense_row, 1, 1, Pattern::uniform);     // a row times a column
    call({200, 1}, 1, Pattern::dense_row, 300, 300, Pattern::dense_row);
    call({5, 0}, 0, Pattern::uniform, 7, 0, Pattern::uniform);
    call({3000, 2000}, 5, Pattern::uniform, 400, 4, Pattern::uniform);     // enough for several threads
    call({3000, 2000}, 5, Pattern::uniform, 14, 3, Pattern::uniform);      // the same, few columns
    call({3000, 2000}, 5, Pattern::uniform, 400000, 4, Pattern::uniform);  // more columns than entries
}

}  // namespace linden::test
