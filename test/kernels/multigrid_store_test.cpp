#include <cmath>

#include "core/kernels/multigrid.hpp"
#include "test/support/aggregation.hpp"

/// Scalings, what is asked of a matrix, and matrices in slices.
namespace linden::test {
namespace {

template <class R>
class MultigridScales : public testing::Test {
};
TYPED_TEST_SUITE(MultigridScales, TestedReals, TypeNames);

template <class R>
std::pair<std::vector<R>, std::vector<R>> scales_of(const Executor& exec, const std::vector<R>& host, double bound)
{
    const Array<R> sums(exec, host);
    Array<R> scales(exec, std::vector<R>(host.size(), -7)), inverses(exec, std::vector<R>(host.size(), -7));
    multigrid_scales<R>(exec, sums.size(), sums.data(), bound, scales.data(), inverses.data());
    return {scales.to_host(), inverses.to_host()};
}

TYPED_TEST(MultigridScales, ByHandAndDefinition)
{
    using R = TypeParam;
    const R infinity = std::numeric_limits<R>::infinity();
    Random random(2130);
    std::vector<R> sums(1000), scales, inverses;
    for (R& sum : sums) {
        sum = static_cast<R>(std::exp(random.real(-20, 20)));
        inverses.push_back(static_cast<R>(std::sqrt(1.5 * static_cast<double>(sum))));
        scales.push_back(static_cast<R>(1 / std::sqrt(1.5 * static_cast<double>(sum))));
    }
    on_each_executor([&](const Executor& exec) {
        const auto few = scales_of<R>(exec, {4, 0, -1, infinity, -infinity, -std::nan(""), R(0.0625)}, 4);
        EXPECT_EQ(few.first, (std::vector<R>{0.25, 1, 1, 1, 1, 1, 2}));
        EXPECT_EQ(few.second, (std::vector<R>{4, 1, 1, 1, 1, 1, 0.5}));
        EXPECT_EQ(scales_of<R>(exec, {}, 4).first, std::vector<R>{});
        const auto many = scales_of(exec, sums, 1.5);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            expect_near(std::vector<R>{many.first[i]}, {scales[i]}, 4);
            expect_near(std::vector<R>{many.second[i]}, {inverses[i]}, 4);
        }
    });
}

template <class V>
class MultigridInvertSums : public testing::Test {
};
TYPED_TEST_SUITE(MultigridInvertSums, TestedValues, TypeNames);

TYPED_TEST(MultigridInvertSums, ByHand)
{
    using V = TypeParam;
    using R = real_t<V>;
    const R infinity = std::numeric_limits<R>::infinity();
    const std::vector<R> host{4, 0, -1, infinity, -infinity, static_cast<R>(std::nan("")), R(0.5), 3};
    on_each_executor([&](const Executor& exec) {
        const Array<R> sums(exec, host);
        Array<V> inverses(exec, std::vector<V>(9, V{-7}));
        multigrid_invert_sums<V>(exec, 8, sums.data(), inverses.data());
        EXPECT_EQ(inverses.to_host(),
                  (std::vector<V>{V(0.25), V{1}, V{1}, V{1}, V{1}, V{1}, V{2}, V{R{1} / R{3}}, V{-7}}));
    });
}

template <class Types>
class MultigridStore : public testing::Test {
};
TYPED_TEST_SUITE(MultigridStore, TestedValueIndices, TypeNames);

template <class I>
using Answers = std::vector<std::vector<I>>;  // incomplete, unhermitian, negative

template <class V, class I>
Answers<I> inspected(const Executor& exec, const CsrData<V, I>& host)
{
    const Csr<V, I> a(exec, host);
    const std::vector<I> before(static_cast<std::size_t>(host.size.rows), -7);
    Array<I> is_incomplete(exec, before), is_unhermitian(exec, before), is_negative(exec, before);
    multigrid_inspect<V, I>(exec, a.view(), {is_incomplete.data(), is_unhermitian.data(), is_negative.data()});
    return {is_incomplete.to_host(), is_unhermitian.to_host(), is_negative.to_host()};
}

TYPED_TEST(MultigridStore, InspectByHand)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    // [2 1 . .; 1 -3 4 .; . 5 . 1e-7; . . . 0]: the mirror image of (2, 3) is missing and small, a_22 is missing.
    CsrData<V, I> a{{4, 4}, {0, 2, 5, 7, 8}, {0, 1, 0, 1, 2, 1, 3, 3}, {}};
    for (const double value : {2., 1., 1., -3., 4., 5., 1e-7, 0.}) {
        a.values.push_back(number<V>(value, 0));
    }
    // [8 . x; . 0.25 0.5; x 0.5 + difference 1]
    const auto almost = [&](double difference, double x = 0.5) {
        CsrData<V, I> b{{3, 3}, {0, 2, 4, 7}, {0, 2, 1, 2, 0, 1, 2}, {}};
        for (const double value : {8., x, 0.25, 0.5, x, 0.5 + difference, 1.}) {
            b.values.push_back(number<V>(value, 0));
        }
        return b;
    };
    on_each_executor([&](const Executor& exec) {
        EXPECT_EQ(inspected(exec, a), (Answers<I>{{0, 0, 1, 0}, {0, 1, 1, 0}, {0, 1, 0, 0}}));
        auto b = a;
        b.values[5] = number<V>(4, 0);
        EXPECT_EQ(inspected(exec, b)[1], std::vector<I>(4, 0)) << "missing, and hardly anything";
        b.values[6] = number<V>(5e-6, 0);
        EXPECT_EQ(inspected(exec, b)[1], (std::vector<I>{0, 0, 1, 0}));
        // Each row by its own largest entry off the diagonal.
        EXPECT_EQ(inspected(exec, almost(4e-6))[1], (std::vector<I>{0, 1, 1}));
        EXPECT_EQ(inspected(exec, almost(-4e-6))[1], (std::vector<I>{0, 1, 1}));
        EXPECT_EQ(inspected(exec, almost(2.5e-7))[1], (std::vector<I>{0, 0, 0}));
        EXPECT_EQ(inspected(exec, almost(8e-6, 16))[1], (std::vector<I>{0, 1, 0}));
        if constexpr (is_complex<V>) {
            const V i = number<V>(0, 1), d = number<V>(-1, 1);
            const CsrData<V, I> c{{3, 3}, {0, 2, 5, 7}, {0, 1, 0, 1, 2, 1, 2}, {V{1}, i, -i, V{2}, i, i, d}};
            EXPECT_EQ(inspected(exec, c), (Answers<I>{{0, 0, 0}, {0, 1, 1}, {0, 0, 1}}));
        }
        const CsrData<V, I> none{{0, 0}, {0}, {}, {}}, empty{{1, 1}, {0, 0}, {}, {}};
        EXPECT_EQ(inspected(exec, none), Answers<I>(3));
        EXPECT_EQ(inspected(exec, empty), (Answers<I>{{1}, {0}, {0}}));
    });
}

