#pragma once

#include <linden/preconditioner/multi_elimination.hpp>

#include <memory>
#include <vector>

namespace linden::detail {

/// The parameters of MultiElimination with those of its rule.
struct EliminationPlan {
    EliminationPivots pivots = EliminationPivots::natural;
    EliminationThreshold threshold = EliminationThreshold::mean;
    double beta = 0;
    double decay = 1;
    double omega = 0;
    double theta = 0;
    size_type bottom_rows = 0;
    double bottom_density = 1;
    size_type block_levels = 1;
    double least_share = 0;           ///< of pivots in levels behind the first; with less there are no more levels
    size_type most_inverted = 16384;  ///< rows of a bottom without a factory; a larger one has factors
    double delta = 0;
    size_type depth = 0;
    StoragePrecision storage = StoragePrecision::same;
    StoragePrecision bottom_storage = StoragePrecision::same;
};

/// The levels and the bottom, for any index type.
template <class V>
class MultiEliminationFactors {
public:
    virtual ~MultiEliminationFactors() = default;

    virtual void apply(const Dense<V>& b, Dense<V>& x) const = 0;
    virtual void update(const LinOp<V>& matrix) = 0;
    virtual bool is_capturable() const = 0;
    virtual size_type num_nonzeros() const = 0;
    virtual size_type storage_bytes() const = 0;
    virtual size_type num_bad_pivots() const = 0;

    std::vector<typename MultiElimination<V>::Level> levels;
};

/// @throws NotSupported if the matrix is not a Csr, InvalidParameter, OutOfMemory
template <class V>
std::shared_ptr<MultiEliminationFactors<V>> make_multi_elimination(const LinOp<V>& matrix, const EliminationPlan& plan,
                                                                   const FactoryPtr<V>& bottom);

}  // namespace linden::detail
