#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "core/base/math.hpp"
#include "core/kernels/gmres.hpp"
#include "core/portable/stored_basis.hpp"
#include "omp/columns.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

/// Passes over the basis of GMRES.
///
/// Rows are taken in chunks whose part of the basis fits the second-level cache, so that a pass that subtracts and one
/// that forms products read the basis from memory once; within a chunk basis vectors are taken four at a time, so that
/// w, which stays in the first-level cache, is loaded and stored a quarter as often.
namespace linden::omp {

inline constexpr size_type chunk_bytes = size_type{1} << 18;

/// Calls body(begin, end) on pieces of [begin, end) whose rows of `count` basis vectors make up `chunk_bytes`.
template <class S, class Body>
void for_each_chunk(const BasisView<S>& basis, size_type begin, size_type end, const Body& body)
{
    constexpr size_type granule = 64;
    const size_type row_bytes = std::max(basis.count * basis.cols, size_type{1}) * static_cast<size_type>(sizeof(S));
    const size_type rows = std::clamp(chunk_bytes / row_bytes / granule, size_type{1}, size_type{32}) * granule;
    for (size_type row = begin; row < end; row += rows) {
        body(row, std::min(row + rows, end));
    }
}

/// Calls body(i, v_i, v_{i+1}, ...) for the first `count` basis vectors, four at a time, then one at a time.
template <class S, class Body>
void for_each_vectors(const BasisView<S>& basis, size_type count, const Body& body)
{
    const auto vector = [&](size_type i) {
        return DenseView<const S>{basis.rows, basis.cols, basis.cols, basis.values + i * basis.stride};
    };
    size_type i = 0;
    for (; i + 4 <= count; i += 4) {
        body(i, vector(i), vector(i + 1), vector(i + 2), vector(i + 3));
    }
    for (; i < count; ++i) {
        body(i, vector(i));
    }
}

/// The coefficients of a sum of basis vectors; one type for all sums, so that their loops are compiled once.
template <class V>
struct Weights {
    const V* values;
    real_t<V> sign;
    const std::int32_t* limit = nullptr;   ///< only vectors i < limit[col] take part
    const SolveStatus* status = nullptr;   ///< only running columns do
    const std::int32_t* wanted = nullptr;  ///< only columns with wanted[col] != 0 do

