#pragma once

#include <linden/factory.hpp>
#include <linden/preconditioner/sweep_direction.hpp>
#include <linden/reorder/colouring.hpp>
#include <linden/reordered.hpp>
#include <linden/storage_precision.hpp>

#include <memory>
#include <string>
#include <vector>

namespace linden {

namespace detail {

template <class V>
class ColouredSweeps;

enum class ColouredFactors { ssor, ilu, cholesky };

}  // namespace detail

/// How rows get colours, and how what is made of them is stored.
struct LINDEN_EXPORT MulticolourOptions {
    ColouringOptions colouring{};
    StoragePrecision storage = StoragePrecision::same;  ///< of entries off the diagonal
    /// Solvers run in the ordering by colours: b and x are permuted once, at the price of a copy of the matrix in that
    /// order. Matrices in other formats than Csr stay as they are.
    bool permute_loop = true;
    void describe(ParameterVisitor& v);
};

namespace detail {

/// What is made of a matrix whose rows stand by colours.
struct MulticolourPlan {
    std::string name{};
    ColouredFactors factors = ColouredFactors::ssor;
    SweepDirection direction = SweepDirection::symmetric;
    double omega = 1;
    size_type power = 1;  ///< the rows are coloured by the pattern of A to this power, on which factors are made
    double shift = 0;
    MulticolourOptions options{};
};

}  // namespace detail

/// x := M^-1 b with M = (I + L) S^-1 (I + U) in an ordering of the rows by colours, where rows of one colour do not
/// need each other: what McSsor, McIlu and McIc have in common. [HeuvelineEtAl10]
///
/// The sweeps with L and U take one colour after the other, all of its rows at once. With `block_rows` > 1 in the
/// colouring, blocks of neighbouring rows have a colour together and one thread takes the rows of a block in their
/// order, so that convergence is closer to that of the natural order.
template <class V>
class LINDEN_EXPORT Multicoloured : public LinOp<V>, public Reorderable<V> {
public:
    ~Multicoloured() override;
    Multicoloured(Multicoloured&&) noexcept;
    Multicoloured& operator=(Multicoloured&&) noexcept;

    std::string name() const override { return plan_.name; }
    bool is_capturable() const override { return true; }
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// New values on the pattern that there is; the colours stay. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;
    ReorderedSystem<V> reordered_system() const override;

    size_type num_colours() const;
    /// Rows of each colour.
    std::vector<size_type> colour_sizes() const;
    /// Of L and U together.
    size_type num_nonzeros() const;
    /// Bytes of L, U and S on the executor, with padding.
    size_type storage_bytes() const;
    /// Zeros on the diagonal, or pivots of a factorization that are zero or tiny against their row, for which something
    /// else stands in; waits for the executor.
    size_type num_replaced_pivots() const;

protected:
    /// @throws NotSupported if the matrix is no Csr, DimensionMismatch if it is not square, InvalidParameter
    Multicoloured(Executor exec, detail::MulticolourPlan plan, LinOpPtr<V> matrix);
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    detail::MulticolourPlan plan_;
    LinOpPtr<V> matrix_;
    std::shared_ptr<detail::ColouredSweeps<V>> sweeps_;
};

/// Multi-coloured SSOR, for omega = 1 symmetric Gauss-Seidel:
///     M = (D/omega + L) (2/omega - 1)^-1 D^-1 (D/omega + U) in the ordering by colours, or one of its halves
/// (D/omega + L), (D/omega + U). [HeuvelineEtAl10, 2], [Saad03, 12.4]
/// A zero on the diagonal, or nothing, counts as 1.
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

/// Multi-coloured ILU: incomplete factors in the ordering by colours on the pattern of |A|^(p + 1), which the rows are
/// coloured by, too; ILU(0) for p = 0. [LukarskiEtAl13, 2], [Lukarski12, 3.4]
/// Pivots are treated as by Ilu0.
template <class V>
class LINDEN_EXPORT McIlu : public Multicoloured<V> {
public:
    static constexpr std::string_view type_name = "McIlu";

    struct Parameters {
        size_type p = 0;  ///< fill: entries of |A|^(p + 1)
        double shift = 0;
        MulticolourOptions colours{};
        void describe(ParameterVisitor& v);
    };

    static Factory<McIlu> factory(Parameters parameters = {}) { return Factory<McIlu>(parameters); }

    McIlu(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// Multi-coloured incomplete Cholesky factors of a Hermitian matrix, by its lower triangle in the ordering by colours;
/// otherwise as McIlu.
template <class V>
class LINDEN_EXPORT McIc : public Multicoloured<V> {
public:
    static constexpr std::string_view type_name = "McIc";

    struct Parameters {
        size_type p = 0;  ///< fill: entries of |A|^(p + 1)
        double shift = 0;
        MulticolourOptions colours{};
        void describe(ParameterVisitor& v);
    };

    static Factory<McIc> factory(Parameters parameters = {}) { return Factory<McIc>(parameters); }

    McIc(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

}  // namespace linden
