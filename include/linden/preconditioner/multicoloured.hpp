#pragma once

#include <linden/csr_operator.hpp>
#include <linden/factory.hpp>
#include <linden/preconditioner/sweep_direction.hpp>
#include <linden/reorder/colouring.hpp>
#include <linden/reordered.hpp>
#include <linden/storage_precision.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace linden {

namespace detail {

template <class V>
class ColouredSweeps;

enum class ColouredFactors { ssor, ilu, cholesky };

}  // namespace detail

/// How rows are coloured, and how the coloured triangles are stored.
struct LINDEN_EXPORT MulticolourOptions {
    ColouringOptions colouring{};
    StoragePrecision storage = StoragePrecision::same;  ///< of off-diagonal entries
    /// Whether solvers iterate in the colour ordering. They then permute b and x once per solve, and keep a permuted
    /// copy of the matrix. Applies to matrices in Csr only.
    bool permute_loop = true;
    void describe(ParameterVisitor& v);
};

namespace detail {

/// What is built from the matrix in colour ordering.
struct MulticolourPlan {
    std::string_view name{};  ///< in static memory
    ColouredFactors factors = ColouredFactors::ssor;
    SweepDirection direction = SweepDirection::symmetric;
    double omega = 1;
    size_type power = 1;  ///< rows are coloured, and factors computed, on the pattern of |A|^power
    double shift = 0;
    MulticolourOptions options{};
};

}  // namespace detail

/// x := M^-1 b with M = S^-1 (I + L) (I + U) in colour ordering, where L and U are strict triangles and S is diagonal:
/// the common base of McSsor, McIlu and McIc. [HeuvelineEtAl10]
///
/// Rows of one colour are not coupled, so a multicolour solve with L or U goes colour by colour and updates all rows of
/// a colour in parallel. With `block_rows` > 1 blocks of neighbouring rows are coloured instead of rows, and one thread
/// updates the rows of a block in order; convergence is then closer to that of the natural ordering.
template <class V>
class LINDEN_EXPORT Multicoloured : public CsrOperator<Multicoloured, V>, public Reorderable<V> {
public:
    std::string name() const override { return std::string(parameters_.name); }
    ReorderedSystem<V> reordered_system() const override;

    size_type num_colours() const;
    /// Number of rows of each colour.
    std::vector<size_type> colour_sizes() const;
    /// Nonzeros of L and U together.
    size_type num_nonzeros() const;
    /// Bytes of L, U and S on the executor, with padding.
    size_type storage_bytes() const;
    /// Number of replaced pivots: zero or missing diagonal entries (McSsor); zero pivots, or pivots that are tiny
    /// relative to their row (McIlu, McIc). Waits for the executor.
    size_type num_replaced_pivots() const;

protected:
    /// @throws NotSupported if the matrix is not a Csr, DimensionMismatch if it is not square, InvalidParameter
    Multicoloured(Executor exec, detail::MulticolourPlan plan, LinOpPtr<V> matrix);
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    friend CsrOperator<Multicoloured, V>;

    detail::MulticolourPlan parameters_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::ColouredSweeps<V>> impl_;
};

/// Multi-coloured SSOR; symmetric Gauss-Seidel for omega = 1. In colour ordering, A = D + L + U:
///     M = (D/omega + L) (2/omega - 1)^-1 D^-1 (D/omega + U),
/// or one of its factors (D/omega + L), (D/omega + U). [HeuvelineEtAl10, 2], [Saad03, 12.4]
///
/// Zero or missing diagonal entries count as 1.
template <class V>
class LINDEN_EXPORT McSsor : public Multicoloured<V> {
public:
    static constexpr std::string_view type_name = "McSsor";

    struct Parameters {
        double omega = 1;  ///< relaxation, 0 < omega < 2
        SweepDirection direction = SweepDirection::symmetric;
        MulticolourOptions colours{};
        void describe(ParameterVisitor& v);
    };

    static Factory<McSsor> factory(Parameters parameters = {}) { return Factory<McSsor>(parameters); }

    McSsor(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// McIlu and McIc: incomplete factors in colour ordering on the pattern of |A|^(p + 1). The colouring is that of the
/// same pattern, so fill-in couples no rows of one colour. Pivots that are zero or tiny are replaced as in Ilu0.
template <class V, bool is_cholesky>
class LINDEN_EXPORT MulticolouredFactors : public Multicoloured<V> {
public:
    static constexpr std::string_view type_name = is_cholesky ? "McIc" : "McIlu";

    struct Parameters {
        size_type p = 0;   ///< fill-in: the factors have the pattern of |A|^(p + 1)
        double shift = 0;  ///< adds shift ||a_i||_2 to a_ii
        MulticolourOptions colours{};
        void describe(ParameterVisitor& v);
    };

    static Factory<MulticolouredFactors> factory(Parameters parameters = {})
    {
        return Factory<MulticolouredFactors>(parameters);
    }

    MulticolouredFactors(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// Multi-coloured ILU; ILU(0) in colour ordering for p = 0. [HeuvelineEtAl11], [Lukarski12, 3.4]
template <class V>
using McIlu = MulticolouredFactors<V, false>;

/// Multi-coloured incomplete Cholesky factors of a Hermitian matrix, from its lower triangle in colour ordering;
/// otherwise as McIlu.
template <class V>
using McIc = MulticolouredFactors<V, true>;

}  // namespace linden
