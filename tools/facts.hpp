#pragma once

#include <linden/matrix/csr.hpp>
#include <linden/reorder/matching.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <utility>
#include <vector>

namespace linden::tool {

/// The smallest and the largest of some magnitudes; zeros do not count.
struct Range {
    double smallest = std::numeric_limits<double>::infinity();
    double largest = 0;

    void add(double magnitude)
    {
        if (magnitude > 0) {
            smallest = std::min(smallest, magnitude);
            largest = std::max(largest, magnitude);
        }
    }
    /// largest / smallest; 1 where there is nothing.
    double spread() const { return largest > 0 ? largest / smallest : 1; }
};

/// What decides which methods suit a matrix; see MatrixStatistics for its shape.
struct MatrixFacts {
    Dim size;
    bool is_complex = false;
    size_type num_missing_diagonal = 0;   ///< rows without a diagonal entry
    size_type num_zero_diagonal = 0;      ///< with one that is zero
    size_type num_tiny_diagonal = 0;      ///< with one below 1e-8 of the row's largest entry
    size_type num_positive_diagonal = 0;  ///< with one whose real part is positive, or negative
    size_type num_negative_diagonal = 0;
    size_type num_zeros = 0;       ///< entries that are zero
    size_type num_not_finite = 0;  ///< entries that are NaN or infinite; other numbers leave them out
    size_type num_zero_rows = 0;   ///< without a nonzero
    size_type num_zero_columns = 0;
    Range entries;  ///< |a_ij|
    Range rows;     ///< max_j |a_ij| of each row i
    Range columns;  ///< max_i |a_ij| of each column j
    double norm_1 = 0, norm_inf = 0, norm_frobenius = 0;
    double asymmetry = 0;            ///< ||A - A^T||_F / ||A||_F
    double conjugate_asymmetry = 0;  ///< ||A - A^H||_F / ||A||_F
    double constant_image = 0;       ///< ||A 1||_inf / ||A||_inf: 0 if A is singular for the vector of ones
    double column_sum = 0;           ///< ||A^T 1||_inf / ||A||_1: 0 if only vectors that sum to 0 are in A's range
    double rest_column_sum = 1;      ///< the same of the rows whose diagonal is not positive; 1 if there are none
    /// The largest rank of all matrices with these nonzeros; the number of rows unless entries of the diagonal lack.
    size_type structural_rank = 0;

    bool is_square() const { return size.rows == size.cols; }
    size_type num_bad_diagonal() const { return num_missing_diagonal + num_zero_diagonal; }
    /// Up to rounding.
    bool is_hermitian() const { return is_square() && conjugate_asymmetry <= 1e-10; }
    /// Not a proof: Hermitian, with a positive diagonal.
    bool may_be_positive_definite() const { return is_hermitian() && num_positive_diagonal == size.rows; }
    bool is_badly_scaled() const { return std::max(rows.spread(), columns.spread()) > 1e4; }
};

/// Whether columns are worth a scaling for least squares.
inline bool differ_in_units(const Range& columns) { return columns.spread() > 2; }

namespace detail {

/// A power of two near the largest finite magnitude: squares of multiples of it stay in range.
template <class V, class I>
double unit_of(CsrView<V, I> a)
{
    double largest = 0;
    for (size_type k = 0; k < a.num_nonzeros; ++k) {
        const double magnitude = std::abs(a.values[k]);
        largest = std::isfinite(magnitude) ? std::max(largest, magnitude) : largest;
    }
    return largest > 0 ? std::ldexp(1.0, std::max(std::ilogb(largest), -1022)) : 1;
}

template <class V, class I>
void add_rows(CsrView<V, I> a, MatrixFacts& facts)
{
    std::vector<double> column_max(static_cast<std::size_t>(a.cols)), column_sum(column_max);
    std::vector<V> column_total(column_max.size());
    const double unit = unit_of(a);
    double squares = 0, image = 0;
    for (size_type row = 0; row < a.rows; ++row) {
        double largest = 0, sum = 0, diagonal = -1;
        V total{};
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto col = a.col_idxs[k];
            const double magnitude = std::abs(a.values[k]);
            facts.num_zeros += magnitude == 0;
            if (!std::isfinite(magnitude)) {
                ++facts.num_not_finite;
                continue;
            }
            if (col == row) {
                diagonal = magnitude;
                facts.num_positive_diagonal += std::real(a.values[k]) > 0;
                facts.num_negative_diagonal += std::real(a.values[k]) < 0;
            }
            total += a.values[k];
            sum += magnitude;
            squares += magnitude / unit * (magnitude / unit);
            largest = std::max(largest, magnitude);
            column_max[col] = std::max(column_max[col], magnitude);
            column_sum[col] += magnitude;
            column_total[col] += a.values[k];
            facts.entries.add(magnitude);
        }
        facts.num_missing_diagonal += row < a.cols && diagonal < 0;
        facts.num_zero_diagonal += diagonal == 0;
        facts.num_tiny_diagonal += diagonal > 0 && diagonal < 1e-8 * largest;
        facts.num_zero_rows += largest == 0;
        facts.rows.add(largest);
        facts.norm_inf = std::max(facts.norm_inf, sum);
        image = std::max(image, static_cast<double>(std::abs(total)));
    }
    double adjoint_image = 0;
    for (std::size_t col = 0; col < column_max.size(); ++col) {
        facts.num_zero_columns += column_max[col] == 0;
        facts.columns.add(column_max[col]);
        facts.norm_1 = std::max(facts.norm_1, column_sum[col]);
        adjoint_image = std::max(adjoint_image, static_cast<double>(std::abs(column_total[col])));
    }
    facts.norm_frobenius = unit * std::sqrt(squares);
    facts.constant_image = facts.norm_inf > 0 ? image / facts.norm_inf : 0;
    facts.column_sum = facts.norm_1 > 0 ? adjoint_image / facts.norm_1 : 0;
}

/// The rows whose diagonal is not positive.
template <class V, class I>
std::vector<size_type> rest_of(CsrView<V, I> a)
{
    std::vector<size_type> rest;
    for (size_type row = 0; row < a.rows; ++row) {
        const auto* const end = a.col_idxs + a.row_ptrs[row + 1];
        const auto* const at = std::find(a.col_idxs + a.row_ptrs[row], end, static_cast<I>(row));
        if (at == end || !(std::real(a.values[at - a.col_idxs]) > 0)) {
            rest.push_back(row);
        }
    }
    return rest;
}

template <class V, class I>
void add_rest(CsrView<V, I> a, MatrixFacts& facts)
{
    const auto rest = rest_of(a);
    std::vector<V> total(static_cast<std::size_t>(a.cols));
    for (const auto row : rest) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            total[a.col_idxs[k]] += a.values[k];
        }
    }
    double largest = 0;
    for (const auto& sum : total) {
        largest = std::max(largest, static_cast<double>(std::abs(sum)));
    }
    facts.rest_column_sum = rest.empty() || facts.norm_1 == 0 ? 1 : largest / facts.norm_1;
}

