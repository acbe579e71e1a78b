#include <linden/error.hpp>
#include <linden/matrix/validate.hpp>

#include <algorithm>

#include "core/kernels/validate.hpp"
#include "core/matrix/pattern_checks/pattern_checks.hpp"
#include "core/matrix/pattern_copy.hpp"

// instantiate: ValidationReport validate<V, I>(const Csr<V, I>&)
// instantiate: void require_valid_pattern<V, I>(const Csr<V, I>&)

namespace linden {
namespace {

/// What is counted.
std::string_view meaning(Finding f)
{
    constexpr std::string_view texts[] = {"rows with wrong row pointers",
                                          "entries in a column outside of the matrix",
                                          "entries left of their predecessor in the row",
                                          "entries in the column of their predecessor",
                                          "entries that are NaN or infinite",
                                          "rows without a diagonal entry",
                                          "rows with a zero on the diagonal"};
    return texts[static_cast<int>(f)];
}

bool is_error(Finding f) { return f != Finding::missing_diagonal && f != Finding::zero_diagonal; }

}  // namespace

bool ValidationReport::ok() const
{
    for (int f = 0; f < num_findings; ++f) {
        if (is_error(static_cast<Finding>(f)) && items[static_cast<std::size_t>(f)].count > 0) {
            return false;
        }
    }
    return true;
}

bool ValidationReport::has_full_diagonal() const
{
    return (*this)[Finding::missing_diagonal].count == 0 && (*this)[Finding::zero_diagonal].count == 0;
}

std::string ValidationReport::text() const
{
    std::string lines = std::to_string(size.rows) + " x " + std::to_string(size.cols) + ", " +
                        std::to_string(num_nonzeros) + " nonzeros: " + (ok() ? "valid" : "not valid") + "\n";
    for (int f = 0; f < num_findings; ++f) {
        const auto finding = static_cast<Finding>(f);
        const auto& item = (*this)[finding];
        if (item.count > 0) {
            lines += is_error(finding) ? "error: " : "note: ";
            lines += std::string(meaning(finding)) + ": " + std::to_string(item.count) + ", first in row " +
                     std::to_string(item.first_row) + "\n";
        }
    }
    return lines;
}

template <class V, class I>
ValidationReport validate(const Csr<V, I>& matrix)
{
    Array<CsrFindings> findings(matrix.executor(), 1);
    csr_validate<V, I>(matrix.executor(), matrix.view(), findings.data());
    const auto found = findings.to_host().front();

    ValidationReport report{matrix.size(), matrix.num_nonzeros(), {}};
    for (int f = 0; f < num_findings; ++f) {
        auto& item = report.items[static_cast<std::size_t>(f)];
        item.count = found.count[f];
        item.first_row = item.count > 0 ? found.first_row[f] : -1;
    }
    return report;
}

namespace {

void require_memory(std::string_view what, const void* data, size_type size)
{
    if (size > 0 && data == nullptr) {
        throw InvalidParameter(what, "null", "the address of " + std::to_string(size) + " values");
    }
}

}  // namespace

template <class V, class I>
void require_valid_pattern(const Csr<V, I>& matrix)
{
    if (matrix.size() == Dim{} && matrix.row_ptrs() == nullptr) {
        return;  // moved from
    }
    require_memory("row_ptrs", matrix.row_ptrs(), matrix.size().rows + 1);
    require_memory("col_idxs", matrix.col_idxs(), matrix.num_nonzeros());
    require_memory("values", matrix.values(), matrix.num_nonzeros());
    const auto report = validate(matrix);
    for (const auto f : {Finding::row_pointers, Finding::out_of_bounds, Finding::unsorted, Finding::duplicate}) {
        if (report[f].count > 0) {  // the host knows what is wrong, and how to say it
            const detail::PatternCopy<I> pattern(matrix.executor(), matrix.view());
            detail::require_well_formed(pattern.view());
            detail::require_sorted_rows(pattern.view());
        }
    }
}

}  // namespace linden
