#include <linden/matrix/automatic_format.hpp>

#include "core/matrix/format_table.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: LinOpPtr<V> automatic_format<V>(LinOpPtr<V>)

namespace linden {

template <class V>
LinOpPtr<V> automatic_format(LinOpPtr<V> matrix)
{
    if (matrix == nullptr) {
        throw InvalidParameter("matrix", "null", "an operator");
    }
    LinOpPtr<V> chosen;
    visit_csr("automatic_format", *matrix, [&]<class I>(const Csr<V, I>& csr) {
        for (const auto& format : format_table<V, I>()) {
            if (chosen == nullptr && csr.num_nonzeros() != 0 && format.is_fastest != nullptr &&
                format.is_fastest(csr)) {
                chosen = format.make(csr, nullptr);
            }
        }
    });
    return chosen == nullptr ? matrix : chosen;
}

}  // namespace linden
