#include <linden/preconditioner/scaled_operator.hpp>

#include "core/kernels/csr_values.hpp"
#include "core/matrix/visit_csr.hpp"
#include "core/preconditioner/alternating_copies.hpp"

// instantiate: class ScaledOperator<V>

namespace linden {

template <class V>
ScaledOperator<V>::ScaledOperator(Executor exec, std::string_view type_name, bool is_symmetric, LinOpPtr<V> matrix)
    : TransformedOperator<V>(exec, type_name, std::move(matrix)),
      rows_(exec, Array<V>(exec, this->size().rows)),
      copies_(std::make_shared<detail::AlternatingCopies<V>>())
{
    if (!is_symmetric) {
        columns_.emplace(exec, Array<V>(exec, this->size().rows));
    }
}

template <class V>
LinOpPtr<V> ScaledOperator<V>::transform(const LinOp<V>& matrix)
{
    const auto& exec = this->executor();
    LinOpPtr<V> scaled;
    visit_csr(this->type(), matrix, [&]<class I>(const Csr<V, I>& a) {
        find_scaling(a, rows_.values(), columns_ ? columns_->values() : nullptr);
        const auto copy = copies_->next([&] { return a.copy(); });
        copy_bytes(exec, a.values(), exec, copy->values(), static_cast<std::size_t>(a.num_nonzeros()) * sizeof(V));
        csr_scale_rows<V, I>(exec, copy->view(), rows_.values(), copy->values());
        csr_scale_columns<V, I>(exec, copy->view(), column_scaling().values(), copy->values());
        scaled = copy;
    });
    return scaled;
}

template <class V>
void ScaledOperator<V>::apply_right_inverse(const Dense<V>& x, Dense<V>& y) const
{
    column_scaling().inverse().apply(x, y);
}

}  // namespace linden