/// Hermitian matrices, of which some entries are changed or left out.
TYPED_TEST(MultigridStore, InspectByDefinition)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    Random random(2131);
    for_each_graph<I>(random, [&](const HostPattern<I>& graph) {
        const auto whole = hermitian(random_values<V>(random, graph));
        CsrData<V, I> a{whole.size, {0}, {}, {}};
        for (I row = 0; row < whole.size.rows; ++row) {
            for (I k = whole.row_ptrs[row]; k < whole.row_ptrs[row + 1]; ++k) {
                if (random.integer(0, 50) != 0) {
                    a.col_idxs.push_back(whole.col_idxs[k]);
                    a.values.push_back(random.integer(0, 50) == 0 ? random.value<V>() : whole.values[k]);
                }
            }
            a.row_ptrs.push_back(static_cast<I>(a.col_idxs.size()));
        }
        Answers<I> expected(3);
        for (I row = 0; row < a.size.rows; ++row) {
            const I diagonal = entry_at(a, row, row);
            double most = 0, difference = 0;
            bool is_incomplete = diagonal < 0;
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                const I mirrored = entry_at(a, a.col_idxs[k], row);
                const V other = mirrored < 0 ? V{} : conjugate(a.values[mirrored]);
                is_incomplete = is_incomplete || mirrored < 0;
                if (a.col_idxs[k] != row) {
                    most = std::max<double>(most, std::abs(a.values[k]));
                    difference = std::max<double>(difference, std::abs(a.values[k] - other));
                }
            }
            expected[0].push_back(is_incomplete ? 1 : 0);
            const bool is_complex_there =
                diagonal >= 0 && std::abs(std::imag(a.values[diagonal])) > 5e-7 * std::abs(a.values[diagonal]);
            expected[1].push_back(difference > 1e-6 * most || is_complex_there ? 1 : 0);
            expected[2].push_back(diagonal >= 0 && std::real(a.values[diagonal]) < 0 ? 1 : 0);
        }
        on_each_executor([&](const Executor& exec) { EXPECT_EQ(inspected(exec, a), expected); });
    });
}

