#include "core/kernels/coo.hpp"

#include "core/base/math.hpp"
#include "omp/pack.hpp"
#include "omp/parallel.hpp"
#include "omp/tiles.hpp"

namespace linden::omp {
namespace {

/// Nonzeros in parts of equal size that begin and end with whole rows.
template <class I>
struct EntryPartition {
    const I* row_idxs;
    size_type rows;  ///< entries here

    size_type work() const { return rows; }
    size_type first(int part, int parts) const
    {
        size_type entry = rows * part / parts;
        while (entry > 0 && entry < rows && row_idxs[entry] == row_idxs[entry - 1]) {
            ++entry;
        }
        return entry;
    }
};

template <class V, class I>
void spmv_add(const Executor& exec, CooView<V, I> a, Scalar<V> alpha, DenseView<const V> b, DenseView<V> x,
              WorkspaceView)
{
    const auto tile = [=](auto lanes, size_type first, size_type last) {
        constexpr int width = lanes.width;
        const auto factor = lanes.gather([&](size_type c) { return alpha[c]; });
        const V* const b_first = b.values + lanes.first_column;
        V* const x_first = x.values + lanes.first_column;
        for (size_type k = first; k < last;) {
            const I row = a.row_idxs[k];
            Pack<V, width> sum;
            for (; k < last && a.row_idxs[k] == row; ++k) {
                sum.add_product(a.values[k], Pack<V, width>::load(b_first + size_type{a.col_idxs[k]} * b.stride));
            }
            V* const x_row = x_first + size_type{row} * x.stride;
            for (int lane = 0; lane < width; ++lane) {
                x_row[lane] += multiply(factor[lane], V{sum.lanes[lane]});
            }
        }
    };
    parallel_parts(exec, EntryPartition<I>{a.row_idxs, a.num_nonzeros},
                   [&](size_type begin, size_type end) { for_each_column_tile(begin, end, x.cols, tile); });
}

}  // namespace

void register_coo()
{
    for_each_value_index([]<class V, class I>() { coo_spmv_add<V, I>.bind(Backend::omp, spmv_add<V, I>); });
}

}  // namespace linden::omp
