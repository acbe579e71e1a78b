#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "test/support/problems.hpp"

/// An independent FGMRES in double precision, by modified Gram-Schmidt, straight from the book [Saad03, algorithm 9.6].
namespace linden::test {

struct NaiveResult {
    size_type iterations = 0;
    bool converged = false;
    std::vector<double> x;
    std::vector<double> history;
};

inline double dot(const std::vector<double>& a, const std::vector<double>& b)
{
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

inline void add(double alpha, const std::vector<double>& a, std::vector<double>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        b[i] += alpha * a[i];
    }
}

/// `precondition(v)` gives M^-1 v; it is called once per iteration and may change from call to call.
inline NaiveResult naive_fgmres(const TestCsr<double>& a, const std::vector<double>& b, std::size_t m, double tolerance,
                                size_type max_iterations,
                                const std::function<std::vector<double>(const std::vector<double>&)>& precondition)
{
    const std::size_t n = b.size();
    NaiveResult result;
    result.x.assign(n, 0);
    while (!result.converged && result.iterations < max_iterations) {
        auto r = b;
        add(-1, host_product(a, result.x), r);
        const double beta = std::sqrt(dot(r, r));
        result.history.resize(static_cast<std::size_t>(result.iterations));
        result.history.push_back(beta);
        std::vector<std::vector<double>> v{r}, z, h;
        std::vector<double> cosine, sine, g{beta};
        for (auto& value : v[0]) {
            value /= beta;
        }
        for (std::size_t j = 0; j < m && !result.converged && result.iterations < max_iterations; ++j) {
            z.push_back(precondition(v[j]));
            auto w = host_product(a, z[j]);
            std::vector<double> column;
            for (const auto& vector : v) {
                column.push_back(dot(vector, w));
                add(-column.back(), vector, w);
            }
            const double norm = std::sqrt(dot(w, w));
            for (std::size_t i = 0; i < j; ++i) {
                const double upper = column[i];
                column[i] = cosine[i] * upper + sine[i] * column[i + 1];
                column[i + 1] = cosine[i] * column[i + 1] - sine[i] * upper;
            }
            const double length = std::hypot(column[j], norm);
            cosine.push_back(column[j] / length);
            sine.push_back(norm / length);
            column[j] = length;
            h.push_back(column);
            g.push_back(-sine[j] * g[j]);
            g[j] *= cosine[j];
            for (auto& value : w) {
                value /= norm;
            }
            v.push_back(w);
            ++result.iterations;
            result.history.push_back(std::abs(g[j + 1]));
            result.converged = std::abs(g[j + 1]) <= tolerance;
        }
        for (std::size_t i = h.size(); i-- > 0;) {
            double y = g[i];
            for (std::size_t l = i + 1; l < h.size(); ++l) {
                y -= h[l][i] * g[l];
            }
            g[i] = y / h[i][i];
            add(g[i], z[i], result.x);
        }
    }
    return result;
}

}  // namespace linden::test
