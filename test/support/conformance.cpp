#include "test/support/conformance.hpp"

#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/memory.hpp>

#include <gtest/gtest.h>

#include <vector>

#include "core/kernels/reduction.hpp"
#include "test/support/kernel_cases.hpp"

// instantiate: void test::add_conformance_tests<V>(const test::Subject<V>&)

namespace linden::test {
namespace {

constexpr size_type tested_sizes[] = {1, 33, 150};

/// Calls check(op, exec) with operators of all tested sizes on all tested executors.
template <class V, class Check>
void for_each_operator(const Subject<V>& subject, Check&& check)
{
    on_each_executor([&](const Executor& exec) {
        for (const auto n : tested_sizes) {
            SCOPED_TRACE("n = " + std::to_string(n));
            check(*subject.make(exec, n), exec);
        }
    });
}

/// A random block of `rows` rows that is the same on each executor.
template <class V>
Dense<V> block(const Executor& exec, size_type rows, size_type cols, std::uint64_t seed, size_type padding = 0)
{
    Random random(seed);
    return random_dense<V>(random, exec, {rows, cols}, padding);
}

template <class V>
Dense<V> applied(const LinOp<V>& op, const Dense<V>& b)
{
    auto x = Dense<V>::filled(op.executor(), {op.size().rows, b.size().cols}, V{7});
    op.apply(b, x);
    return x;
}

template <class V>
Dense<V> operand(const LinOp<V>& op, size_type cols, std::uint64_t seed = 1, size_type padding = 0)
{
    return block<V>(op.executor(), op.size().cols, cols, seed, padding);
}

template <class V>
Dense<V> result_block(const LinOp<V>& op, size_type cols, std::uint64_t seed = 2, size_type padding = 0)
{
    return block<V>(op.executor(), op.size().rows, cols, seed, padding);
}

/// alpha[col] a + beta[col] b on the host
template <class V>
std::vector<V> combined(const std::vector<V>& alpha, const Dense<V>& a, const std::vector<V>& beta, const Dense<V>& b)
{
    auto sum = a.to_host();
    const auto other = b.to_host();
    for (std::size_t i = 0; i < sum.size(); ++i) {
        const auto col = i % alpha.size();
        sum[i] = alpha[col] * sum[i] + (beta[col] == V{} ? V{} : beta[col] * other[i]);
    }
    return sum;
}

/// Op (a u + c v) = a Op u + c Op v
template <class V>
void is_linear(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        const std::vector<V> a(3, number<V>(0.5, -1));
        const std::vector<V> c(3, number<V>(-2, 0.25));
        const auto u = operand(op, 3, 1);
        const auto v = operand(op, 3, 2);
        auto w = u.copy(exec);
        w.scale(a[0]);
        w.add_scaled(c[0], v);
        expect_near(applied(op, w).to_host(), combined(a, applied(op, u), c, applied(op, v)), subject.tolerance);
    });
}

/// x := alpha Op b + beta x with scalars of all kinds
template <class V>
void advanced_apply_combines(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        const auto b = operand(op, 3);
        const auto x = result_block(op, 3);
        const auto check = [&](Scalar<V> alpha, Scalar<V> beta, const std::vector<V>& a, const std::vector<V>& c) {
            auto result = x.copy(exec);
            op.apply(alpha, b, beta, result);
            expect_near(result.to_host(), combined(a, applied(op, b), c, x), subject.tolerance);
        };
        const std::vector<V> a{number<V>(2, 1), V{}, number<V>(-1, 3)};
        const std::vector<V> c{V{}, number<V>(0.5, 0.5), number<V>(1, -1)};
        const Array<V> a_here(exec, a);
        const Array<V> c_here(exec, c);
        check(a[0], c[1], std::vector<V>(3, a[0]), std::vector<V>(3, c[1]));
        check(V{}, c[1], std::vector<V>(3), std::vector<V>(3, c[1]));
        check(Scalar<V>::per_column(a_here.data()), Scalar<V>::per_column(c_here.data()), a, c);
        auto one_here = Scalar<V>::per_column(a_here.data());
        one_here.stride = 0;
        check(one_here, c[2], std::vector<V>(3, a[0]), std::vector<V>(3, c[2]));
    });
}

template <class V>
void beta_zero_does_not_read(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        const auto b = operand(op, 2);
        const Dim size{op.size().rows, 2};
        const Array<V> zeros(exec, std::vector<V>(2));
        const auto expected = combined<V>({V{2}, V{2}}, applied(op, b), {V{}, V{}}, Dense<V>(exec, size));
        for (const Scalar<V> beta : {Scalar<V>(V{}), Scalar<V>::per_column(zeros.data())}) {
            auto x = Dense<V>::filled(exec, size, not_a_number<V>());
            op.apply(V{2}, b, beta, x);
            expect_near(x.to_host(), expected, subject.tolerance);
        }
        auto x = Dense<V>::filled(exec, size, not_a_number<V>());
        op.apply(b, x);
        expect_near(x.to_host(), applied(op, b).to_host(), subject.tolerance);
    });
}

