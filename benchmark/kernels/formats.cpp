// needs: double int32
#include <linden/error.hpp>

#include "benchmark/support/suite.hpp"
#include "core/matrix/format_table.hpp"

/// x := A b in every format, by the bytes that the format holds: fractions compare how well a kernel reads its format,
/// times which format to take.
namespace linden::benchmarks {
namespace {

using Matrix = Csr<double, std::int32_t>;
using Make = std::function<LinOpPtr<double>(const Matrix&)>;

/// Csr, the table, and what rounds.
std::vector<std::pair<std::string, Make>> all_formats()
{
    std::vector<std::pair<std::string, Make>> all{
        {"csr", [](const Matrix& a) { return LinOpPtr<double>(share(a.copy())); }}};
    for_each_format<double, std::int32_t>([&]<class Format>(const auto& row, auto parameters) {
        const auto add = [&](const std::string& name) {
            all.emplace_back(name, [parameters](const Matrix& a) -> LinOpPtr<double> {
                return share(Format::from_csr(a, parameters));
            });
        };
        add(std::string(row.name));
        if constexpr (requires { parameters.storage; }) {
            parameters.storage = StoragePrecision::single;
            add(std::string(row.name) + "_single");
            parameters.storage = StoragePrecision::half;
            add(std::string(row.name) + "_half");
        }
    });
    return all;
}

/// Formats that would be mostly fill for this matrix are skipped.
void add_case(const Executor& exec, const std::string& spec, const std::string& format, const Make& make_format)
{
    add("apply_" + format, exec, "double_int32", short_name(spec), [=](benchmark::State& state) {
        const auto a = problem<double, std::int32_t>(exec, spec);
        const auto before = exec.counters().allocated_bytes;
        LinOpPtr<double> op;
        try {
            op = make_format(*a);
        } catch (const InvalidParameter& e) {
            state.SkipWithError(e.what());
            return;
        }
        const auto held = static_cast<size_type>(exec.counters().allocated_bytes - before);
        const auto b = block<double>(exec, {a->size().cols, 1});
        Dense<double> x(exec, {a->size().rows, 1});
        const auto words = a->size().rows + a->size().cols;
        measure(state, exec, held + words * static_cast<size_type>(sizeof(double)), [&] { op->apply(b, x); });
    });
}

const Suite suite{[](const Executor& exec) {
    std::vector<std::string> specs = matrix_files();
    for (const char* spec : {"lap2d:1000", "lap3d:100"}) {
        specs.emplace_back(spec);
    }
    if (!exec.is_host()) {
        specs.insert(specs.end(), {"lap3d:256", "st27:128"});
    }
    const auto formats = all_formats();
    for (const auto& spec : specs) {
        for (const auto& [name, make_format] : formats) {
            add_case(exec, spec, name, make_format);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
