#pragma once

#include <linden/io/problems.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/parameters.hpp>

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/mix.hpp"

/// Operands of cases, from a seed, and what can be chosen among parameters.
namespace linden::validation {

/// Numbers in [-1, 1), equal on every platform.
class Numbers {
public:
    explicit Numbers(std::uint64_t seed) : state_(seed * mix_step + 1) {}

    double next()
    {
        state_ += mix_step;
        return static_cast<double>(mixed(state_) >> 11) * 0x1p-52 - 1;
    }
    template <class V>
    V value()
    {
        const auto real = static_cast<real_t<V>>(next());
        if constexpr (is_complex<V>) {
            return {real, static_cast<real_t<V>>(next())};
        } else {
            return real;
        }
    }
    template <class V>
    std::vector<V> values(size_type count)
    {
        std::vector<V> all(static_cast<std::size_t>(count));
        for (auto& v : all) {
            v = value<V>();
        }
        return all;
    }

private:
    std::uint64_t state_;
};

/// A block with `padding` values behind each row.
template <class V>
Dense<V> random_block(const Executor& exec, Dim size, std::uint64_t seed, size_type padding = 0)
{
    const auto stride = size.cols + padding;
    Dense<V> block(exec, size, stride);
    const auto values = Numbers(seed).values<V>(size.rows * stride);
    copy_bytes(detail::host(), values.data(), exec, block.data(), values.size() * sizeof(V));
    return block;
}

/// A model problem; for complex types D^H A D with a diagonal D of phases, Hermitian where A is symmetric.
template <class V, class I>
CsrData<V, I> problem(const std::string& spec)
{
    auto a = generate_problem<V, I>(spec);
    if constexpr (is_complex<V>) {
        const auto phase = [](size_type i) {
            const auto angle = static_cast<double>(i % 7);
            return V(static_cast<real_t<V>>(std::cos(angle)), static_cast<real_t<V>>(std::sin(angle)));
        };
        for (size_type row = 0; row < a.size.rows; ++row) {
            const auto begin = static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row)]);
            const auto end = static_cast<std::size_t>(a.row_ptrs[static_cast<std::size_t>(row) + 1]);
            for (auto k = begin; k < end; ++k) {
                if (a.col_idxs[k] != row) {
                    a.values[k] *= std::conj(phase(row)) * phase(a.col_idxs[k]);
                }
            }
        }
    }
    return a;
}

/// Assignments such as `trisolve=jacobi`, each of which changes one parameter from its default: every other choice,
/// flags the other way, numbers another one, and pairs of choices; `factory` where a method takes one.
std::vector<std::string> variations(const std::function<void(ParameterVisitor&)>& describe,
                                    const std::string& factory = {});

}  // namespace linden::validation
