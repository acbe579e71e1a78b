#include "core/factorization/dense_inverse.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "core/matrix/sell_pattern.hpp"

// instantiate: class detail::DenseInverse<V>

namespace linden::detail {
namespace {

/// Calls f.operator()<S>() for the type of stored values.
template <class V, class F>
void with_storage(StoragePrecision storage, F&& f)
{
    with_stored_type<V, std::int32_t>(storage, std::forward<F>(f));
}

template <class V>
size_type workspace_bytes(size_type size)
{
    return std::max(dense_inverse_workspace_bytes<V>(size), galerkin_workspace_bytes<V>(size, galerkin_part(0, size)));
}

}  // namespace

template <class V>
DenseInverse<V>::DenseInverse(const Executor& exec, size_type size, StoragePrecision storage, DensePivots pivots,
                              double smallest_pivot)
    : exec_(exec),
      size_(size),
      storage_(storage),
      pivots_(pivots),
      smallest_pivot_(smallest_pivot),
      stored_(exec),
      values_(exec),
      scales_(exec),
      order_(exec),
      positions_(exec),
      has_pivot_(exec),
      is_kept_(exec),
      workspace_(exec)
{
    check_storage<V, std::int32_t>(storage);
    with_storage<V>(storage_, [&]<class S>() {
        constexpr size_type aligned = std::max<size_type>(16 / sizeof(S), 1);
        stride_ = (size_ + aligned - 1) / aligned * aligned;
        stored_.resize(size_ * stride_ * static_cast<size_type>(sizeof(S)));
    });
}

template <class V>
GalerkinView<V> DenseInverse<V>::view()
{
    const double eps = std::numeric_limits<real_t<V>>::epsilon();
    const double least = std::max(smallest_pivot_, 8 * eps * static_cast<double>(size_));
    return {size_, values_.data(), scales_.data(), is_kept_.data(),
            pivots_ == DensePivots::diagonal ? std::max(least, 1e-8) : least};
}

template <class V>
template <class Prepare>
void DenseInverse<V>::eliminate(const V* a, Elimination how, const Prepare& prepare)
{
    dense_inverse_scales<V>(exec_, size_, a, scales_.data());
    dense_inverse_widen<V>(exec_, size_, a, order_.data(), values_.data());
    for (size_type first = 0; first < size_; first += galerkin_block_rows) {
        prepare(first);
        galerkin_gauss_jordan<V>(exec_, view(), galerkin_part(0, size_), first, how,
                                 {workspace_.data(), workspace_.size()});
    }
}

template <class V>
void DenseInverse<V>::factorize(const V* a)
{
    start(a);
    finish(a);
}

template <class V>
void DenseInverse<V>::start(const V* a)
{
    std::vector<std::int32_t> order(static_cast<std::size_t>(size_));
    std::iota(order.begin(), order.end(), 0);
    order_ = Array<std::int32_t>(exec_, order);
    values_.resize(size_ * size_);
    scales_.resize(size_);
    is_kept_.resize(size_);
    workspace_.resize(workspace_bytes<V>(size_));
    num_singular_ = 0;
    if (pivots_ == DensePivots::diagonal) {
        eliminate(a, Elimination::inverse, [](size_type) {});
    } else {
        look_for_pivots(a);
    }
}

template <class V>
void DenseInverse<V>::finish(const V* a)
{
    if (pivots_ == DensePivots::diagonal) {
        const auto kept = is_kept_.to_host();
        if (std::count(kept.begin(), kept.end(), 0) == 0) {
            positions_ = order_.clone();
            store();
            return;
        }
        pivots_ = DensePivots::columns;
        look_for_pivots(a);
    }
    take_pivots();
    store();
}

template <class V>
void DenseInverse<V>::look_for_pivots(const V* a)
{
    eliminate(a, Elimination::ordered, [&](size_type first) {
        dense_inverse_pivot_rows<V>(exec_, view(), order_.data(), first, {workspace_.data(), workspace_.size()});
    });
}

template <class V>
void DenseInverse<V>::take_pivots()
{
    const auto order = order_.to_host();
    std::vector<std::int32_t> positions(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        positions[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    }
    positions_ = Array<std::int32_t>(exec_, positions);
    has_pivot_ = is_kept_.clone();
    const auto kept = is_kept_.to_host();
    num_singular_ = std::count(kept.begin(), kept.end(), 0);
}

template <class V>
void DenseInverse<V>::update(const V* a)
{
    if (pivots_ == DensePivots::diagonal) {
        eliminate(a, Elimination::inverse, [](size_type) {});
    } else {
        copy_bytes(exec_, has_pivot_.data(), exec_, is_kept_.data(), is_kept_.bytes());
        eliminate(a, Elimination::ordered, [](size_type) {});
    }
    store();
}

template <class V>
void DenseInverse<V>::store()
{
    const PivotedInverse<wide_t<V>> inverse{size_, values_.data(), is_kept_.data(), positions_.data()};
    with_storage<V>(storage_, [&]<class S>() {
        dense_inverse_round<V, S>(exec_, inverse, stride_, reinterpret_cast<S*>(stored_.data()));
    });
}

template <class V>
void DenseInverse<V>::apply(DenseView<const V> b, DenseView<V> x) const
{
    with_storage<V>(storage_, [&]<class S>() {
        const DenseView<const S> w{size_, size_, stride_, reinterpret_cast<const S*>(stored_.data())};
        dense_inverse_apply<V, S>(exec_, w, b, x);
    });
}

}  // namespace linden::detail
