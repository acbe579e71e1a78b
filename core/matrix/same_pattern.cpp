#include <linden/error.hpp>
#include <linden/matrix/csr.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "core/matrix/pattern_checks/pattern_checks.hpp"
#include "core/matrix/pattern_copy.hpp"
#include "core/matrix/same_nonzeros.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: void detail::require_same_pattern<V>(std::string_view, const LinOp<V>&, const LinOp<V>&)

namespace linden {
namespace {

template <class V, class I>
void require_same_rows(std::string_view who, const Csr<V, I>& old, const Csr<V, I>& fresh)
{
    detail::require_same_nonzeros(who, old.num_nonzeros(), fresh.num_nonzeros());
    const detail::PatternCopy<I> a(old.executor(), old.view()), b(fresh.executor(), fresh.view());
    const auto row_of = [](const detail::PatternCopy<I>& rows, size_type row) {
        return std::vector<I>(rows.col_idxs.begin() + rows.row_ptrs[static_cast<std::size_t>(row)],
                              rows.col_idxs.begin() + rows.row_ptrs[static_cast<std::size_t>(row) + 1]);
    };
    if (a.row_ptrs == b.row_ptrs && a.col_idxs == b.col_idxs) {
        return;
    }
    for (size_type row = 0; row < old.size().rows; ++row) {
        const auto before = row_of(a, row), now = row_of(b, row);
        if (before == now) {
            continue;
        }
        const auto [was, is] = std::mismatch(before.begin(), before.end(), now.begin(), now.end());
        const auto column = [](const auto at, const auto end) {
            return at == end ? std::string("none") : std::to_string(*at);
        };
        throw InvalidParameter("matrix", "a matrix of another pattern",
                               "the pattern that " + std::string(who) + " knows, but row " + std::to_string(row) +
                                   " has column " + column(is, now.end()) + " in place of " +
                                   column(was, before.end()));
    }
}

}  // namespace

template <class V>
void detail::require_same_pattern(std::string_view who, const LinOp<V>& old, const LinOp<V>& fresh)
{
    if (&old == &fresh) {
        return;
    }
    const auto source_of = [](const LinOp<V>& op) -> const LinOp<V>& {
        const auto* const formatted = dynamic_cast<const Formatted<V>*>(&op);
        return formatted == nullptr ? op : *formatted->source();
    };
    visit_if_csr(source_of(old), [&]<class I>(const Csr<V, I>& a) {
        if (const auto* const b = dynamic_cast<const Csr<V, I>*>(&source_of(fresh)); b != nullptr) {
            require_same_rows(who, a, *b);
        }
    });
}

}  // namespace linden
