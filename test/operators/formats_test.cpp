#include <linden/matrix/bsr.hpp>
#include <linden/matrix/compact_sell.hpp>
#include <linden/matrix/coo.hpp>
#include <linden/matrix/dia.hpp>
#include <linden/matrix/ell.hpp>
#include <linden/matrix/hybrid.hpp>
#include <linden/matrix/sell.hpp>
#include <linden/matrix/sparsity_csr.hpp>

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

/// A matrix of about n rows in the format `Op`.
template <class Op>
auto in_format(typename Op::Parameters parameters = {})
{
    return [=](const Executor& exec, size_type n) {
        return Op::from_csr(csr<typename Op::value_type, typename Op::index_type>(exec, {n, n + 3}), parameters);
    };
}

template <class V>
void add_tests()
{
    using I = DefaultIndex;
    conforms<V>("Ell", in_format<Ell<V, I>>());
    conforms<V>("Sell", in_format<Sell<V, I>>({.sigma = 64}));
    if constexpr (has_types<std::int32_t>) {
        conforms<V>("CompactSell", in_format<CompactSell<V>>());
        conforms<V>("CompactSellInSingle", in_format<CompactSell<V>>({.storage = StoragePrecision::single}));
    }
    conforms<V>("Coo", in_format<Coo<V, I>>());
    conforms<V>("Hybrid", in_format<Hybrid<V, I>>());
    conforms<V>("Dia", in_format<Dia<V, I>>({.max_fill = 1e6}), 256);
    conforms<V>("Bsr", in_format<Bsr<V, I>>({.block_size = 3}));
    conforms<V>("SparsityCsr", [](const Executor& exec, size_type n) {
        return SparsityCsr<V, I>::with_value(csr<V, I>(exec, {n, n + 3}), V{0.5});
    });
}

const bool added = [] {
    for_each_value([]<class V>() { add_tests<V>(); });
    return true;
}();

}  // namespace
}  // namespace linden::test