    /// 0 where a vector does not take part, whatever it holds.
    V operator()(size_type i, size_type col, size_type cols) const
    {
        const bool takes_part = (limit == nullptr || i < limit[col]) &&
                                (status == nullptr || status[col] == SolveStatus::running) &&
                                (wanted == nullptr || wanted[col] != 0);
        return takes_part ? sign * values[i * cols + col] : V{};
    }
};

/// x := x + sum of weight(i, col) v_i, i < count, over the rows [begin, end).
template <class V, class S>
void add_vectors(const BasisView<S>& basis, size_type count, DenseView<V> x, size_type begin, size_type end,
                 const Weights<V>& weight)
{
    for_each_vectors(basis, count, [&](size_type i, auto... vectors) {
        constexpr std::size_t n = sizeof...(vectors);
        const auto tile = [&](auto lanes, size_type rows, auto x_tile, auto... v) {
            std::array<std::array<V, decltype(lanes)::width>, n> factors;
            bool none_is_zero = true;
            for (std::size_t l = 0; l < n; ++l) {
                factors[l] = lanes.gather([&](size_type col) {
                    return unit_of<V>(basis) * weight(i + static_cast<size_type>(l), col, x.cols);
                });
                none_is_zero &= std::find(factors[l].begin(), factors[l].end(), V{}) == factors[l].end();
            }
            const auto loop = [&](auto all) {
                for (size_type row = 0; row < rows; ++row) {
                    for (int lane = 0; lane < lanes.width; ++lane) {
                        V value = x_tile(row, lane);
                        std::size_t l = 0;
                        const auto add = [&](V v_value) {
                            const V factor = factors[l++][lane];
                            const V next = value + multiply(factor, v_value);
                            value = all || factor != V{} ? next : value;
                        };
                        (add(to_arithmetic<V>(v(row, lane))), ...);
                        x_tile(row, lane) = value;
                    }
                }
            };
            none_is_zero ? loop(std::true_type{}) : loop(std::false_type{});
        };
        for_each_tile(begin, end, x.cols, tile, x, vectors...);
    });
}

/// sums[i cols + col] := sums[i cols + col] + v_i(:, col)^H w(:, col) over the rows [begin, end).
template <class V, class S>
void add_products(const BasisView<S>& basis, DenseView<const V> w, size_type begin, size_type end, V* sums)
{
    for_each_vectors(basis, basis.count, [&](size_type i, auto... vectors) {
        constexpr std::size_t n = sizeof...(vectors);
        const auto tile = [&](auto lanes, size_type rows, auto w_tile, auto... v) {
            std::array<std::array<V, lanes.width>, n> sum{};
            for (size_type row = 0; row < rows; ++row) {
                for (int lane = 0; lane < lanes.width; ++lane) {
                    std::size_t l = 0;
                    ((sum[l++][lane] += multiply(conj(to_arithmetic<V>(v(row, lane))), w_tile(row, lane))), ...);
                }
            }
            for (std::size_t l = 0; l < n; ++l) {
                for (V& of_lane : sum[l]) {
                    of_lane *= unit_of<V>(basis);
                }
                lanes.add(sum[l], sums + (i + static_cast<size_type>(l)) * w.cols);
            }
        };
        for_each_tile(begin, end, w.cols, tile, w, vectors...);
    });
}

/// sums[col] := sums[col] + v(:, col)^H w(:, col) over the rows [begin, end).
template <class V>
void add_product(DenseView<const V> v, DenseView<const V> w, size_type begin, size_type end, V* sums)
{
    const auto tile = [&](auto lanes, size_type rows, auto v_tile, auto w_tile) {
        std::array<V, lanes.width> sum{};
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                sum[lane] += multiply(conj(v_tile(row, lane)), w_tile(row, lane));
            }
        }
        lanes.add(sum, sums);
    };
    for_each_tile(begin, end, w.cols, tile, v, w);
}

/// sums[col] := sums[col] + w(:, col)^H w(:, col) over the rows [begin, end).
template <class V>
void add_squares(DenseView<const V> w, size_type begin, size_type end, V* sums)
{
    const auto tile = [&](auto lanes, size_type rows, auto w_tile) {
        std::array<real_t<V>, lanes.width> sum{};
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                sum[lane] += abs2(w_tile(row, lane));
            }
        }
        for (int lane = 0; lane < lanes.width; ++lane) {
            sums[lanes.column(lane)] += sum[lane];
        }
    };
    for_each_tile(begin, end, w.cols, tile, w);
}

/// Vector `count` of the basis := v, rounded, over the rows [begin, end).
template <class V, class S>
void store_vector(const BasisView<S>& basis, DenseView<const V> v, size_type begin, size_type end)
{
    const DenseView<S> stored{basis.rows, basis.cols, basis.cols, basis.values + basis.count * basis.stride};
    const auto tile = [&](auto lanes, size_type rows, auto v_tile, auto stored_tile) {
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                stored_tile(row, lane) = stored_value(basis, v_tile(row, lane));
            }
        }
    };
    for_each_tile(begin, end, v.cols, tile, v, stored);
}

/// x := f(parameter of the column, x) over the rows [begin, end).
template <class V, class PerColumn, class F>
void update_columns(DenseView<V> x, size_type begin, size_type end, const PerColumn& per_column, const F& f)
{
    const auto tile = [&](auto lanes, size_type rows, auto x_tile) {
        const auto parameters = lanes.gather(per_column);
        for (size_type row = 0; row < rows; ++row) {
            for (int lane = 0; lane < lanes.width; ++lane) {
                x_tile(row, lane) = f(parameters[lane], x_tile(row, lane));
            }
        }
    };
    for_each_tile(begin, end, x.cols, tile, x);
}

}  // namespace linden::omp
