#include "core/factorization/equilibrated_matrix.hpp"

#include "core/kernels/csr.hpp"
#include "core/kernels/equilibration.hpp"

// instantiate: class detail::EquilibratedMatrix<V, I>

namespace linden::detail {

template <class V, class I>
EquilibratedMatrix<V, I>::EquilibratedMatrix(const Csr<V, I>& a, bool is_symmetric)
    : exec_(a.executor()),
      is_symmetric_(is_symmetric),
      scaled_(a.copy()),
      diagonal_(exec_, is_symmetric ? a.size().rows : 0),
      magnitudes_(exec_, is_symmetric ? a.size().rows : a.num_nonzeros()),
      norms_(exec_, is_symmetric ? 0 : a.size().rows),
      rows_(exec_, a.size().rows),
      columns_(exec_, is_symmetric ? 0 : a.size().cols)
{
    if (!is_symmetric) {
        transposed_ = transposed_pattern<I>(exec_, a.view());
    }
    update(a);
}

template <class V, class I>
void EquilibratedMatrix<V, I>::update(const Csr<V, I>& a)
{
    if (is_symmetric_) {
        find_symmetric(a);
    } else {
        find_both(a);
    }
    equilibration_scale<V, I>(exec_, a.view(), rows_.data(), is_symmetric_ ? rows_.data() : columns_.data(),
                              scaled_.values());
}

template <class V, class I>
void EquilibratedMatrix<V, I>::find_symmetric(const Csr<V, I>& a)
{
    const auto n = a.size().rows;
    csr_extract_diagonal<V, I>(exec_, a.view(), DenseView<V>{n, 1, 1, diagonal_.data()});
    equilibration_magnitudes<V>(exec_, n, diagonal_.data(), magnitudes_.data());
    equilibration_powers<R>(exec_, n, magnitudes_.data(), true, rows_.data());
}

template <class V, class I>
void EquilibratedMatrix<V, I>::find_both(const Csr<V, I>& a)
{
    const auto n = a.size().rows;
    equilibration_magnitudes<V>(exec_, a.num_nonzeros(), a.values(), magnitudes_.data());
    equilibration_begin<R>(exec_, n, columns_.data());
    equilibration_norms<R, I>(exec_, a.view(), nullptr, magnitudes_.data(), columns_.data(), ScalingNorm::infinity,
                              norms_.data());
    equilibration_powers<R>(exec_, n, norms_.data(), false, rows_.data());
    equilibration_norms<R, I>(exec_, transposed_->view(), transposed_->source.data(), magnitudes_.data(), rows_.data(),
                              ScalingNorm::infinity, norms_.data());
    equilibration_powers<R>(exec_, n, norms_.data(), false, columns_.data());
}

template <class V, class I>
void EquilibratedMatrix<V, I>::restore(Csr<V, I>& factors) const
{
    equilibration_restore<V, I>(exec_, factors.view(), rows_.data(), is_symmetric_ ? nullptr : columns_.data(),
                                factors.values());
}

}  // namespace linden::detail