/// ||A - A^T||_F and ||A - A^H||_F, relative to ||A||_F. Columns are sorted, so that rows one after the other meet the
/// mirror images of their entries in each row from left to right.
template <class V, class I>
void add_asymmetry(CsrView<V, I> a, MatrixFacts& facts)
{
    std::vector<I> next(a.row_ptrs, a.row_ptrs + a.rows);  // in each row, the first entry that may be met
    const double unit = unit_of(a);
    double plain = 0, conjugate = 0;
    const auto add = [&](V here, V there, int times) {
        V conjugated = there;
        if constexpr (is_complex<V>) {
            conjugated = std::conj(there);
        }
        const double p = std::abs(here - there) / unit, c = std::abs(here - conjugated) / unit;
        plain += std::isfinite(p) ? times * p * p : 0;
        conjugate += std::isfinite(c) ? times * c * c : 0;
    };
    for (size_type row = 0; row < a.rows; ++row) {
        for (auto k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
            const auto col = a.col_idxs[k];
            I& at = next[static_cast<std::size_t>(col)];
            while (at < a.row_ptrs[col + 1] && a.col_idxs[at] < row) {
                ++at;
            }
            const bool has_image = at < a.row_ptrs[col + 1] && a.col_idxs[at] == row;
            add(a.values[k], has_image ? a.values[at] : V{}, has_image ? 1 : 2);
        }
    }
    const double norm = facts.norm_frobenius > 0 ? facts.norm_frobenius / unit : 1;
    facts.asymmetry = std::sqrt(plain) / norm;
    facts.conjugate_asymmetry = std::sqrt(conjugate) / norm;
}

/// A matching of ones: which entries are large does not matter for the rank.
template <class V, class I>
size_type structural_rank(CsrView<V, I> a)
{
    CsrData<V, I> ones{a.size(),
                       {a.row_ptrs, a.row_ptrs + a.rows + 1},
                       {a.col_idxs, a.col_idxs + a.num_nonzeros},
                       {a.values, a.values + a.num_nonzeros}};
    std::transform(ones.values.begin(), ones.values.end(), ones.values.begin(),
                   [](V v) { return v == V{} ? V{} : V{1}; });
    return maximum_product_matching(Csr<V, I>(Executor::reference(), ones)).num_matched;
}

}  // namespace detail

/// Of a matrix in memory of the host, whose columns are sorted. In a few passes.
template <class V, class I>
MatrixFacts facts_of(CsrView<V, I> a)
{
    MatrixFacts facts;
    facts.size = a.size();
    facts.is_complex = is_complex<V> && std::any_of(a.values, a.values + a.num_nonzeros,
                                                    [](const V& value) { return std::imag(value) != 0; });
    detail::add_rows(a, facts);
    if (facts.is_square()) {
        detail::add_rest(a, facts);
        detail::add_asymmetry(a, facts);
        facts.structural_rank = facts.num_bad_diagonal() == 0 ? a.rows : detail::structural_rank(a);
    }
    return facts;
}

template <class V, class I>
MatrixFacts facts_of(const Csr<V, I>& a)
{
    return a.executor().is_host() ? facts_of(a.view()) : facts_of(a.copy(Executor::reference()).view());
}

}  // namespace linden::tool