/// w^H x and x^H x of apply_dot
template <class V>
void apply_dot_forms_products(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        constexpr size_type k = 3;
        const auto b = operand(op, k);
        const auto w = result_block(op, k);
        const auto expected = applied(op, b);
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * k);
        const auto check = [&](const Dense<V>& left, bool with_xx) {
            Array<V> wx(exec, k);
            Array<V> xx(exec, std::vector<V>(k, V{5}));
            Dense<V> x(exec, expected.size());
            op.apply_dot(b, x, {left, wx.data(), with_xx ? xx.data() : nullptr, workspace.view()});
            const auto scale = static_cast<double>(op.size().rows) * scale_of(x.to_host());
            expect_near(x, expected, subject.tolerance);
            expect_near(wx.to_host(), left.dot(x), subject.tolerance, scale);
            const auto squares = with_xx ? x.dot(x) : std::vector<V>(k, V{5});
            expect_near(xx.to_host(), squares, subject.tolerance, scale * scale_of(x.to_host()));
        };
        check(w, true);
        check(w, false);
        if (op.size().rows == op.size().cols) {
            check(b, true);
        }
    });
}

/// Columns do not see each other, and nobody writes between rows.
template <class V>
void columns_are_independent(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        for (const size_type k : {2, 5, 17}) {
            SCOPED_TRACE(std::to_string(k) + " columns");
            auto b = operand(op, k, 1, 3);
            auto x = result_block(op, k, 2, 2);
            const auto before = with_padding(x, exec);
            op.apply(b, x);
            expect_same_padding(x, before);
            for (size_type col = 0; col < k; col += col < 2 ? 1 : 7) {
                // A column's terms may cancel; those of the whole block hardly do.
                expect_near(x.columns(col, 1), applied(op, b.columns(col, 1).copy(exec)), subject.tolerance,
                            scale_of(x.to_host()));
            }
            auto y = with_padding(before, exec);
            op.apply(V{2}, b, V{-1}, y);
            expect_same_padding(y, before);
            expect_near(y.to_host(), combined(std::vector<V>(k, V{2}), x, std::vector<V>(k, V{-1}), before),
                        subject.tolerance);
        }
    });
}

/// No columns, or no rows
template <class V>
void empty_operands_are_fine(const Subject<V>& subject)
{
    const auto apply_all = [](const LinOp<V>& op, const Executor& exec, size_type k) {
        const Dense<V> b(exec, {op.size().cols, k});
        Dense<V> x(exec, {op.size().rows, k});
        Array<V> wx(exec, k);
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * k);
        op.apply(b, x);
        op.apply(V{2}, b, V{}, x);
        op.apply_dot(b, x, {x.copy(exec), wx.data(), nullptr, workspace.view()});
        return wx.to_host();
    };
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) { apply_all(op, exec, 0); });
    on_each_executor([&](const Executor& exec) {
        const auto op = subject.make(exec, 0);
        ASSERT_EQ(op->size().rows, 0);
        EXPECT_EQ(apply_all(*op, exec, 2), std::vector<V>(2));
        if (subject.clones) {
            EXPECT_EQ(op->clone(exec)->size(), op->size());
        }
    });
}

/// What a DimensionMismatch says.
template <class Call>
void expect_mismatch(std::string_view op, std::string_view wrong, Dim size, Call&& call)
{
    try {
        call();
        ADD_FAILURE() << "no DimensionMismatch for " << wrong;
    } catch (const DimensionMismatch& e) {
        EXPECT_NE(e.op.find(op), std::string::npos) << e.op;
        EXPECT_EQ(e.b, wrong);
        EXPECT_EQ(e.size_b, size);
        EXPECT_NE(std::string(e.what()).find(std::to_string(size.rows) + " x " + std::to_string(size.cols)),
                  std::string::npos)
            << e.what();
    }
}

