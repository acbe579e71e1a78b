#include "core/matrix/format_table.hpp"

#include <vector>

// instantiate: std::span<const FormatEntry<V, I>> format_table<V, I>()

namespace linden {

template <class V, class I>
std::span<const FormatEntry<V, I>> format_table()
{
    static const auto entries = [] {
        std::vector<FormatEntry<V, I>> all;
        for_each_format<V, I>([&]<class Format>(const auto& row, typename Format::Parameters defaults) {
            const auto describe = [defaults](ParameterVisitor& v) {
                auto parameters = defaults;
                parameters.describe(v);
            };
            const auto make = [defaults](const Csr<V, I>& matrix, ParameterVisitor* v) -> LinOpPtr<V> {
                auto parameters = defaults;
                if (v != nullptr) {
                    parameters.describe(*v);
                }
                return share(Format::from_csr(matrix, parameters));
            };
            all.push_back({row, describe, make});
        });
        return all;
    }();
    return entries;
}

}  // namespace linden
