#pragma once

#include <linden/matrix/csr.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "core/base/math.hpp"
#include "core/deflation/galerkin_solver.hpp"

/// The Galerkin matrix E = Z^H A Z and Y = Z^H A on the host.
namespace linden::detail {

template <class V>
using Wide = std::conditional_t<is_complex<V>, std::complex<double>, double>;

/// A Csr on the host.
template <class V, class I>
struct HostRows {
    std::vector<I> row_ptrs;
    std::vector<I> col_idxs;
    std::vector<V> values;
};

template <class V, class I>
HostRows<V, I> host_rows(const Csr<V, I>& a)
{
    const auto copied = [&]<class T>(const T* data, size_type size) {
        std::vector<T> host(static_cast<std::size_t>(size));
        copy_bytes(a.executor(), data, detail::host(), host.data(), host.size() * sizeof(T));
        return host;
    };
    return {copied(a.row_ptrs(), a.size().rows + 1), copied(a.col_idxs(), a.num_nonzeros()),
            copied(a.values(), a.num_nonzeros())};
}

/// E as it is summed up.
template <class V>
class GalerkinMatrix {
public:
    using W = Wide<V>;

    explicit GalerkinMatrix(size_type num_vectors)
        : size_(static_cast<std::size_t>(num_vectors)),
          values_(size_ * size_),
          scales_(size_)
    {
    }

    /// E(i, j) := E(i, j) + value, the result of a sum of terms of this magnitude.
    void add(std::size_t i, std::size_t j, W value, double magnitude)
    {
        values_[i * size_ + j] += value;
        scales_[i] += i == j ? magnitude : 0;
    }

    void factorize_into(GalerkinSolver<V>& solver, const Executor& exec) const
    {
        Dense<V> e(exec, {solver.size(), solver.size()});
        const std::vector<V> rounded(values_.begin(), values_.end());
        copy_bytes(detail::host(), rounded.data(), exec, e.data(), rounded.size() * sizeof(V));
        solver.factorize(e, Array<real_t<V>>(exec, std::vector<real_t<V>>(scales_.begin(), scales_.end())));
    }

private:
    std::size_t size_;
    std::vector<W> values_;
    std::vector<double> scales_;
};

/// Sums rows of a matrix; what cancels to rounding vanishes.
template <class V>
class RowSum {
public:
    explicit RowSum(size_type cols) : entries_(static_cast<std::size_t>(cols)) {}

    void add(std::size_t col, V value)
    {
        auto& entry = entries_[col];
        if (entry.num_terms == 0) {
            touched_.push_back(col);
        }
        entry.sum += Wide<V>(value);
        entry.magnitude += std::abs(Wide<V>(value));
        ++entry.num_terms;
    }

    /// Calls f(col, sum, magnitude) by increasing columns, and starts anew.
    template <class F>
    void take(F&& f)
    {
        const double eps = std::numeric_limits<real_t<V>>::epsilon();
        std::sort(touched_.begin(), touched_.end());
        for (const auto col : touched_) {
            const auto entry = std::exchange(entries_[col], {});
            if (!(std::abs(entry.sum) <= eps * entry.num_terms * entry.magnitude)) {
                f(col, entry.sum, entry.magnitude);
            }
        }
        touched_.clear();
    }

private:
    struct Entry {
        Wide<V> sum{};
        double magnitude = 0;
        int num_terms = 0;
    };
    std::vector<Entry> entries_;
    std::vector<std::size_t> touched_;
};

}  // namespace linden::detail
