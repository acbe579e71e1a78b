// needs: double int32
#include <linden/error.hpp>
#include <linden/matrix/bsr.hpp>
#include <linden/matrix/compact_sell.hpp>
#include <linden/matrix/coo.hpp>
#include <linden/matrix/dia.hpp>
#include <linden/matrix/ell.hpp>
#include <linden/matrix/hybrid.hpp>
#include <linden/matrix/sell.hpp>
#include <linden/matrix/sparsity_csr.hpp>

#include "benchmark/support/suite.hpp"

/// x := A b in every format, by the bytes that the format holds: fractions compare how well a kernel reads its format,
/// times which format to take.
namespace linden::benchmarks {
namespace {

using Matrix = Csr<double, std::int32_t>;
using Make = LinOpPtr<double> (*)(const Matrix&);

template <class Format>
LinOpPtr<double> make(const Matrix& a)
{
    return share(Format::from_csr(a));
}

template <StoragePrecision precision, int bits>
LinOpPtr<double> make_compact(const Matrix& a)
{
    return share(CompactSell<double>::from_csr(a, {.storage = precision, .index_bits = bits}));
}

constexpr std::pair<const char*, Make> formats[] = {
    {"csr", [](const Matrix& a) { return LinOpPtr<double>(share(a.copy())); }},
    {"ell", make<Ell<double, std::int32_t>>},
    {"sell", make<Sell<double, std::int32_t>>},
    {"coo", make<Coo<double, std::int32_t>>},
    {"hybrid", make<Hybrid<double, std::int32_t>>},
    {"dia", make<Dia<double, std::int32_t>>},
    {"bsr2", make<Bsr<double, std::int32_t>>},
    {"sparsity_csr", make<SparsityCsr<double, std::int32_t>>},
    {"compact16", make_compact<StoragePrecision::same, 16>},
    {"compact16_single", make_compact<StoragePrecision::single, 16>},
    {"compact16_half", make_compact<StoragePrecision::half, 16>},
};

/// Formats that would be mostly fill for this matrix are skipped.
void add_case(const Executor& exec, const std::string& spec, const std::string& format, Make make_format)
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
    for (const auto& spec : specs) {
        for (const auto& [name, make_format] : formats) {
            add_case(exec, spec, name, make_format);
        }
    }
}};

}  // namespace
}  // namespace linden::benchmarks