template <class V>
void wrong_operands_throw(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        const auto [m, n] = op.size();
        const auto b = operand(op, 2);
        const auto long_b = block<V>(exec, n + 1, 2, 1);
        const auto workspace = WorkspaceView{};
        auto x = result_block(op, 2);
        const auto before = x.to_host();
        auto long_x = block<V>(exec, m + 1, 2, 1);
        auto wide_x = block<V>(exec, m, 3, 1);
        expect_mismatch(op.name(), "b", {n + 1, 2}, [&] { op.apply(long_b, x); });
        expect_mismatch(op.name(), "b", {n + 1, 2}, [&] { op.apply(V{1}, long_b, V{1}, x); });
        expect_mismatch(op.name(), "x", {m + 1, 2}, [&] { op.apply(b, long_x); });
        expect_mismatch(op.name(), "x", {m, 3}, [&] { op.apply(b, wide_x); });
        expect_mismatch(op.name(), "x", {m, 3}, [&] { op.apply(V{1}, b, V{1}, wide_x); });
        try {
            op.apply_dot(b, x, {wide_x, nullptr, nullptr, workspace});
            ADD_FAILURE() << "no DimensionMismatch for w";
        } catch (const DimensionMismatch& e) {
            EXPECT_EQ(e.size_a, (Dim{m, 3}));
        }
        if (m == n) {
            EXPECT_THROW(op.apply(x, x), InvalidParameter);
            EXPECT_THROW(op.apply(V{1}, x, V{1}, x), InvalidParameter);
        }
        EXPECT_TRUE(same_bits(x.to_host(), before)) << "a failed call changed x";
    });
}

/// Operands come from any executor, and results go back there.
template <class V>
void operands_may_be_elsewhere(const Subject<V>& subject)
{
    auto others = tested_executors();
    others.push_back(Executor::reference());
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        const auto b = operand(op, 2, 1, 1);
        const auto x = result_block(op, 2);
        const auto expected = applied(op, b);
        auto advanced = x.copy(exec);
        op.apply(V{2}, b, V{-1}, advanced);
        for (const auto& other : others) {
            SCOPED_TRACE("operands on " + other.name());
            const auto b_there = with_padding(b, other);
            for (const auto* b_used : {&b, &b_there}) {
                auto x_there = x.copy(other);
                op.apply(*b_used, x_there);
                expect_near(x_there, expected, subject.tolerance);
                x_there.copy_from(x);
                op.apply(V{2}, *b_used, V{-1}, x_there);
                expect_near(x_there, advanced, subject.tolerance);
                EXPECT_TRUE(x_there.executor() == other);
            }
            auto x_here = x.copy(exec);
            op.apply(b_there, x_here);
            expect_near(x_here, expected, subject.tolerance);
        }
    });
}

template <class V>
void clones_to_every_executor(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        if (!subject.clones) {
            EXPECT_THROW((void)op.clone(exec), NotSupported);
            return;
        }
        const auto expected = applied(op, operand(op, 2));
        on_each_executor([&](const Executor& target) {
            const auto copy = op.clone(target);
            EXPECT_TRUE(copy->executor() == target);
            EXPECT_EQ(copy->size(), op.size());
            EXPECT_EQ(copy->name(), op.name());
            expect_near(applied(*copy, operand(*copy, 2)), expected, subject.tolerance);
        });
    });
}

template <class V>
void moves(const Subject<V>& subject)
{
    on_each_executor([&](const Executor& exec) {
        const auto op = subject.make(exec, 33);
        const auto size = op->size();
        const auto expected = applied(*op, operand(*op, 2)).to_host();
        const auto elsewhere = subject.move(*op);
        EXPECT_EQ(elsewhere->size(), size);
        EXPECT_TRUE(elsewhere->executor() == exec);
        EXPECT_TRUE(same_bits(applied(*elsewhere, operand(*elsewhere, 2)).to_host(), expected));
    });
}

/// The same bits again, without allocation, and b stays.
template <class V>
void repeats_without_allocation(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        const auto b = operand(op, 2);
        const auto b_before = b.to_host();
        auto x = applied(op, b);
        const auto first = x.to_host();
        const auto allocations = exec.counters().allocations;
        op.apply(b, x);
        EXPECT_EQ(exec.counters().allocations, allocations);
        EXPECT_TRUE(same_bits(x.to_host(), first));
        EXPECT_TRUE(same_bits(b.to_host(), b_before));
    });
}

/// What can be captured does not wait for the device.
template <class V>
void capturable_means_asynchronous(const Subject<V>& subject)
{
    for_each_operator(subject, [&](const LinOp<V>& op, const Executor& exec) {
        const auto b = operand(op, 2);
        auto x = applied(op, b);
        const auto waits = exec.counters().host_synchronizations;
        op.apply(b, x);
        EXPECT_TRUE(!op.is_capturable() || exec.counters().host_synchronizations == waits);
    });
}

