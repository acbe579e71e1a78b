#include <linden/matrix/automatic_format.hpp>

#include <vector>

#include "core/matrix/format_table.hpp"

// instantiate: std::span<const FormatEntry<V, I>> format_table<V, I>()

namespace linden {

template <class V, class I>
std::span<const FormatEntry<V, I>> format_table()
{
    using Matrix = typename FormatEntry<V, I>::Matrix;
    static const auto entries = [] {
        const auto nothing = [](ParameterVisitor&) {};
        std::vector<FormatEntry<V, I>> all;
        all.push_back({{"Csr", "the matrix as it is", "where no other is faster"},
                       nothing,
                       [](const Matrix& matrix, ParameterVisitor*) { return matrix; }});
        for_each_format<V, I>([&]<class Format>(const auto& row, const typename Format::Parameters& defaults) {
            const auto describe = [defaults](ParameterVisitor& v) {
                typename Format::Parameters(defaults).describe(v);
            };
            const auto make = [defaults](const Matrix& matrix, ParameterVisitor* v) {
                auto parameters = defaults;
                if (v != nullptr) {
                    parameters.describe(*v);
                }
                return share(Format::from_csr(*matrix, parameters));
            };
            all.push_back({row, describe, make});
        });
        all.push_back({{"Auto", "the first of these whose rule holds", "always"},
                       nothing,
                       [](const Matrix& matrix, ParameterVisitor*) { return automatic_format(matrix); }});
        return all;
    }();
    return entries;
}

}  // namespace linden
