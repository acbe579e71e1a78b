#include <linden/matrix/compact_sell.hpp>
#include <linden/matrix/dense.hpp>

#include <complex>
#include <optional>

#include "core/kernels/sell.hpp"
#include "core/matrix/sell_parameters.hpp"
#include "core/matrix/sell_pattern.hpp"

// needs: int32
// instantiate: class CompactSell<V>

namespace linden {
namespace {

using I = std::int32_t;

template <class V>
using single_t = std::conditional_t<is_complex<V>, std::complex<float>, float>;

/// The offsets of a matrix's column indices from the bases of their columns.
struct Compressed {
    Array<I> bases;
    Array<std::uint16_t> offsets;
    Array<I> spans;
    size_type num_wide;  ///< columns whose offsets need more than 16 bits
};

Compressed compress(const detail::SellPattern<I>& pattern)
{
    const auto& exec = pattern.col_idxs.executor();
    const auto n = pattern.num_columns;
    Compressed c{Array<I>(exec, n), Array<std::uint16_t>(exec, pattern.num_entries()), Array<I>(exec, n), 0};
    formats_compress_sell(exec, pattern.slice_rows, n, pattern.col_idxs.data(), c.bases.data(), c.offsets.data(),
                          c.spans.data());
    Array<I> marks(exec, n + 1);
    formats_mark_wide(exec, n, c.spans.data(), marks.data());
    c.num_wide = detail::make_row_ptrs(marks, "the columns");
    return c;
}

/// @throws InvalidParameter naming the first row whose offset does not fit. Reads the pattern to the host.
[[noreturn]] void refuse(const detail::SellPattern<I>& pattern, const Compressed& compressed)
{
    const auto cols = pattern.col_idxs.to_host();
    const auto slice_ptrs = pattern.slice_ptrs.to_host();
    const auto order = pattern.row_order.to_host();
    const auto bases = compressed.bases.to_host();
    const auto spans = compressed.spans.to_host();
    std::size_t column = 0;
    while (spans[column] <= 0xFFFE) {
        ++column;
    }
    const auto c = static_cast<size_type>(column);
    size_type place = 0;
    while (cols[static_cast<std::size_t>(c * pattern.slice_rows + place)] - bases[column] != spans[column]) {
        ++place;
    }
    const auto slice = std::upper_bound(slice_ptrs.begin(), slice_ptrs.end(), c) - slice_ptrs.begin() - 1;
    const auto position = slice * pattern.slice_rows + place;
    const size_type row = order.empty() ? position : order[static_cast<std::size_t>(position)];
    throw InvalidParameter("index_bits", "16",
                           "32: row " + std::to_string(row) + " has an entry " + std::to_string(spans[column]) +
                               " columns right of the leftmost beside it, 16 bits hold up to 65534");
}

template <class V>
void check(const typename CompactSell<V>::Parameters& p)
{
    detail::check_slice_rows(p.slice_rows);
    detail::check_sigma(p.sigma);
    if (p.index_bits != 16 && p.index_bits != 32) {
        throw InvalidParameter("index_bits", std::to_string(p.index_bits), "16 or 32");
    }
    if (is_complex<V> && p.storage == StoragePrecision::half) {
        throw InvalidParameter("storage", "half", "same or single for complex values");
    }
}

}  // namespace

template <class V>
CompactSell<V>::CompactSell(const Executor& exec, Dim size)
    : LinOp<V>(exec, size),
      pattern_(exec),
      bases_(exec),
      offsets_(exec),
      values_(exec)
{
}

/// Calls f.operator()<S>() for the type of the stored values.
template <class V>
template <class F>
void CompactSell<V>::with_storage(F&& f) const
{
    if (parameters_.storage == StoragePrecision::same) {
        f.template operator()<V>();
    } else if (parameters_.storage == StoragePrecision::single) {
        f.template operator()<single_t<V>>();
    } else if constexpr (!is_complex<V>) {
        f.template operator()<half>();
    }
}

/// Calls f(view) with the matrix in the types that it is stored in.
template <class V>
template <class F>
void CompactSell<V>::with_view(F&& f) const
{
    with_storage([&]<class S>() {
        const auto layout = pattern_.layout(this->size());
        const auto* const values = reinterpret_cast<const S*>(values_.data());
        if (parameters_.index_bits == 16) {
            f(SellView<S, std::uint16_t>{layout, offsets_.data(), values, bases_.data()});
        } else {
            f(SellView<S, I>{layout, pattern_.col_idxs.data(), values});
        }
    });
}

template <class V>
CompactSell<V> CompactSell<V>::from_csr(const Csr<V, I>& matrix, Parameters parameters)
{
    check<V>(parameters);
    const auto& exec = matrix.executor();
    CompactSell result(exec, matrix.size());
    result.parameters_ = parameters;
    result.num_nonzeros_ = matrix.num_nonzeros();
    result.pattern_ = detail::make_slices<I>(exec, matrix.view(), parameters.slice_rows, parameters.sigma);
    detail::check_fill("CompactSell", result.num_entries(), matrix.num_nonzeros(), matrix.size().rows,
                       parameters.max_fill);
    result.with_storage([&]<class S>() {
        result.values_.resize(result.num_entries() * static_cast<size_type>(sizeof(S)));
        detail::fill_sell(result.pattern_, matrix, reinterpret_cast<S*>(result.values_.data()));
    });
    if (parameters.index_bits == 16) {
        result.compress();
    }
    return result;
}

template <class V>
void CompactSell<V>::compress()
{
    auto compressed = linden::compress(pattern_);
    if (compressed.num_wide != 0) {
        refuse(pattern_, compressed);
    }
    bases_ = std::move(compressed.bases);
    offsets_ = std::move(compressed.offsets);
    pattern_.col_idxs = Array<I>(this->executor());
}

template <class V>
bool CompactSell<V>::fits16(const Csr<V, I>& matrix, Parameters parameters)
{
    check<V>(parameters);
    const auto& exec = matrix.executor();
    auto pattern = detail::make_slices<I>(exec, matrix.view(), parameters.slice_rows, parameters.sigma);
    Array<size_type> map(exec, pattern.num_entries());
    detail::fill_sell<I>(pattern, matrix.view(), map.data());
    return linden::compress(pattern).num_wide == 0;
}

/// The pattern with column indices of 32 bits.
template <class V>
detail::SellPattern<std::int32_t> CompactSell<V>::expanded() const
{
    auto pattern = pattern_.clone(this->executor());
    if (parameters_.index_bits == 16) {
        pattern.col_idxs.resize(pattern.num_entries());
        formats_expand_sell(this->executor(), pattern.slice_rows, pattern.num_columns, bases_.data(), offsets_.data(),
                            pattern.col_idxs.data());
    }
    return pattern;
}

template <class V>
Csr<V, std::int32_t> CompactSell<V>::to_csr() const
{
    std::optional<Csr<V, I>> result;
    with_storage([&]<class S>() {
        result = detail::sell_to_csr<V, I>(this->size(), expanded(), reinterpret_cast<const S*>(values_.data()));
    });
    return std::move(*result);
}

template <class V>
std::unique_ptr<LinOp<V>> CompactSell<V>::clone(const Executor& exec) const
{
    return std::make_unique<CompactSell>(copy(exec));
}

template <class V>
CompactSell<V> CompactSell<V>::copy(const Executor& exec) const
{
    CompactSell result(exec, this->size());
    result.parameters_ = parameters_;
    result.num_nonzeros_ = num_nonzeros_;
    result.pattern_ = pattern_.clone(exec);
    result.bases_ = bases_.clone(exec);
    result.offsets_ = offsets_.clone(exec);
    result.values_ = values_.clone(exec);
    return result;
}

template <class V>
void CompactSell<V>::update_values(LinOpPtr<V> matrix)
{
    detail::with_new_values<V, I>(*this, num_nonzeros_, std::move(matrix), [&](const Csr<V, I>& csr) {
        auto pattern = pattern_.clone(this->executor());
        with_storage([&]<class S>() { detail::fill_sell(pattern, csr, reinterpret_cast<S*>(values_.data())); });
    });
}

template <class V>
void CompactSell<V>::apply_impl(const Dense<V>& b, Dense<V>& x) const
{
    apply_impl(V{1}, b, V{}, x);
}

template <class V>
void CompactSell<V>::apply_impl(Scalar<V> alpha, const Dense<V>& b, Scalar<V> beta, Dense<V>& x) const
{
    with_view([&]<class S, class J>(const SellView<S, J>& view) {
        sell_spmv<V, S, J>(this->executor(), view, alpha, b.view(), beta, x.view());
    });
}

template <class V>
void CompactSell<V>::apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const
{
    with_view([&]<class S, class J>(const SellView<S, J>& view) {
        sell_spmv_dot<V, S, J>(this->executor(), view, b.view(), x.view(), dots.w.view(), dots.wx, dots.xx,
                               dots.workspace);
    });
}

}  // namespace linden
