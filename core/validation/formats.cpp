#include <linden/config/format.hpp>
#include <linden/matrix/automatic_format.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/matrix/sparse_matrix.hpp>

#include <limits>

#include "core/kernels/reduction.hpp"
#include "core/matrix/format_table.hpp"
#include "core/validation/cases.hpp"
#include "core/validation/runner.hpp"

// instantiate: void validation::drive_formats<V, I>(validation::Runner&)

namespace linden::validation {
namespace {

/// Products of all kinds, with one column and several, with padding.
template <class V>
void multiply_all(const Runner& runner, const LinOp<V>& op)
{
    const auto& exec = runner.executor();
    for (const size_type cols : {size_type{1}, size_type{3}, size_type{8}}) {
        const auto b = random_block<V>(exec, {op.size().cols, cols}, runner.seed() + 1, cols == 3 ? 2 : 0);
        auto x = random_block<V>(exec, {op.size().rows, cols}, runner.seed() + 2, cols == 3 ? 1 : 0);
        op.apply(b, x);
        op.apply(V{2}, b, V{-3}, x);  // -1 would change nothing
        const auto w = random_block<V>(exec, {op.size().rows, cols}, runner.seed() + 3);
        Array<V> products(exec, 2 * cols);
        auto workspace = ReductionWorkspace::for_values<V>(exec, 2 * cols);
        op.apply_dot(b, x, {w, products.data(), products.data() + cols, workspace.view()});
    }
}

/// No number in the last row of b, and none in x, which is overwritten.
template <class V>
void multiply_hazards(const Runner& runner, const LinOp<V>& op)
{
    const auto& exec = runner.executor();
    const V nan = std::numeric_limits<real_t<V>>::quiet_NaN();
    const auto cols = op.size().cols;
    auto values = Numbers(runner.seed() + 4).values<V>(cols);
    if (cols > 0) {
        values.back() = nan;
    }
    const auto b = Dense<V>::vector(exec, values);
    auto x = Dense<V>::filled(exec, {op.size().rows, 1}, nan);
    op.apply(b, x);
}

template <class V, class I>
void drive_format(Runner& runner, const std::string& format, const std::string& spec, const CsrData<V, I>& data)
{
    runner.run("format " + format + " of " + spec + ", " + std::string(name(value_type_of<V>)), [&] {
        const auto& exec = runner.executor();
        const auto matrix = std::make_shared<const Csr<V, I>>(exec, data);
        const auto op = config::in_format<V, I>(format, matrix);
        const auto* formatted = dynamic_cast<const Formatted<V>*>(op.get());
        const auto& applied = formatted == nullptr ? *op : *formatted->applied();
        multiply_all(runner, applied);
        multiply_hazards(runner, applied);
        if (const auto* sparse = dynamic_cast<const detail::SparseMatrix<V, I>*>(&applied)) {
            (void)sparse->to_csr();
        }
        applied.clone(exec)->update_values(matrix);
    });
}

template <class V, class I>
std::vector<std::pair<std::string, CsrData<V, I>>> matrices(const Runner& runner)
{
    std::vector<std::pair<std::string, CsrData<V, I>>> all;
    const auto seed = ":" + std::to_string(runner.seed());
    const auto add = [&](const std::string& spec) { all.emplace_back(spec, problem<V, I>(spec)); };
    add("lap2d:12");
    if (runner.level() > 1) {
        // No rows; one; a subgroup, and one row less and more; rows of very different lengths.
        all.emplace_back("no rows", CsrData<V, I>{{0, 0}, {0}, {}, {}});
        all.emplace_back("no entries", CsrData<V, I>{{31, 33}, std::vector<I>(32), {}, {}});
        for (const char* spec : {"random:1:1", "random:31:3", "random:32:4", "random:33:4", "random:597:5"}) {
            add(spec + seed);
        }
        add("powerlaw:901:6" + seed);
    }
    return all;
}

}  // namespace

template <class V, class I>
void drive_formats(Runner& runner)
{
    bool is_first = true;
    for (const auto& [spec, data] : matrices<V, I>(runner)) {
        for (const auto& format : format_table<V, I>()) {
            const std::string text(format.name);
            drive_format(runner, text, spec, data);
            if (is_first && runner.level() > 1) {
                for (const auto& other : variations([&](ParameterVisitor& v) { format.describe(v); })) {
                    drive_format(runner, text + ":" + other, spec, data);
                }
            }
        }
        is_first = runner.level() >= 3;
    }
}

}  // namespace linden::validation