/// Slices of so many rows, each as wide as its longest row.
template <class I>
std::vector<I> slice_pointers(const std::vector<I>& row_ptrs, size_type slice_rows)
{
    const auto rows = static_cast<size_type>(row_ptrs.size()) - 1;
    std::vector<I> ptrs{0};
    for (size_type first = 0; first < rows; first += slice_rows) {
        I width = 0;
        for (size_type row = first; row < std::min(first + slice_rows, rows); ++row) {
            width = std::max(width, row_ptrs[row + 1] - row_ptrs[row]);
        }
        ptrs.push_back(ptrs.back() + width);
    }
    return ptrs;
}

/// What stands in slices where row i has the entries `entries`, `padding` elsewhere.
template <class T, class I>
std::vector<T> in_slices(const std::vector<I>& row_ptrs, const std::vector<T>& entries, size_type slice_rows, T padding)
{
    const auto slice_ptrs = slice_pointers(row_ptrs, slice_rows);
    std::vector<T> places(static_cast<std::size_t>(slice_ptrs.back() * slice_rows), padding);
    for (size_type row = 0; row + 1 < static_cast<size_type>(row_ptrs.size()); ++row) {
        for (I k = row_ptrs[row]; k < row_ptrs[row + 1]; ++k) {
            const size_type column = slice_ptrs[row / slice_rows] + k - row_ptrs[row];
            places[column * slice_rows + row % slice_rows] = entries[k];
        }
    }
    return places;
}

TYPED_TEST(MultigridStore, SliceColumns)
{
    using I = typename TypeParam::index_type;
    for_each_sorted_pattern<I>(2132, [](const HostPattern<I>& host) {
        for (const size_type slice_rows : {32, 64}) {
            const auto expected = in_slices<I>(host.row_ptrs, host.col_idxs, slice_rows, -1);
            on_each_executor([&](const Executor& exec) {
                const PatternOn<I> a(exec, host);
                const Array<I> slice_ptrs(exec, slice_pointers(host.row_ptrs, slice_rows));
                Array<I> cols(exec, std::vector<I>(expected.size(), -7));
                multigrid_slice_columns<I>(exec, {host.size.rows, host.size.cols, slice_rows, 0, slice_ptrs.data()},
                                           a.view(), cols.data());
                EXPECT_EQ(cols.to_host(), expected);
            });
        }
    });
}

/// A matrix with its scalings on the host.
template <class V, class I>
struct HostScaled {
    CsrData<V, I> a;
    std::vector<real_t<V>> left, right;

    V value(I row, I k) const { return left[row] * right[a.col_idxs[k]] * a.values[k]; }
    std::vector<V> values() const
    {
        std::vector<V> result;
        for (I row = 0; row < a.size.rows; ++row) {
            for (I k = a.row_ptrs[row]; k < a.row_ptrs[row + 1]; ++k) {
                result.push_back(value(row, k));
            }
        }
        return result;
    }
};

/// The same in an executor's memory, for indices that this build may have no matrices of.
template <class V, class I>
struct ScaledOn {
    ScaledOn(const Executor& exec, const HostScaled<V, I>& host)
        : size(host.a.size),
          row_ptrs(exec, host.a.row_ptrs),
          col_idxs(exec, host.a.col_idxs),
          values(exec, host.a.values),
          left(exec, host.left),
          right(exec, host.right)
    {
    }
    ScaledView<V, I> view() const
    {
        return {{size.rows, size.cols, values.size(), row_ptrs.data(), col_idxs.data(), values.data()},
                left.data(),
                right.data()};
    }

    Dim size;
    Array<I> row_ptrs, col_idxs;
    Array<V> values;
    Array<real_t<V>> left, right;
};

