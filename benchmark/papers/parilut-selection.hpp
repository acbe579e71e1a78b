#pragma once

#include <linden/select.hpp>

#include <cstdint>
#include <random>

#include "benchmark/papers/experiment.hpp"
#include "benchmark/papers/line-chart.hpp"

/// How fast a median is found, beside what the standard library takes on one thread.
namespace linden::benchmarks {

constexpr int smallest_selection = 16, selection_step = 2;  ///< exponents of 2

/// rates[method][size]
struct SelectionRates {
    std::vector<std::string> methods;
    std::vector<std::string> sizes;
    std::vector<std::vector<double>> rates;  ///< 1e9 values a second; NaN where that was not possible
};

/// Positive, and spread over a few orders of magnitude.
inline std::vector<V> values_to_select(std::size_t n)
{
    std::mt19937_64 engine(1);
    std::vector<V> values(n);
    for (auto& value : values) {
        value = std::exp2(static_cast<double>(engine() >> 11) * 0x1p-50);
    }
    return values;
}

/// Of a call with n values.
inline double selection_rate(std::size_t n, std::vector<double> times)
{
    return static_cast<double>(n) * 1e-9 / tool::median(std::move(times));
}

inline double rate_of_threshold(const Executor& exec, const std::vector<V>& values, Selection how, int repeat)
{
    try {
        const Array<V> there(exec, values);
        const auto rank = there.size() / 2;
        std::vector<double> times;
        for (int i = -1; i < repeat; ++i) {  // the first warms up
            const auto seconds = tool::timed(exec, [&] { (void)select_threshold(there, rank, how); });
            if (i >= 0) {
                times.push_back(seconds);
            }
        }
        return selection_rate(values.size(), std::move(times));
    } catch (const Error& error) {
        std::fprintf(stderr, "%s: %s\n", exec.name().c_str(), error.what());
        return NAN;
    }
}

/// The copy that is reordered is not timed.
template <class Reorder>
double rate_of_reordering(const std::vector<V>& values, int repeat, Reorder&& reorder)
{
    const auto host = Executor::reference();
    std::vector<double> times;
    for (int i = 0; i < repeat; ++i) {
        auto copy = values;
        times.push_back(tool::timed(host, [&] { reorder(copy); }));
    }
    return selection_rate(values.size(), std::move(times));
}

/// Up to 2^largest values.
inline SelectionRates measure_selections(const std::vector<Executor>& executors, int largest, int repeat)
{
    SelectionRates result;
    for (const auto& exec : executors) {
        result.methods.push_back(exec.name() + ", exact");
        result.methods.push_back(exec.name() + ", approximate");
    }
    result.methods.insert(result.methods.end(), {"std::nth_element", "std::sort"});
    result.rates.resize(result.methods.size());
    for (int exponent = smallest_selection; exponent <= largest; exponent += selection_step) {
        result.sizes.push_back("2^" + std::to_string(exponent));
        const auto values = values_to_select(std::size_t{1} << exponent);
        const auto middle = static_cast<std::ptrdiff_t>(values.size() / 2);
        auto of_method = result.rates.begin();
        for (const auto& exec : executors) {
            (of_method++)->push_back(rate_of_threshold(exec, values, Selection::exact, repeat));
            (of_method++)->push_back(rate_of_threshold(exec, values, Selection::approximate, repeat));
        }
        (of_method++)->push_back(rate_of_reordering(values, repeat, [&](auto& v) {
            std::nth_element(v.begin(), v.begin() + middle, v.end());
        }));
        of_method->push_back(rate_of_reordering(values, repeat, [](auto& v) { std::sort(v.begin(), v.end()); }));
        std::fprintf(stderr, "selection of %s\n", result.sizes.back().c_str());
    }
    return result;
}

inline void print_selections(const SelectionRates& all)
{
    std::printf(
        "\n### Selection, Figure 8\n\nThe median of random magnitudes, 1e9 values/s. `select_threshold` allocates its "
        "workspace each time; the standard library's take one\nthread, and a copy that is not timed.\n\n| values |");
    std::string rule = "|---|";
    for (const auto& method : all.methods) {
        std::printf(" %s |", method.c_str());
        rule += "---:|";
    }
    std::printf("\n%s\n", rule.c_str());
    for (std::size_t i = 0; i < all.sizes.size(); ++i) {
        std::printf("| %s |", all.sizes[i].c_str());
        for (const auto& of_method : all.rates) {
            std::printf(" %s |", format("%.3g", of_method[i]).c_str());
        }
        std::printf("\n");
    }
}

inline LineChart chart_of(const SelectionRates& all)
{
    LineChart chart{"Selection", "values", "1e9 values/s", all.sizes, true, {{"", {}}}};
    for (std::size_t i = 0; i < all.methods.size(); ++i) {
        chart.panels.front().lines.push_back({all.methods[i], all.rates[i]});
    }
    return chart;
}

}  // namespace linden::benchmarks
