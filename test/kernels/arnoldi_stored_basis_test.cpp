#include "core/portable/stored_basis.hpp"
#include "test/support/krylov_cases.hpp"

/// Kernels of GMRES with a basis in lower precision do what they do with one of the same values in full precision.
namespace linden::test {
namespace {

template <class V>
class StoredBasis : public testing::Test {
};
TYPED_TEST_SUITE(StoredBasis, TestedValues, TypeNames);

/// `count` vectors and room for one more, as they are stored; `step.basis` becomes what that holds.
template <class V, class S>
struct StoredVectorsOf {
    StoredVectorsOf(const Executor& exec, KrylovStep<V>& step, size_type count, Dim size)
        : view{count, size.rows, size.cols, (size.rows * size.cols + 63) / 64 * 64, nullptr, 1},
          values(exec, (count + 1) * view.stride)
    {
        view.unit = std::is_same_v<S, half> ? 0.25 : 1;
        std::vector<S> rounded(static_cast<std::size_t>(values.size()));
        const BasisView<S> on_host{view.count, view.rows, view.cols, view.stride, rounded.data(), view.unit};
        for (size_type i = 0; i < count; ++i) {
            for (size_type row = 0; row < size.rows; ++row) {
                for (size_type col = 0; col < size.cols; ++col) {
                    V& value = step.basis[static_cast<std::size_t>((i * size.rows + row) * size.cols + col)];
                    on_host(i, row, col) = stored_value(on_host, value);
                    value = basis_value<V>(on_host, i, row, col);
                }
            }
        }
        copy_bytes(::linden::detail::host(), rounded.data(), exec, values.data(), rounded.size() * sizeof(S));
        view.values = values.data();
    }

    BasisView<S> view;
    Array<S> values;
};

/// test<S>(executor, step, stored, count, size) for shapes, numbers of vectors and both kinds of columns, those that
/// have a second pass and those that have none.
template <class V, class Test>
void for_each_stored_basis(const Test& test)
{
    for (const Dim size : {Dim{33, 1}, Dim{1000, 1}, Dim{40, 3}}) {
        for (const size_type count : {1, 6, 9}) {
            for (const int first_again : {0, 1}) {
                SCOPED_TRACE(std::to_string(size.rows) + " rows, " + std::to_string(count) + " vectors");
                on_each_executor([&](const Executor& exec) {
                    for_each_lower_storage<V>([&]<class S>() {
                        Random random(811);
                        auto step = random_krylov_step<V>(random, 2, size, 0, num_arnoldi_values(count + 1),
                                                          num_arnoldi_reals(count + 1), 3, count + 1);
                        const std::size_t k = step.cols();
                        for (std::size_t col = 0; col < k; ++col) {
                            step.marks[col] = (static_cast<int>(col) + first_again) % 2;                  // again
                            step.marks[k + col] = static_cast<std::int32_t>(count) - (col == 1 ? 1 : 0);  // used
                        }
                        StoredVectorsOf<V, S> stored(exec, step, count, size);
                        test.template operator()<S>(exec, step, stored, count, size);
                    });
                });
            }
        }
    }
}

TYPED_TEST(StoredBasis, IsProjectedOnto)
{
    using V = TypeParam;
    for_each_stored_basis<V>([]<class S>(const Executor& exec, const KrylovStep<V>& step, StoredVectorsOf<V, S>& stored,
                                         size_type count, Dim size) {
        const size_type num_sums = (2 * count + 4) * size.cols, m = count + 1;
        const auto expected = after_launch(exec, step, num_sums, [&](KrylovOperands<V>& o) {
            arnoldi_project<V>(exec, o.basis_view(count, size), o.in(0), o.in(1), o.arnoldi(m), false, o.stop(),
                               o.reduction.view());
        });
        const auto actual = after_launch(exec, step, num_sums, [&](KrylovOperands<V>& o) {
            arnoldi_project<V, S>(exec, stored.view.first(count), o.in(0), o.in(1), o.arnoldi(m), false, o.stop(),
                                  o.reduction.view());
        });
        expect_near(actual.values, expected.values, 20 * summation_factor(size.rows));
        expect_near(actual.reals, expected.reals, 20 * summation_factor(size.rows));
    });
}

TYPED_TEST(StoredBasis, IsSubtractedAndTakesTheNextVector)
{
    using V = TypeParam;
    for_each_stored_basis<V>([]<class S>(const Executor& exec, const KrylovStep<V>& step, StoredVectorsOf<V, S>& stored,
                                         size_type count, Dim size) {
        for (const bool is_last : {false, true}) {
            const size_type m = count + 1;
            auto expected = after_launch(exec, step, 1, [&](KrylovOperands<V>& o) {
                arnoldi_orthogonalize<V>(exec, o.basis_view(count, size), o.out(0), o.out(1), o.arnoldi(m), is_last,
                                         o.stop());
            });
            auto actual = after_launch(exec, step, 1, [&](KrylovOperands<V>& o) {
                arnoldi_orthogonalize<V, S>(exec, stored.view, o.out(0), o.out(1), o.arnoldi(m), is_last, o.stop());
            });
            for (std::size_t i = 0; i < 2; ++i) {
                expect_near(actual.blocks[i], expected.blocks[i], 100, scale_of(expected.blocks[i].to_host()));
            }
            const auto now = stored.values.to_host();
            const auto v = actual.blocks[0].to_host();
            for (std::size_t i = 0; i < v.size(); ++i) {
                const S of_v = now[static_cast<std::size_t>(count * stored.view.stride) + i];
                ASSERT_EQ(std::memcmp(&of_v, std::array{stored_value(stored.view, v[i])}.data(), sizeof(S)), 0) << i;
            }
        }
    });
}

TYPED_TEST(StoredBasis, IsCombined)
{
    using V = TypeParam;
    for_each_stored_basis<V>([]<class S>(const Executor& exec, const KrylovStep<V>& step, StoredVectorsOf<V, S>& stored,
                                         size_type count, Dim size) {
        for (const bool overwrite : {false, true}) {
            const size_type m = count + 1;
            auto expected = after_launch(exec, step, 1, [&](KrylovOperands<V>& o) {
                const auto s = o.gmres(m);
                gmres_combine<V>(exec, o.basis_view(count, size), s.y, s.used, overwrite, o.out(0));
            });
            auto actual = after_launch(exec, step, 1, [&](KrylovOperands<V>& o) {
                const auto s = o.gmres(m);
                gmres_combine<V, S>(exec, stored.view.first(count), s.y, s.used, overwrite, o.out(0));
            });
            expect_near(actual.blocks[0], expected.blocks[0], 100, scale_of(expected.blocks[0].to_host()));
        }
    });
}

}  // namespace
}  // namespace linden::test
