#pragma once

#include <linden/csr_operator.hpp>
#include <linden/factory.hpp>
#include <linden/matrix_data.hpp>
#include <linden/null_space.hpp>
#include <linden/storage_precision.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace linden {

namespace detail {

template <class V>
class AmgHierarchy;

}  // namespace detail

/// The precision of the levels of Amg: `automatic` is half where its range suffices, else single.
enum class AmgStorage { automatic, half, single, same };

/// How a level of Amg gets the next one.
/// - smoothed: by aggregates, with smoothed prolongators.
/// - unsmoothed: by aggregates, with piecewise constant prolongators, for K-cycles.
/// - classical: some rows are the rows of the next level, and the others are interpolated from them. Only for one
///   unknown per node: fewer iterations on anisotropic meshes, for more entries. [DeSterckEtAl06], [LiSjogreenYang21]
enum class AmgMethod { smoothed, unsmoothed, classical };

/// What an application of Amg does.
/// - additive: the V(1,1) cycle with l1-Jacobi in few kernels; levels of at most `additive_rows` rows take its additive
///   form.
/// - v, w, f, k: multiplicative cycles, for any smoother. A level visits the next one once (v); twice (w); twice, the
///   second time in a V-cycle (f); or for two steps of conjugate gradients (k). A K-cycle makes M depend on b: use
///   FlexibleCg or Fgmres.
enum class AmgCycle { automatic, additive, v, w, f, k };

constexpr std::string_view name(AmgCycle cycle)
{
    constexpr std::string_view names[] = {"automatic", "additive", "v", "w", "f", "k"};
    return names[static_cast<int>(cycle)];
}

/// Why Amg has no more levels. The last one is small enough; the next would hardly be smaller (`stalled`); `max_levels`
/// are reached; or the rows of the last one hardly couple, so that sweeps over it do as well as more levels (`swept`).
enum class AmgEnd { small, stalled, max_levels, swept };

constexpr std::string_view name(AmgEnd end)
{
    constexpr std::string_view names[] = {"small", "stalled", "max_levels", "swept"};
    return names[static_cast<int>(end)];
}

/// The parts of a set-up: what the matrix asks for, aggregates, prolongators, products of matrices, what the cycle
/// reads (stored matrices, smoothers), the inverse of the last level.
enum class AmgPhase { matrix, aggregates, prolongators, products, cycle, inverse };
inline constexpr std::size_t num_amg_phases = 6;

constexpr std::string_view name(AmgPhase phase)
{
    constexpr std::string_view names[] = {"matrix", "aggregates", "prolongators", "products", "cycle", "inverse"};
    return names[static_cast<int>(phase)];
}

/// A level of Amg, from the matrix itself to the coarsest.
struct AmgLevelReport {
    size_type rows = 0;
    size_type nonzeros = 0;              ///< of the level's matrix
    size_type prolongator_nonzeros = 0;  ///< of the cycle's prolongator; 0 on the coarsest level
    size_type storage_bytes = 0;         ///< of what an application reads
    StoragePrecision storage = StoragePrecision::same;
    int index_bits = 0;  ///< of the level's matrix; 0 where a dense inverse stands for it
    /// The first level's different rows where they are so few that the cycle takes the matrix by them; else 0.
    size_type num_stencils = 0;
    /// The points of the blocks along x, y and z that are the level's aggregates; zeros where it has others.
    std::array<size_type, 3> block_points{};
};

/// What Amg has built.
struct AmgReport {
    std::vector<AmgLevelReport> levels;
    AmgEnd end = AmgEnd::small;
    AmgCycle cycle = AmgCycle::additive;
    /// Over several ranks: how many levels are spread over them; each rank has all of the others. Sizes of spread
    /// levels are those of all ranks together, sizes of the others those of one rank.
    size_type num_spread_levels = 0;
    /// The host's time in each phase of the set-up. Work of a device counts in the phase where the host waits for it.
    std::array<double, num_amg_phases> seconds{};

    /// Nonzeros of all levels over those of the first.
    LINDEN_EXPORT double operator_complexity() const;
    /// Rows of all levels over those of the first.
    LINDEN_EXPORT double grid_complexity() const;
    LINDEN_EXPORT size_type storage_bytes() const;
    /// A line for each level, and one for the sums.
    LINDEN_EXPORT std::string text() const;
};

