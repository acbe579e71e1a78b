#pragma once

#include <linden/factory.hpp>

namespace linden::distributed {

/// The domains of a coarse space within the rows of a rank.
enum class CoarseDomains {
    stripes,  ///< consecutive rows
    metis     ///< parts of the graph of the rank's rows with a small edge cut, by METIS
};

/// A Schwarz preconditioner: each rank applies a preconditioner or solver that it made from its own rows, extended by
/// `overlap` layers of rows of its neighbours. Any factory for one process becomes one for many.
/// [Saad03, 14.3; CaiSarkis99]
///
/// Without overlap it is block Jacobi with a block per rank, and an application needs no messages. With overlap it
/// first takes the values of b from the neighbours. If `restricted`, each rank then keeps the values of its own rows
/// (the usual choice, not symmetric). Otherwise overlapping values are added up; that takes a second exchange, and is
/// symmetric if the local operators are, as Cg needs. On one rank without a coarse space it is the local operator.
///
/// Iterations grow with the number of ranks, unless a coarse space carries what varies slowly from rank to rank. Z then
/// has a column for each of `coarse` domains of each rank, which is 1 on the rows of the domain. E = Z^H A Z is k x k
/// for all ranks together, and each rank holds its inverse. An application corrects before and after the local
/// operators M:
///     x := Z E^-1 Z^H b,  x := x + M^-1 (b - A x),  x := x + Z E^-1 Z^H (b - A x) [Mandel93]
/// This is Hermitian if A and M are. It costs a product with A, two messages of `coarse` values to all ranks and two
/// products with E^-1, k^2 values each; the set-up takes k^3 operations on each rank. Suitable for k up to some
/// thousands.
template <class V>
class LINDEN_EXPORT Schwarz : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Schwarz";

    struct Parameters {
        FactoryPtr<V> local{};  ///< made from the rows of each rank; null: Ilu0
        size_type overlap = 0;
        bool restricted = true;
        size_type coarse = 0;  ///< domains of each rank whose constants make a coarse space; 0: none
        CoarseDomains coarse_kind = CoarseDomains::metis;

        void describe(ParameterVisitor& v);
    };

    static Factory<Schwarz> factory(Parameters parameters = {}) { return Factory<Schwarz>(std::move(parameters)); }

    /// Collective if the matrix is a distributed::Matrix; otherwise there is one rank, with all rows.
    /// @throws InvalidParameter if overlap or coarse is negative; NotSupported if a coarse space
    /// is to be of a matrix that is neither a distributed::Matrix nor a Csr, or METIS is missing; what the local
    /// factory throws, on other ranks RemoteError
    Schwarz(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Schwarz() override;

    std::string name() const override { return "Schwarz"; }
    Communicator communicator() const override;
    /// Collective, if there is overlap. @throws NotSupported, DimensionMismatch, RemoteError
    void update_values(LinOpPtr<V> matrix) override;
    bool is_capturable() const override;

    /// The operator of this rank; null if it has no rows.
    const LinOp<V>* local() const;
    /// The rows of this rank and its overlap.
    size_type num_local_rows() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    struct Domain;
    std::unique_ptr<Domain> domain_;
};

}  // namespace linden::distributed
