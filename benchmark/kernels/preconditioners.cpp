// needs: double int32
#include <linden/preconditioner/incomplete_poisson.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/preconditioner/neumann.hpp>

#include "benchmark/support/suite.hpp"

/// x := M^-1 b of preconditioners that are a few products, by what they hold and the vectors that they move.
namespace linden::benchmarks {
namespace {

using V = double;
using I = std::int32_t;

/// An operator, and the bytes of its application: (6 order - 1) n words and `order` times the triangles, and so on, as
/// the tables of core/preconditioner/ have it.
struct Application {
    std::shared_ptr<const LinOp<V>> op;
    size_type bytes;
};

Application neumann(const LinOpPtr<V>& a, size_type order)
{
    const std::shared_ptr<const Neumann<V>> op = Neumann<V>::factory({.order = order}).generate(a);
    const size_type vector_bytes = a->size().rows * static_cast<size_type>(sizeof(V));
    const size_type triangles = op->storage_bytes() - vector_bytes;
    return {op, order * triangles + (6 * order - 1) * vector_bytes};
}

Application incomplete_poisson(const LinOpPtr<V>& a)
{
    const std::shared_ptr<const IncompletePoisson<V>> op = IncompletePoisson<V>::factory().generate(a);
    const size_type n = a->size().rows;
    return {op, op->num_nonzeros() * static_cast<size_type>(sizeof(V) + sizeof(I)) +
                    n * static_cast<size_type>(2 * sizeof(V) + sizeof(I))};
}

/// Forward: the scale, which storage_bytes() has, b with its order, w and half of w once more; back: w twice, half of
/// it once more, x with its order.
Application mcssor(const LinOpPtr<V>& a)
{
    const std::shared_ptr<const McSsor<V>> op = McSsor<V>::factory().generate(a);
    return {op, op->storage_bytes() + a->size().rows * static_cast<size_type>(6 * sizeof(V) + 2 * sizeof(I))};
}

using Make = Application (*)(const LinOpPtr<V>&);

constexpr std::pair<const char*, Make> preconditioners[] = {
    {"neumann1", [](const LinOpPtr<V>& a) { return neumann(a, 1); }},
    {"neumann2", [](const LinOpPtr<V>& a) { return neumann(a, 2); }},
    {"incomplete_poisson", incomplete_poisson},
    {"mcssor", mcssor},
};

void add_case(const Executor& exec, const std::string& spec, const std::string& name, Make make)
{
    add("precondition_" + name, exec, "double_int32", short_name(spec), [=](benchmark::State& state) {
        const LinOpPtr<V> a = share(problem<V, I>(exec, spec)->copy());
        const auto application = make(a);
        const auto b = block<V>(exec, {a->size().rows, 1});
        Dense<V> x(exec, b.size());
        measure(state, exec, application.bytes, [&] { application.op->apply(b, x); });
    });
}

const Suite suite{[](const Executor& exec) {
    std::vector<std::string> specs{"lap2d:1000", "lap3d:100"};
    if (!exec.is_host()) {
        specs = {"lap2d:1000", "lap2d:2000", "lap3d:200"};
    }
    for (const auto& spec : specs) {
        for (const auto& [name, make] : preconditioners) {
            add_case(exec, spec, name, make);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
