#include <linden/matrix/convert.hpp>

#include <linden/error.hpp>

#include "test/support/formats.hpp"

namespace linden::test {
namespace {

template <class Types>
class Convert : public testing::Test {
};
TYPED_TEST_SUITE(Convert, TestedValueIndices, TypeNames);

/// `from` in the format To and back are the same matrix.
template <class To, class From>
void expect_round_trip(const From& from, const CsrData<typename From::value_type, typename From::index_type>& data)
{
    using V = typename From::value_type;
    using I = typename From::index_type;
    const auto to = convert<To>(from);
    SCOPED_TRACE(from.name() + " to " + to.name());
    expect_same(convert<Csr<V, I>>(to).to_host(), data);
    expect_same(convert<Csr<V, I>>(convert<From>(to)).to_host(), data);
    EXPECT_EQ(applied<V>(to), applied<V>(from));
}

template <class From>
void expect_all_round_trips(const Executor& exec,
                            const CsrData<typename From::value_type, typename From::index_type>& data)
{
    using V = typename From::value_type;
    using I = typename From::index_type;
    const auto from = convert<From>(Csr<V, I>(exec, data));
    expect_round_trip<Csr<V, I>>(from, data);
    for_each_format<V, I>([&]<class To>(const auto&, auto) { expect_round_trip<To>(from, data); });
}

TYPED_TEST(Convert, AllPairs)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        for (const auto& data : odd_matrices<V, I>(V{3})) {
            if (data.size.rows > 100) {
                continue;  // as Dia it would be too full of zeros
            }
            SCOPED_TRACE(std::to_string(data.size.rows) + " x " + std::to_string(data.size.cols));
            expect_all_round_trips<Csr<V, I>>(exec, data);
            for_each_format<V, I>([&]<class From>(const auto&, auto) { expect_all_round_trips<From>(exec, data); });
        }
    });
}

/// Zeros that are entries stay entries where the format knows them from padding.
TYPED_TEST(Convert, KeepsZeros)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    const CsrData<V, I> data{{2, 3}, {0, 2, 3}, {0, 2, 1}, {V{0}, V{2}, V{0}}};
    const CsrData<V, I> without{{2, 3}, {0, 1, 1}, {2}, {V{2}}};
    on_each_executor([&](const Executor& exec) {
        const Csr<V, I> csr(exec, data);
        for_each_format<V, I>([&]<class Format>(const auto& row, auto) {
            if constexpr (!std::is_same_v<Format, SparsityCsr<V, I>>) {
                SCOPED_TRACE(row.name);
                expect_same(convert<Csr<V, I>>(convert<Format>(csr)).to_host(), row.keeps_zeros ? data : without);
            }
        });
    });
}

TYPED_TEST(Convert, TakesParameters)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    on_each_executor([](const Executor& exec) {
        const Csr<V, I> csr(exec, three_by_four<V, I>());
        EXPECT_EQ((convert<Bsr<V, I>>(csr, {.block_size = 3}).block_size()), 3);
        EXPECT_EQ((convert<Sell<V, I>>(convert<Coo<V, I>>(csr), {.slice_rows = 128}).num_entries()), 3 * 128);
    });
}

}  // namespace
}  // namespace linden::test
