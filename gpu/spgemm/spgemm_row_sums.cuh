#pragma once

#include "gpu/device/bits.cuh"
#include "gpu/spgemm/spgemm_values.cuh"

/// Sums of the products of a row of C, or of a slice of it, in shared memory: L lanes take the rows of B one after the
/// other.
namespace linden::LINDEN_GPU_NAMESPACE::spgemm {

/// The sorted columns of a row of C in shared memory, as a binary search tree: nodes 2 i and 2 i + 1 are below node i
/// [KhuongMorin17]. Lanes look for their columns at the same depth, whose nodes lie beside each other, in different
/// banks; among sorted columns they are a power of two apart, in few banks. The first two depths are in registers.
template <class I>
class ColumnTree {
public:
    /// origin: where its room begins in dynamic shared memory, counted in I.
    __device__ explicit ColumnTree(int origin) : origin_(origin) {}

    /// Puts n <= 2^depth columns into a tree of 2^depth, of which no_column fills up the last; 2 <= depth. Each of the
    /// `lanes` puts some; `finish_start` follows when they are there.
    __device__ void start(const I* cols, int n, int depth, int lane, int lanes)
    {
        depth_ = depth;
        for (int i = lane; i < 1 << depth; i += lanes) {
            node(origin_ + number_of(i)) = i < n ? cols[i] : no_column<I>;
        }
    }
    __device__ void finish_start()
    {
        root_ = node(origin_ + 1);
        left_ = node(origin_ + 2);
        right_ = node(origin_ + 3);
    }

    /// The places of columns that are there; of others, some place.
    template <int N>
    __device__ void find(const I (&cols)[N], int (&places)[N]) const
    {
        const int to_left = -origin_;
        const int to_right = 1 - origin_;
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            const bool is_right = root_ <= cols[i];
            places[i] = (is_right ? origin_ + 6 : origin_ + 4) + ((is_right ? right_ : left_) <= cols[i] ? 1 : 0);
        }
#pragma unroll 1
        for (int depth = 2; depth < depth_; ++depth) {
            LINDEN_UNROLL
            for (int i = 0; i < N; ++i) {
                places[i] = 2 * places[i] + (node(places[i]) <= cols[i] ? to_right : to_left);
            }
        }
        LINDEN_UNROLL
        for (int i = 0; i < N; ++i) {
            places[i] -= origin_ + (1 << depth_);
        }
    }

private:
    /// The node of column number i; number 0 is in no node.
    __device__ int number_of(int i) const
    {
        const auto path = static_cast<std::uint32_t>(i | 1 << depth_);
        return static_cast<int>(path >> (lowest_bit(path) + 1));
    }
    __device__ static I& node(int at) { return dynamic_shared<I>()[at]; }

    int origin_;
    I root_, left_, right_;
    int depth_ = 2;
};

/// What a lane holds of an entry of A: where the row of B is.
template <class V, class I>
struct EntryOfA {
    I begin;
    int length;
    V value;
};

/// Entry i of A.
template <class V, class I>
__device__ inline EntryOfA<V, I> entry_of_a(const Operands<V, I>& op, I i)
{
    const I k = op.a.col_idxs[i];
    return {op.b.row_ptrs[k], static_cast<int>(op.b.row_ptrs[k + 1] - op.b.row_ptrs[k]), op.a.values[i]};
}

/// L lanes to a row of C: one entry of A after the other, the lanes along its row of B. Rows of B for the next entries
/// are on their way meanwhile. Members are called by all lanes of a warp.
template <class V, class I, int L>
class RowSums {
public:
    /// columns: where their room begins in dynamic shared memory, counted in I.
    __device__ RowSums(V* sums, int columns) : sums_(sums), columns_(columns) {}

    /// For n columns; the room for sums and for nodes has a power of two of them, no less than 16.
    __device__ void start(const I* cols, int n)
    {
        int depth = 4;  // the same for all rows of the warp
        while (Warp::any(n > 1 << depth)) {
            ++depth;
        }
        columns_.start(cols, n, depth, lane(), L);
        for (int i = lane(); i < n; i += L) {
            sums_[i] = V{};
        }
        Warp::sync();
        columns_.finish_start();
    }

    /// Adds the products of the first `entries` entries that the lanes of a row hold.
    __device__ void add(const CsrView<V, I>& b, EntryOfA<V, I> mine, int entries)
    {
        if (!Warp::any(mine.length > L)) {
            add_rows<1>(b, mine, entries);
        } else if (!Warp::any(mine.length > 2 * L)) {
            add_rows<2>(b, mine, entries);
        } else {
            add_long_rows(b, mine, entries);
        }
    }

    __device__ void finish(V* values, int n)
    {
        for (int i = lane(); i < n; i += L) {
            values[i] = sums_[i];
        }
        Warp::sync();
    }

    __device__ static int lane() { return Warp::lane() % L; }

private:
    template <int Parts>
    static constexpr int at_once = sizeof(V) > 4 ? 4 / Parts : 4;

    /// Rows of B with at most L Parts entries.
    template <int Parts>
    __device__ void add_rows(const CsrView<V, I>& b, EntryOfA<V, I> mine, int entries)
    {
        constexpr int in_flight = at_once<Parts> * Parts;
        for (int first = 0; first < L && Warp::any(first < entries); first += at_once<Parts>) {
            I cols[in_flight];
            V products[in_flight];
            LINDEN_UNROLL
            for (int i = 0; i < at_once<Parts>; ++i) {
                load<Parts>(b, entry_of(mine, first + i), 0, cols + i * Parts, products + i * Parts);
            }
            int places[in_flight];
            columns_.find(cols, places);
            LINDEN_UNROLL
            for (int i = 0; i < in_flight; ++i) {
                if (cols[i] != no_column<I>) {
                    sums_[places[i]] += products[i];
                }
                if (i % Parts == Parts - 1) {
                    Warp::sync();  // before the products of the next row
                }
            }
        }
    }

    __device__ void add_long_rows(const CsrView<V, I>& b, EntryOfA<V, I> mine, int entries)
    {
        constexpr int parts = 4;
        for (int i = 0; i < L && Warp::any(i < entries); ++i) {
            const auto entry = entry_of(mine, i);
            for (int first = 0; first < entry.length; first += parts * L) {
                I cols[parts];
                V products[parts];
                load<parts>(b, entry, first, cols, products);
                int places[parts];
                columns_.find(cols, places);
                LINDEN_UNROLL
                for (int part = 0; part < parts; ++part) {
                    if (cols[part] != no_column<I>) {
                        sums_[places[part]] += products[part];
                    }
                }
            }
            Warp::sync();
        }
    }

    /// The products of an entry from number `first` of its row of B on.
    template <int Parts>
    __device__ static void load(const CsrView<V, I>& b, EntryOfA<V, I> entry, int first, I* cols, V* products)
    {
        LINDEN_UNROLL
        for (int part = 0; part < Parts; ++part) {
            const int at = first + part * L + lane();
            const bool exists = at < entry.length;
            cols[part] = exists ? b.col_idxs[entry.begin + at] : no_column<I>;
            products[part] = exists ? entry.value * b.values[entry.begin + at] : V{};
        }
    }

    __device__ static EntryOfA<V, I> entry_of(EntryOfA<V, I> mine, int source)
    {
        const int from = Warp::lane() - lane() + source;
        return {Warp::shuffle(mine.begin, from), Warp::shuffle(mine.length, from), Warp::shuffle(mine.value, from)};
    }

    V* sums_;
    ColumnTree<I> columns_;
};

}  // namespace linden::LINDEN_GPU_NAMESPACE::spgemm