/// Algebraic multigrid by smoothed aggregation: x := M^-1 b with one V-cycle. For matrices of diffusion and close ones,
/// it needs about the same number of iterations for any size. [VanekMandelBrezina96]
///
/// Rows that strong entries connect form aggregates, found by an independent set at distance 2, or blocks of two or
/// three points along each axis where rows are the points of a regular grid, x first, whose coefficients are much the
/// same everywhere. Each aggregate becomes a row of the next level. The cycle is V(1,1) with l1-Jacobi sweeps. Levels
/// that are not large take its additive form: one product per level on the way down and one kernel on the way up, at
/// the cost of two more matrices [VassilevskiYang14]. The smallest level is inverted. Nothing has to be set. A
/// nonsymmetric matrix gets restrictions of its own. M is Hermitian positive definite if A is.
///
/// Systems of equations have `block_rows` unknowns in each node, which are aggregated together, and a near-null space:
/// `near_nullspace`, the rigid-body modes of `coordinates`, or else constants for each unknown. For systems, and for
/// any `cycle` but the additive one, levels have the precision of the matrix, or single precision with storage=single.
/// Sweeps before and behind the correction are x := x + damping S (b - A x). S is what `smoother` makes of the level's
/// matrix; by default it is a Chebyshev polynomial of the fourth kind of degree 2, or l1-Jacobi if A is not Hermitian.
/// M is Hermitian if S is. [BriggsHensonMcCormick00], [VanekMandelBrezina96]
///
/// Of a distributed::Matrix, levels are spread over the ranks as its rows are, down to the first level of at most
/// `gathered_rows` rows; that level and all below it are on every rank. Aggregates, prolongators and products are the
/// same as on one rank with grid_blocks=false, and spread levels take V(1,1) as sweeps. So M is the same for any number
/// of ranks from two on, but for rounding below the gathered level. Only for one unknown per node; for systems, Schwarz makes a multigrid from the
/// rows of each rank.
///
/// The hierarchy of the additive cycle is computed in single precision, unless `storage` is `same` or the matrix itself
/// is small enough to be inverted. Vectors of the cycle have its type, so b must be in its range. New values keep
/// aggregates and patterns.
template <class V>
class LINDEN_EXPORT Amg : public CsrOperator<Amg, V>, public KnowsNullSpace<V> {
public:
    static constexpr std::string_view type_name = "Amg";

    struct Parameters {
        /// An entry is strong if it has at least this share of the largest entry of its row; negative: 0.4, and 0.25
        /// for method classical.
        double threshold = -1;
        /// How far prolongators are smoothed; negative: 1.6, and 1 for matrices that are not Hermitian.
        double prolongator_damping = -1;
        /// Damping of the sweeps, less than 2. Negative: in additive cycles 1.8, and 1.5 for matrices that are not
        /// Hermitian; in others 1, or what brings the largest eigenvalue of S A to 4/3.
        double damping = -1;
        double truncation = 0.03;     ///< prolongators lose entries below that share of their row's largest
        size_type coarse_rows = 512;  ///< a level of at most so many rows is inverted
        size_type max_levels = 25;
        size_type additive_rows = 262144;  ///< levels of at most so many rows take the additive form of the cycle
        size_type gathered_rows = 32768;   ///< of several ranks, each has a level of at most so many rows as a whole
        /// Rows of a regular grid, whose coefficients are alike, are aggregated in blocks: by the additive cycle, of
        /// matrices on one rank with at least 16384 rows.
        bool grid_blocks = true;
        AmgStorage storage = AmgStorage::automatic;
        AmgMethod method = AmgMethod::smoothed;
        /// automatic: additive for one unknown per node unless `method`, `smoother` or `sweeps` ask for more, else v.
        AmgCycle cycle = AmgCycle::automatic;
        FactoryPtr<V> smoother{};    ///< any operator that is made of a level's matrix
        size_type sweeps = 1;        ///< before and behind the correction
        size_type max_elements = 4;  ///< of a prolongator's row, for method classical
        size_type block_rows = 1;    ///< successive rows that are the unknowns of a node
        /// Vectors that A maps to about 0: rows x number of vectors, on any executor.
        std::shared_ptr<const Dense<V>> near_nullspace{};
        /// Positions of the nodes, instead of `near_nullspace`: nodes x 2 or 3. Rigid-body modes are made from them;
        /// there are as many unknowns per node as columns.
        std::shared_ptr<const DenseData<double>> coordinates{};
        std::string near_nullspace_file{};  ///< Matrix Market, instead of `near_nullspace`
        std::string coordinates_file{};     ///< instead of `coordinates`
        /// A is singular. Its null space is spanned by `near_nullspace`, else by the rigid-body modes, else by the
        /// constants. It is taken out of b and x, so that CG finds a least-squares solution if b is not in the range of
        /// A.
        bool singular = false;
        void describe(ParameterVisitor& v);
    };

    static Factory<Amg> factory(Parameters parameters = {}) { return Factory<Amg>(std::move(parameters)); }

    /// Collective if the matrix is spread over ranks.
    /// @throws NotSupported if the matrix is neither a Csr nor a distributed::Matrix, DimensionMismatch if it is not
    /// square, InvalidParameter, FileError, OutOfMemory, RemoteError, what the smoother's factory throws
    Amg(Executor exec, Parameters parameters, LinOpPtr<V> matrix);

    std::string name() const override { return "Amg"; }
    Communicator communicator() const override;
    const AmgReport& report() const;
    /// With `singular`.
    std::shared_ptr<const detail::NullSpace<V>> null_space() const override { return null_space_; }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;
    void apply_dot_impl(const Dense<V>& b, Dense<V>& x, const DotRequest<V>& dots) const override;

private:
    friend CsrOperator<Amg, V>;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::AmgHierarchy<V>> impl_;
    std::shared_ptr<const detail::NullSpace<V>> null_space_;  ///< of singular matrices
};

}  // namespace linden
