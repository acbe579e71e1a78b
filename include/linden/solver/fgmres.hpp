#pragma once

#include <linden/solver/gmres.hpp>

namespace linden {

/// Flexible GMRES: the preconditioner may change from one application to the next, as an inner iterative solver does.
/// It stores the preconditioned basis too, and forms the correction of x from it. [Saad93]
template <class V>
class LINDEN_EXPORT Fgmres : public GmresBase<V> {
public:
    static constexpr std::string_view type_name = "Fgmres";

    static Factory<Fgmres> factory(GmresParameters<V> parameters = {})
    {
        return Factory<Fgmres>(std::move(parameters));
    }

    /// @throws DimensionMismatch if A is not square, InvalidParameter if krylov_dim < 1, and what the preconditioner's
    /// factory throws
    Fgmres(Executor exec, GmresParameters<V> parameters, LinOpPtr<V> matrix)
        : GmresBase<V>(std::move(exec), std::move(parameters), std::move(matrix), true)
    {
    }

    std::string name() const override { return "Fgmres"; }
};

}  // namespace linden
