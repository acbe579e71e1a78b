#pragma once

#include <linden/csr_operator.hpp>
#include <linden/distributed/communicator.hpp>

#include "core/matrix/new_values.hpp"
#include "core/matrix/square.hpp"
#include "core/matrix/visit_csr.hpp"

namespace linden {

template <template <class> class Op, class V>
bool CsrOperator<Op, V>::is_capturable() const
{
    return static_cast<const Op<V>&>(*this).impl_->is_capturable();
}

template <template <class> class Op, class V>
std::unique_ptr<LinOp<V>> CsrOperator<Op, V>::clone(const Executor& exec) const
{
    const auto& self = static_cast<const Op<V>&>(*this);
    return std::unique_ptr<LinOp<V>>(new Op<V>(exec, self.parameters_, self.matrix_->clone(exec)));
}

template <template <class> class Op, class V>
void CsrOperator<Op, V>::update_values(LinOpPtr<V> matrix)
{
    auto& self = static_cast<Op<V>&>(*this);
    const auto ranks = self.matrix_->communicator();
    ranks.agree_after([&] { matrix = new_values_here(*this, *self.matrix_, std::move(matrix)); });
    self.impl_->update(*matrix);
    self.matrix_ = std::move(matrix);
}

}  // namespace linden
