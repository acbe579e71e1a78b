#pragma once

#include <linden/factory.hpp>

namespace linden::distributed {

/// A Schwarz preconditioner: each rank applies a preconditioner or solver that it made from its own rows, extended by
/// `overlap` layers of rows of its neighbours. Any factory for one process becomes one for many.
/// [Saad03, 14.3; CaiSarkis99]
///
/// Without overlap it is block Jacobi with a block per rank, and an application needs no messages. With overlap it
/// takes the values of b from the neighbours first. Restricted, each rank then keeps the values of its own rows (the
/// usual choice, not symmetric); else overlapping values are added up, which takes a second exchange and is symmetric
/// if the local operators are, as Cg needs. On one rank it is the local operator.
template <class V>
class LINDEN_EXPORT Schwarz : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Schwarz";

    struct Parameters {
        FactoryPtr<V> local{};  ///< made from the rows of each rank; null: Ilu0
        size_type overlap = 0;
        bool restricted = true;

        void describe(ParameterVisitor& v);
    };

    static Factory<Schwarz> factory(Parameters parameters = {}) { return Factory<Schwarz>(std::move(parameters)); }

    /// Collective if the matrix is a distributed::Matrix; otherwise there is one rank, with all rows.
    /// @throws InvalidParameter if overlap is negative; what the local factory throws, on other ranks RemoteError
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
