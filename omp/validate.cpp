#include "core/kernels/validate.hpp"

#include <algorithm>
#include <mutex>

#include "core/base/math.hpp"
#include "omp/parallel.hpp"

namespace linden::omp {
namespace {

void clear(CsrFindings& findings)
{
    std::fill_n(findings.count, num_findings, 0);
    std::fill_n(findings.first_row, num_findings, CsrFindings::no_row);
}

void join(CsrFindings& all, const CsrFindings& some)
{
    for (int kind = 0; kind < num_findings; ++kind) {
        all.count[kind] += some.count[kind];
        all.first_row[kind] = std::min(all.first_row[kind], some.first_row[kind]);
    }
}

/// Rows in parts of equal length: the row pointers, which a partition by nonzeros would trust, are under suspicion.
template <class V, class I>
void validate_csr(const Executor& exec, CsrView<V, I> a, CsrFindings* findings)
{
    clear(*findings);
    std::mutex joining;
    const auto mean = a.rows == 0 ? 0 : a.num_nonzeros / a.rows;
    parallel_rows(exec, {a.rows, mean + 1}, [&](size_type begin, size_type end) {
        CsrFindings mine;
        clear(mine);
        for (size_type row = begin; row < end; ++row) {
            find_in_row(a, row, is_finite<V>, [&](Finding finding, size_type count) {
                const auto kind = static_cast<int>(finding);
                mine.count[kind] += count;
                if (count > 0) {
                    mine.first_row[kind] = std::min(mine.first_row[kind], row);
                }
            });
        }
        const std::lock_guard lock(joining);
        join(*findings, mine);
    });
}

}  // namespace

void register_validate()
{
    for_each_value_index([]<class V, class I>() { csr_validate<V, I>.bind(Backend::omp, validate_csr<V, I>); });
}

}  // namespace linden::omp
