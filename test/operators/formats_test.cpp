#include "core/matrix/format_table.hpp"
#include "test/support/conformance.hpp"

/// The sparse formats that pass the conformance suite.
namespace linden::test {
namespace {

template <class V, class I>
Csr<V, I> csr(const Executor& exec, Dim size)
{
    Random random(10);
    return Csr<V, I>(exec, random_csr<V, I>(random, size, 4));
}

/// Parameters that take every matrix, and sort rows where the format can.
template <class Parameters>
Parameters demanding(Parameters p)
{
    if constexpr (requires { p.max_fill; }) {
        p.max_fill = 1e6;
    }
    if constexpr (requires { p.sigma; }) {
        p.sigma = 64;
    }
    return p;
}

template <class Format>
Format in_format(const Executor& exec, size_type n, typename Format::Parameters parameters)
{
    const auto a = csr<typename Format::value_type, typename Format::index_type>(exec, {n, n + 3});
    if constexpr (requires { Format::with_value(a, typename Format::value_type{}); }) {
        return Format::with_value(a, 0.5);
    } else {
        return Format::from_csr(a, parameters);
    }
}

template <class V>
void add_tests()
{
    using I = DefaultIndex;
    const auto add = []<class Format>(const std::string& name, typename Format::Parameters parameters) {
        conforms<V>(name, [=](const Executor& exec, size_type n) { return in_format<Format>(exec, n, parameters); });
    };
    for_each_format<V, I>([&]<class Format>(const auto& row, typename Format::Parameters parameters) {
        add.template operator()<Format>(std::string(row.name), demanding(parameters));
        if constexpr (requires { parameters.storage; }) {
            parameters.storage = StoragePrecision::single;
            add.template operator()<Format>(std::string(row.name) + "InSingle", parameters);
        }
    });
}

const bool added = [] {
    for_each_value([]<class V>() { add_tests<V>(); });
    return true;
}();

}  // namespace
}  // namespace linden::test
