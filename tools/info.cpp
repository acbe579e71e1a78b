#include "core/base/kernel.hpp"
#include "core/base/type_lists.hpp"

#include "tools/commands.hpp"
#include "tools/output_file.hpp"
#include "tools/report.hpp"

namespace linden::tool {
namespace {

std::string compiler()
{
#if defined(__clang__)
    return "Clang " __clang_version__;
#elif defined(__GNUC__)
    return "GCC " __VERSION__;
#else
    return "unknown";
#endif
}

template <class... I>
std::vector<std::string> index_names(TypeList<I...>)
{
    return {std::string(name(index_type_of<I>))...};
}

/// `double, int32` as two words.
std::vector<std::string> words(std::string_view types)
{
    std::vector<std::string> result;
    while (!types.empty()) {
        const auto end = types.find(", ");
        result.emplace_back(types.substr(0, end));
        types.remove_prefix(end == std::string_view::npos ? types.size() : end + 2);
    }
    return result;
}

InfoReport collect()
{
    InfoReport report;
    report.compiler = compiler();
    for_each_value([&]<class V>() { report.value_types.emplace_back(name(value_type_of<V>)); });
    report.index_types = index_names(IndexTypes{});
    for (int b = 0; b < num_backends; ++b) {
        report.backends.push_back(backend_info(static_cast<Backend>(b)));
    }
    for (const KernelEntry* kernel : KernelEntry::all()) {
        KernelReport entry{std::string(kernel->name()), words(kernel->types()), {}};
        for (int b = 0; b < num_backends; ++b) {
            if (kernel->available(static_cast<Backend>(b))) {
                entry.backends.push_back(static_cast<Backend>(b));
            }
        }
        report.kernels.push_back(std::move(entry));
    }
    return report;
}

}  // namespace

int info(const InfoCommand& command)
{
    const bool on_output = command.json == "-";
    OutputFile file(on_output ? std::string() : command.json, "--json");
    const auto report = collect();
    print_to_standard_output(on_output ? json(report) : table(report, command.kernels));
    if (file) {
        file.write(json(report));
    }
    return success;
}

}  // namespace linden::tool
