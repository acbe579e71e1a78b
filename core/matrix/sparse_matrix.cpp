#include <linden/matrix/sparse_matrix.hpp>

#include "core/matrix/new_values.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: class detail::SparseMatrix<V, I>

namespace linden::detail {

template <class V, class I>
void SparseMatrix<V, I>::update_values(LinOpPtr<V> matrix)
{
    const auto here = new_values_here(*this, std::move(matrix));
    fill(csr_of<V, I>(this->name() + "::update_values", *here, num_nonzeros()));
}

}  // namespace linden::detail
