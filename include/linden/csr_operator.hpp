#pragma once

#include <linden/export.hpp>
#include <linden/lin_op.hpp>

#include <memory>
#include <utility>

namespace linden {

/// The common base of operators that are generated from a Csr of any index type and keep it. `Op<V>` has the members
/// parameters_, matrix_ and impl_; the last, hidden from users, is what was computed from the matrix. A movable value.
template <template <class> class Op, class V>
class LINDEN_EXPORT CsrOperator : public LinOp<V> {
public:
    bool is_capturable() const override;
    /// Generated again on `exec` from a copy of the matrix.
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Repeats the numeric phase with new values on the same pattern; the symbolic phase is not repeated.
    /// @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

protected:
    CsrOperator(Executor exec, Dim size) : LinOp<V>(std::move(exec), size) {}
    CsrOperator(CsrOperator&&) noexcept = default;
    CsrOperator& operator=(CsrOperator&&) noexcept = default;
};

}  // namespace linden