/// Powers of two, so that products are exact.
template <class R>
std::vector<R> powers_of_two(Random& random, size_type n, int most)
{
    std::vector<R> powers;
    for (size_type i = 0; i < n; ++i) {
        powers.push_back(std::ldexp(R{1}, static_cast<int>(random.integer(-most, most + 1))));
    }
    return powers;
}

TYPED_TEST(MultigridStore, Rows)
{
    using V = typename TypeParam::value_type;
    using I = typename TypeParam::index_type;
    using R = real_t<V>;
    Random random(2133);
    const CsrData<V, I> a{{2, 3}, {0, 2, 3}, {0, 2, 1}, {V{1}, number<V>(3, -1), V{-5}}};
    on_each_executor([&](const Executor& exec) {
        const ScaledOn<V, I> scaled(exec, {a, {2, 4}, {1, 3, R(0.5)}});
        Array<V> values(exec, std::vector<V>(3, V{-7}));
        multigrid_store_rows<V, V, I>(exec, scaled.view(), values.data(), nullptr);
        EXPECT_EQ(values.to_host(), (std::vector<V>{V{2}, number<V>(3, -1), V{-60}}));
    });
    for_each_elimination_matrix<V, I>(random, [&](const CsrData<V, I>& square) {
        HostScaled<V, I> host{square, {}, {}};
        for (size_type i = 0; i < square.size.rows; ++i) {
            host.left.push_back(static_cast<R>(random.real(0.1, 3)));
            host.right.push_back(static_cast<R>(random.real(0.1, 3)));
        }
        on_each_executor([&](const Executor& exec) {
            const ScaledOn<V, I> scaled(exec, host);
            Array<V> values(exec, std::vector<V>(square.values.size(), V{-7}));
            multigrid_store_rows<V, V, I>(exec, scaled.view(), values.data(), nullptr);
            expect_near(values.to_host(), host.values(), 4);
        });
    });
}

template <class V>
bool is_same_number(V a, V b)
{
    if constexpr (is_complex<V>) {
        return is_same_number(a.real(), b.real()) && is_same_number(a.imag(), b.imag());
    } else {
        return a == b || (is_nan(a) && is_nan(b));
    }
}

/// Stores it as S row by row, and compares both results.
template <class S, class V, class I>
void expect_stored_rows(const ScaledOn<V, I>& scaled, const std::vector<S>& expected,
                        const std::vector<I>& expected_marks)
{
    const Executor& exec = scaled.row_ptrs.executor();
    Array<S> stored(exec, std::vector<S>(expected.size() + 1, static_cast<S>(V{-7})));
    Array<I> marks(exec, std::vector<I>(expected_marks.size(), -7));
    multigrid_store_rows<V, S, I>(exec, scaled.view(), stored.data(), marks.data());
    const auto actual = stored.to_host();
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const V x = static_cast<V>(actual[i]), y = static_cast<V>(expected[i]);
        ASSERT_TRUE(is_same_number(x, y)) << "entry " << i << ": " << x << " instead of " << y;
    }
    EXPECT_EQ(static_cast<V>(actual.back()), V{-7});
    EXPECT_EQ(marks.to_host(), expected_marks);
}

/// Stores it as S in slices of so many rows, and compares both results. A place is left over behind the marks.
template <class S, class V, class I>
void expect_stored(const HostScaled<V, I>& host, size_type slice_rows, const std::vector<I>& expected_marks)
{
    std::vector<S> rounded;
    for (const V value : host.values()) {
        rounded.push_back(static_cast<S>(value));
    }
    const auto expected = in_slices(host.a.row_ptrs, rounded, slice_rows, static_cast<S>(V{}));
    const auto host_slice_ptrs = slice_pointers(host.a.row_ptrs, slice_rows);
    auto marks_with_rest = expected_marks;
    marks_with_rest.resize(marks_with_rest.size() + 64, -7);
    on_each_executor([&](const Executor& exec) {
        const ScaledOn<V, I> scaled(exec, host);
        const Array<I> slice_ptrs(exec, host_slice_ptrs);
        const SellLayout<I> layout{host.a.size.rows, host.a.size.cols, slice_rows, 0, slice_ptrs.data()};
        const auto expect_places = [&](I* marks) {
            Array<S> stored(exec, std::vector<S>(expected.size(), static_cast<S>(V{-7})));
            multigrid_store<V, S, I>(exec, layout, nullptr, scaled.view(), stored.data(), marks);
            const auto actual = stored.to_host();
            for (std::size_t i = 0; i < expected.size(); ++i) {
                const V x = static_cast<V>(actual[i]), y = static_cast<V>(expected[i]);
                ASSERT_TRUE(is_same_number(x, y)) << "place " << i << ": " << x << " instead of " << y;
            }
        };
        Array<I> marks(exec, std::vector<I>(marks_with_rest.size(), -7));
        expect_places(marks.data());
        EXPECT_EQ(marks.to_host(), marks_with_rest);
        expect_places(nullptr);
        expect_stored_rows<S>(scaled, rounded, marks_with_rest);
    });
}

