// needs: double int32
#include <linden/linden.hpp>

#include <cstdio>
#include <memory>
#include <vector>

namespace {

/// An operator of the program's own: 2 I.
class Twice : public linden::LinOp<double> {
public:
    Twice(linden::Executor exec, linden::size_type n) : LinOp(std::move(exec), {n, n}) {}
    std::string name() const override { return "Twice"; }

protected:
    void apply_impl(const linden::Dense<double>& b, linden::Dense<double>& x) const override
    {
        x.copy_from(b);
        x.scale(2.0);
    }
};

using Csr = linden::Csr<double, std::int32_t>;

linden::CsrData<double, std::int32_t> laplacian(int n)
{
    linden::CsrData<double, std::int32_t> data{{n, n}, {0}, {}, {}};
    for (int i = 0; i < n; ++i) {
        for (int j = i == 0 ? 0 : i - 1; j <= i + 1 && j < n; ++j) {
            data.col_idxs.push_back(j);
            data.values.push_back(i == j ? 2.0 : -1.0);
        }
        data.row_ptrs.push_back(static_cast<std::int32_t>(data.values.size()));
    }
    return data;
}

/// Solves a system of ten unknowns.
bool solves(const linden::Executor& exec)
{
    const auto matrix = std::make_shared<const Csr>(exec, laplacian(10));
    const auto solver = linden::Cg<double>::factory({.stop = {.relative_residual = 1e-12}}).generate(matrix);
    const auto b = linden::Dense<double>::filled(exec, {10, 1}, 1.0);
    auto x = linden::Dense<double>::filled(exec, {10, 1}, 0.0);
    const auto result = solver->solve(b, x);
    std::printf("Linden %s on %s: %s\n", LINDEN_VERSION, exec.name().c_str(), result.reason().c_str());
    return result.converged();
}

/// The library applies the program's operator, alone and in one of its own.
bool applies_own_operator(const linden::Executor& exec)
{
    const auto twice = std::make_shared<const Twice>(exec, 3);
    const linden::Composition<double> four_times({twice, twice});
    const auto b = linden::Dense<double>::filled(exec, {3, 1}, 1.0);
    auto x = linden::Dense<double>::filled(exec, {3, 1}, 0.0);
    four_times.apply(1.0, b, 1.0, x);
    return x.to_host() == std::vector<double>{4, 4, 4};
}

/// Moved operators, whose tables of virtual functions a program makes itself, thunks to second bases included.
template <class Op>
bool moves(const linden::Executor& exec)
{
    const auto made = Op::factory().generate(std::make_shared<const Csr>(exec, laplacian(10)));
    Op moved(std::move(*made));
    const auto copy = moved.clone(exec);
    return made->size().rows == 0 && moved.size().rows == 10 && copy->name() == Op::type_name;
}

/// Types are the same on both sides: of operators and factories that the library made, and of what it throws.
bool shares_types(const linden::Executor& exec)
{
    const Csr matrix(exec, laplacian(10));
    const std::unique_ptr<linden::LinOp<double>> copy = matrix.clone(exec);
    const auto factory = linden::config::parse_factory<double>(R"({"type": "Cg", "preconditioner": "Jacobi"})", "text");
    if (dynamic_cast<const Csr*>(copy.get()) == nullptr ||
        dynamic_cast<const linden::Factory<linden::Cg<double>>*>(factory.get()) == nullptr) {
        return false;
    }
    try {
        (void)linden::read_matrix<double, std::int32_t>("no such file");
    } catch (const linden::InvalidParameter&) {
        return false;
    } catch (const linden::FileError& error) {
        try {
            auto x = linden::Dense<double>::filled(exec, {3, 1}, 0.0);
            matrix.apply(linden::Dense<double>::filled(exec, {3, 1}, 1.0), x);
        } catch (const linden::Error& mismatch) {
            return error.path == "no such file" && dynamic_cast<const linden::DimensionMismatch*>(&mismatch) != nullptr;
        }
    }
    return false;
}

}  // namespace

/// Tries on every host backend of the library what a program does with it; fails where something does not work.
int main()
{
    int num_backends = 0;
    for (const auto backend : {linden::Backend::reference, linden::Backend::omp}) {
        if (!linden::backend_info(backend).built) {
            continue;
        }
        const auto exec = linden::Executor::create(backend);
        if (!solves(exec) || !applies_own_operator(exec) || !shares_types(exec) || !moves<linden::Ilu0<double>>(exec) ||
            !moves<linden::McSsor<double>>(exec)) {
            std::printf("the program does not work on %s\n", exec.name().c_str());
            return 1;
        }
        ++num_backends;
    }
    return num_backends > 0 ? 0 : 1;
}
