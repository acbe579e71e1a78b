#include "core/spectrum/tridiagonal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace linden::detail {
namespace {

/// Whether beside[i] is negligible.
bool is_negligible(const Tridiagonal& t, std::size_t i)
{
    constexpr double eps = std::numeric_limits<double>::epsilon();
    return std::abs(t.beside[i]) <= eps * (std::abs(t.diagonal[i]) + std::abs(t.diagonal[i + 1]));
}

/// Wilkinson's shift: the eigenvalue of the trailing 2 x 2 block that is nearer to its last entry.
double wilkinson_shift(const Tridiagonal& t, std::size_t last)
{
    const double off = t.beside[last - 1];
    const double half = (t.diagonal[last - 1] - t.diagonal[last]) / 2;
    const double root = std::hypot(half, off);
    return t.diagonal[last] - off * (off / (half + (half < 0 ? -root : root)));
}

/// Rows [first, last] of T := G T G^T and Q := Q G^T, with rotations G that chase the bulge down.
void qr_step(Tridiagonal& t, std::vector<double>& q, std::size_t first, std::size_t last)
{
    const std::size_t m = t.size();
    double x = t.diagonal[first] - wilkinson_shift(t, last);
    double z = t.beside[first];
    for (std::size_t k = first; k < last; ++k) {
        const double length = std::hypot(x, z);
        const double c = length == 0 ? 1 : x / length;
        const double s = length == 0 ? 0 : z / length;
        if (k > first) {
            t.beside[k - 1] = length;
        }
        const double above = t.diagonal[k], off = t.beside[k], below = t.diagonal[k + 1];
        t.diagonal[k] = c * c * above + 2 * c * s * off + s * s * below;
        t.diagonal[k + 1] = s * s * above - 2 * c * s * off + c * c * below;
        t.beside[k] = c * s * (below - above) + (c * c - s * s) * off;
        if (k + 1 < last) {
            x = t.beside[k];
            z = s * t.beside[k + 1];
            t.beside[k + 1] *= c;
        }
        for (std::size_t row = 0; row < m; ++row) {
            const double left = q[row * m + k], right = q[row * m + k + 1];
            q[row * m + k] = c * left + s * right;
            q[row * m + k + 1] = c * right - s * left;
        }
    }
}

}  // namespace

double Tridiagonal::beside_of(std::size_t i) const { return i < beside.size() ? std::abs(beside[i]) : 0; }

/// Whether all eigenvalues are less than x: all pivots of T - x I are negative. [GolubVanLoan13, 8.4.1]
bool Tridiagonal::is_below(double x) const
{
    double pivot = diagonal[0] - x;
    for (std::size_t i = 1; i < size() && pivot < 0; ++i) {
        pivot = diagonal[i] - x - beside[i - 1] * beside[i - 1] / pivot;
    }
    return pivot < 0;
}

double Tridiagonal::largest_eigenvalue() const
{
    double low = 0, high = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        low = std::max(low, diagonal[i]);
        high = std::max(high, diagonal[i] + beside_of(i) + (i > 0 ? beside_of(i - 1) : 0));
    }
    for (int i = 0; i < 60 && low < high; ++i) {
        const double middle = low + (high - low) / 2;
        (is_below(middle) ? high : low) = middle;
    }
    return high;
}

EigenPairs eigen_pairs(Tridiagonal t)
{
    const std::size_t m = t.size();
    std::vector<double> q(m * m);
    for (std::size_t i = 0; i < m; ++i) {
        q[i * m + i] = 1;
    }
    constexpr std::size_t most_steps = 60;  // for each value, where two or three are usual
    std::size_t last = m == 0 ? 0 : m - 1;
    for (std::size_t step = 0; last > 0 && step < most_steps * m; ++step) {
        if (is_negligible(t, last - 1)) {
            --last;
            continue;
        }
        std::size_t first = last - 1;
        while (first > 0 && !is_negligible(t, first - 1)) {
            --first;
        }
        qr_step(t, q, first, last);
    }
    std::vector<std::size_t> order(m);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return t.diagonal[a] < t.diagonal[b]; });
    EigenPairs pairs{std::vector<double>(m), std::vector<double>(m * m)};
    for (std::size_t j = 0; j < m; ++j) {
        pairs.values[j] = t.diagonal[order[j]];
        for (std::size_t row = 0; row < m; ++row) {
            pairs.vectors[row * m + j] = q[row * m + order[j]];
        }
    }
    return pairs;
}

}  // namespace linden::detail
