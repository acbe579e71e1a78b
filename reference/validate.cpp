#include "core/kernels/validate.hpp"

#include <algorithm>

#include "core/base/math.hpp"

namespace linden::reference {
namespace {

template <class V, class I>
void validate_csr(const Executor&, CsrView<V, I> a, CsrFindings* findings)
{
    std::fill_n(findings->count, num_findings, 0);
    std::fill_n(findings->first_row, num_findings, CsrFindings::no_row);
    for (size_type row = 0; row < a.rows; ++row) {
        find_in_row(a, row, is_finite<V>, [&](Finding finding, size_type count) {
            const auto kind = static_cast<int>(finding);
            findings->count[kind] += count;
            if (count > 0) {
                findings->first_row[kind] = std::min(findings->first_row[kind], row);
            }
        });
    }
}

}  // namespace

void register_validate()
{
    for_each_value_index([]<class V, class I>() { csr_validate<V, I>.bind(Backend::reference, validate_csr<V, I>); });
}

}  // namespace linden::reference