/// Calls f.operator()<S, J>() for the types that values of type V are stored as.
template <class V, class I, class F>
void for_each_stored_type(const F& f)
{
    f.template operator()<V, I>();
    for_each_lower_storage<V>([&]<class S>() { f.template operator()<S, std::int32_t>(); });
}

TYPED_TEST(MultigridStore, StoreByHand)
{
    using V = typename TypeParam::value_type;
    for_each_stored_type<V, typename TypeParam::index_type>([]<class S, class I>() {
        const auto nan = static_cast<double>(std::real(not_a_number<V>()));
        const double infinity = std::numeric_limits<double>::infinity();
        HostScaled<V, I> host{{{0, 2}, {0}, {}, {}}, {}, {}};
        std::vector<I> marks;
        const auto add_row = [&](I mark, const std::vector<double>& values) {
            for (std::size_t k = 0; k < values.size(); ++k) {
                host.a.col_idxs.push_back(static_cast<I>(k));
                host.a.values.push_back(number<V>(values[k], 0));
            }
            host.a.row_ptrs.push_back(static_cast<I>(host.a.values.size()));
            marks.push_back(mark);
        };
        add_row(0, {65504, 1});
        add_row(1, {65505, 1});
        add_row(1, {1, -65536});
        add_row(0, {});
        add_row(0, {0, 1});
        add_row(0, {0, 0});
        add_row(1, {infinity});
        add_row(1, {nan, 1});
        add_row(1, {1, nan});
        add_row(0, {0x1p-14});
        add_row(1, {0x1p-15});
        add_row(0, {1, 0x1p-15});
        add_row(1, {0x1p-5, -0x1p-16});
        add_row(0, {0x1p-16, 0x1p-4});
        add_row(1, {0x1p-24, 0x1p-20});
        add_row(1, {0x1p-20, 0});
        for (int i = 0; i < 20; ++i) {
            add_row(i % 2, {i % 2 == 1 ? 1e5 : 1});
        }
        host.a.size.rows = static_cast<size_type>(marks.size());
        host.left.assign(marks.size(), 1);
        host.right.assign(2, 1);
        expect_stored<S>(host, 32, marks);
        // The scalings count.
        host.left.assign(marks.size(), 4);
        host.right.assign(2, 0.25);
        expect_stored<S>(host, 64, marks);
        host.right.assign(2, 0.125);
        marks[1] = marks[2] = 0;
        marks[9] = 1;
        marks[11] = marks[13] = 0;
        std::fill(marks.begin() + 16, marks.end(), 0);
        expect_stored<S>(host, 32, marks);
        // One row, and none.
        expect_stored<S>(HostScaled<V, I>{{{1, 1}, {0, 1}, {0}, {number<V>(-3, 5)}}, {2}, {2}}, 32, std::vector<I>{0});
        expect_stored<S>(HostScaled<V, I>{{{1, 1}, {0, 0}, {}, {}}, {2}, {2}}, 32, std::vector<I>{0});
        expect_stored<S>(HostScaled<V, I>{{{0, 0}, {0}, {}, {}}, {}, {}}, 32, std::vector<I>{});
    });
}