/// Wherever memory runs out, the call says so, nothing leaks, and the next one works.
template <class V>
void survives_out_of_memory(const Subject<V>& subject)
{
    const auto memory = std::make_shared<FaultInjectingMemory>(host_memory());
    ExecutorOptions options;
    options.memory = memory;
    const auto exec = Executor::reference(options);
    std::unique_ptr<LinOp<V>> op;
    int failures = 0;
    const auto until_it_works = [&](auto&& call) {
        for (bool done = false; !done;) {
            const auto outstanding = memory->num_outstanding();
            memory->fail_allocation(++failures);
            try {
                call();
                done = true;
            } catch (const OutOfMemory&) {
                EXPECT_GE(memory->num_outstanding(), outstanding);
            }
            memory->fail_allocation(0);
            ASSERT_LT(failures, 1000);
        }
        failures = 0;
    };
    until_it_works([&] {
        const auto outstanding = memory->num_outstanding();
        try {
            op = subject.make(exec, 20);
        } catch (const OutOfMemory&) {
            EXPECT_EQ(memory->num_outstanding(), outstanding);
            throw;
        }
    });
    const auto b = operand(*op, 2);
    auto x = result_block(*op, 2);
    until_it_works([&] { op->apply(b, x); });
    const auto calm = subject.make(reference_executor(), 20);
    expect_near(x, applied(*calm, operand(*calm, 2)), subject.tolerance);
    until_it_works([&] { op->apply(V{2}, b, V{1}, x); });
}

/// update_values gives what generating anew gives, also from another executor.
template <class V>
void follows_new_values(const Subject<V>& subject)
{
    on_each_executor([&](const Executor& exec) {
        const auto fresh = subject.factory->make(generating_matrix<V>(exec, 33, 5));
        const auto expected = applied(*fresh, operand(*fresh, 2));
        for (const auto& from : {exec, Executor::reference()}) {
            const auto op = subject.make(exec, 33);
            op->update_values(generating_matrix<V>(from, 33, 5));
            expect_near(applied(*op, operand(*op, 2)), expected, subject.tolerance);
        }
        const auto op = subject.make(exec, 33);
        EXPECT_THROW(op->update_values(generating_matrix<V>(exec, 32)), DimensionMismatch);
        EXPECT_THROW(op->update_values(nullptr), InvalidParameter);
    });
}

template <class V>
void is_for_square_matrices_or_least_squares(const Subject<V>& subject)
{
    const auto& exec = reference_executor();
    Random random(3);
    const auto wide = share(Csr<V, DefaultIndex>(exec, random_csr<V, DefaultIndex>(random, {4, 6}, 2)));
    try {
        const auto op = subject.factory->make(wide);
        EXPECT_EQ(op->size(), (Dim{6, 4}));  // least squares: of the size of the inverse
    } catch (const DimensionMismatch&) {
    }
}

/// Text says all there is about the factory, and unknown parameters are refused.
template <class V>
void comes_back_from_text(const Subject<V>& subject)
{
    const auto text = config::to_json<V>(subject.factory);
    const auto again = config::parse_factory<V>(text, "test");
    EXPECT_EQ(again->type(), subject.factory->type());
    EXPECT_EQ(config::to_json<V>(again), text);
    const auto op = again->make(generating_matrix<V>(reference_executor(), 33));
    const auto expected = subject.make(reference_executor(), 33);
    expect_near(applied(*op, operand(*op, 2)), applied(*expected, operand(*expected, 2)), subject.tolerance);
    EXPECT_THROW((void)config::parse_factory<V>("{\"type\": \"" + again->type() + "\", \"no_such_key\": 1}", "test"),
                 InvalidParameter);
}

class Check : public testing::Test {
public:
    explicit Check(std::function<void()> body) : body_(std::move(body)) {}
    void TestBody() override { body_(); }

private:
    std::function<void()> body_;
};

}  // namespace

template <class V>
void add_conformance_tests(const Subject<V>& subject)
{
    const std::string suite = subject.name + "/" + std::string(name(value_type_of<V>));
    const auto add = [&](const char* name, void (*check)(const Subject<V>&)) {
        testing::RegisterTest(suite.c_str(), name, nullptr, nullptr, __FILE__, __LINE__,
                              [=]() -> testing::Test* { return new Check([=] { check(subject); }); });
    };
    add("is_linear", is_linear);
    add("advanced_apply_combines", advanced_apply_combines);
    add("beta_zero_does_not_read", beta_zero_does_not_read);
    add("apply_dot_forms_products", apply_dot_forms_products);
    add("columns_are_independent", columns_are_independent);
    add("empty_operands_are_fine", empty_operands_are_fine);
    add("wrong_operands_throw", wrong_operands_throw);
    add("operands_may_be_elsewhere", operands_may_be_elsewhere);
    add("clones_to_every_executor", clones_to_every_executor);
    add("repeats_without_allocation", repeats_without_allocation);
    add("capturable_means_asynchronous", capturable_means_asynchronous);
    add("survives_out_of_memory", survives_out_of_memory);
    if (subject.move != nullptr) {
        add("moves", moves);
    }
    if (subject.factory != nullptr) {
        add("follows_new_values", follows_new_values);
        add("is_for_square_matrices_or_least_squares", is_for_square_matrices_or_least_squares);
        add("comes_back_from_text", comes_back_from_text);
    }
}

}  // namespace linden::test
