#pragma once

#include <linden/matrix/bsr.hpp>
#include <linden/matrix/compact_sell.hpp>
#include <linden/matrix/coo.hpp>
#include <linden/matrix/dia.hpp>
#include <linden/matrix/ell.hpp>
#include <linden/matrix/hybrid.hpp>
#include <linden/matrix/sell.hpp>
#include <linden/matrix/sparsity_csr.hpp>
#include <linden/matrix/stencil.hpp>

#include <functional>
#include <span>
#include <string_view>

/// The table of the sparse formats beside Csr: the one place where a new one is named.
/// `automatic_format`, `config::in_format` and with it the program's --format, help, tests and benchmarks read it.
namespace linden {

template <class V, class I>
struct FormatRow {
    std::string_view name;  ///< in texts, where letter case does not matter
    std::string_view purpose;
    std::string_view automatic;                      ///< when `automatic_format` takes it, or why it does not
    bool (*is_fastest)(const Csr<V, I>&) = nullptr;  ///< that rule; null: never
    bool keeps_zeros = true;                         ///< entries that are zero come back as entries
};

template <class V, class I>
bool has_few_full_diagonals(const Csr<V, I>& a)
{
    const auto rows = static_cast<double>(a.size().rows);
    const auto csr_bytes = static_cast<double>(a.num_nonzeros()) * (sizeof(V) + sizeof(I)) + rows * sizeof(I);
    return static_cast<double>(Dia<V, I>::count_diagonals(a)) * rows * sizeof(V) <= 0.9 * csr_bytes;
}

/// Where the stencils of a matrix are found, they stay in the nearest cache.
template <class V, class I>
bool has_few_stencils(const Csr<V, I>& a)
{
    constexpr size_type most_bytes = size_type{1} << 16;
    const auto bytes = Stencil<V, I>::bytes_of_stencils(a);
    return bytes >= 0 && bytes <= most_bytes && a.size().rows >= 64 * 1024;
}

/// Calls f.operator()<Format>(row, parameters) for each format that holds values V with indices I; `parameters` are
/// those that texts begin with. Times are those of benchmark/results/2026-11-22-h200-sparse.md.
template <class V, class I, class F>
void for_each_format(F&& f)
{
    const auto format = [&]<class Format>(const FormatRow<V, I>& row, typename Format::Parameters parameters = {}) {
        f.template operator()<Format>(row, parameters);
    };
    constexpr std::string_view small_gain =
        "never: 8 to 18 % less time than Csr on an H200, for a second copy of as many bytes";
    format.template operator()<Ell<V, I>>({"Ell", "rows of nearly the same length", small_gain});
    format.template operator()<Sell<V, I>>({"Sell", "rows about as long as their neighbours", small_gain});
    format.template operator()<Coo<V, I>>(
        {"Coo", "rows of any lengths", "never: 1.7 to 2.8 times the time of Csr on an H200"});
    format.template operator()<Hybrid<V, I>>(
        {"Hybrid", "rows of nearly the same length but for some much longer ones", small_gain});
    format.template operator()<Stencil<V, I>>(
        {"Stencil", "rows that are copies of a few, as those of a grid with constant coefficients",
         "where a matrix of at least 65536 rows has at most 1024 different ones, of 64 KiB in all: 63 to 74 % less "
         "time than Csr on an H200",
         has_few_stencils<V, I>});
    format.template operator()<Dia<V, I>>(
        {"Dia", "few diagonals, nearly full",
         "where diagonals take at least 10 % fewer bytes than Csr: 29 to 38 % less time on an H200",
         has_few_full_diagonals<V, I>, false});
    format.template operator()<Bsr<V, I>>({"Bsr", "several unknowns per node",
                                           "never: 3 to 7 times the time of Csr on an H200 where blocks are not full",
                                           nullptr, false});
    format.template operator()<SparsityCsr<V, I>>(
        {"SparsityCsr", "entries that are all the same", "never: not measured"});
    if constexpr (std::is_same_v<I, std::int32_t>) {
        format.template operator()<CompactSell<V>>(
            {"Compact", "as sell, with rounded values or column indices of 16 bits",
             "never: 19 to 21 % less time than Csr on an H200 where 16 bits suffice, but only two matrices were "
             "measured"},
            {.index_bits = 0});
    }
}

/// A row in which the type of the format does not show.
template <class V, class I>
struct FormatEntry : FormatRow<V, I> {
    using Matrix = std::shared_ptr<const Csr<V, I>>;

    std::function<void(ParameterVisitor&)> describe;
    /// The matrix in this format, with the parameters that a visitor sets if there is one.
    std::function<LinOpPtr<V>(const Matrix&, ParameterVisitor*)> make;
};

/// The whole table, between `Csr`, which leaves a matrix as it is, and `Auto`, which is `automatic_format`.
template <class V, class I>
std::span<const FormatEntry<V, I>> format_table();

}  // namespace linden