/// Magnitudes are far apart.
TYPED_TEST(MultigridStore, StoreByDefinition)
{
    using V = typename TypeParam::value_type;
    using R = real_t<V>;
    Random random(2134);
    std::size_t num_marks[2]{};
    for_each_stored_type<V, typename TypeParam::index_type>([&]<class S, class I>() {
        for (const size_type rows : {31, 32, 33, 97, 597}) {
            for (const auto pattern : all_patterns) {
                const auto finite = random_csr<V, I>(random, {rows, rows + 3}, 2, pattern);
                HostScaled<V, I> host{finite, powers_of_two<R>(random, rows, 3), powers_of_two<R>(random, rows + 3, 3)};
                std::vector<I> marks;
                for (I row = 0; row < rows; ++row) {
                    double most = 0;
                    const auto spread = static_cast<int>(random.integer(0, 18));
                    for (I k = finite.row_ptrs[row]; k < finite.row_ptrs[row + 1]; ++k) {
                        host.a.values[k] *= std::ldexp(R{1}, static_cast<int>(random.integer(-spread, spread + 1)));
                        most = std::max<double>(most, std::abs(host.value(row, k)));
                    }
                    bool is_beyond = most > 65504;
                    for (I k = finite.row_ptrs[row]; k < finite.row_ptrs[row + 1]; ++k) {
                        const double size = std::abs(host.value(row, k));
                        is_beyond = is_beyond || (size > 0 && size < 0x1p-14 && size >= most * 0x1p-11);
                    }
                    marks.push_back(is_beyond ? 1 : 0);
                    ++num_marks[is_beyond];
                }
                expect_stored<S>(host, 32, marks);
                expect_stored<S>(host, 64, marks);
            }
        }
    });
    EXPECT_GT(num_marks[0], 100u);
    EXPECT_GT(num_marks[1], 30u);
}

/// A block of values with this stride.
template <class V, class Last>
DenseView<V> block_of(Last* values, Dim size, size_type stride)
{
    return {size.rows, size.cols, stride, values};
}

template <class V, class W>
void expect_converted(Random& random, Dim size, size_type padding_from, size_type padding_to)
{
    using Lower = real_t<lower_t<V, W>>;
    using Higher = std::conditional_t<(sizeof(W) > sizeof(V)), W, V>;
    const auto stride_from = size.cols + padding_from, stride_to = size.cols + padding_to;
    std::vector<V> from(static_cast<std::size_t>(size.rows * stride_from));
    std::generate(from.begin(), from.end(), [&] { return random.value<V>(); });
    std::vector<Lower> scales(static_cast<std::size_t>(size.rows));
    std::generate(scales.begin(), scales.end(), [&] { return static_cast<Lower>(random.real(0.1, 3)); });
    for (const int sign : {1, -1}) {
        for (const bool has_scales : {false, true}) {
            std::vector<W> expected(static_cast<std::size_t>(size.rows * stride_to), W{-7});
            for (size_type row = 0; row < size.rows; ++row) {
                for (size_type col = 0; col < size.cols; ++col) {
                    const Higher value(from[row * stride_from + col]);
                    const Higher scaled = has_scales ? real_t<Higher>(scales[row]) * value : value;
                    expected[row * stride_to + col] = W(sign < 0 ? -scaled : scaled);
                }
            }
            on_each_executor([&](const Executor& exec) {
                const Array<V> source(exec, from);
                const Array<Lower> factors(exec, scales);
                Array<W> to(exec, std::vector<W>(expected.size(), W{-7}));
                multigrid_convert<V, W>(exec, has_scales ? factors.data() : nullptr, sign,
                                        block_of<const V>(source.data(), size, stride_from),
                                        block_of<W>(to.data(), size, stride_to));
                EXPECT_EQ(to.to_host(), expected);
            });
        }
    }
}

TEST(MultigridConvert, ByDefinition)
{
    Random random(2135);
    for_each_conversion([&]<class V, class W>() {
        SCOPED_TRACE(std::to_string(sizeof(V)) + " to " + std::to_string(sizeof(W)) + " bytes");
        for (const size_type rows : {0, 1, 33, 5000}) {
            expect_converted<V, W>(random, {rows, 1}, 0, 0);
            expect_converted<V, W>(random, {rows, 1}, 2, 1);
            expect_converted<V, W>(random, {rows, 3}, 1, 2);
        }
        expect_converted<V, W>(random, {7, 0}, 1, 1);
    });
}

}  // namespace
}  // namespace linden::test
