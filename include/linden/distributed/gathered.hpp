#pragma once

#include <linden/factory.hpp>

namespace linden::distributed {

/// Rank 0 gets the whole matrix, makes an ordinary solver or preconditioner from it, and applies that for all ranks. By
/// default this is `Lu`, which solves matrices of some 10^5 rows that no method over ranks solves. The other ranks wait
/// meanwhile. An application takes one message from each rank to rank 0 and one back.
template <class V>
class LINDEN_EXPORT Gathered : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Gathered";

    struct Parameters {
        FactoryPtr<V> inner{};  ///< made of the whole matrix; null: Lu

        void describe(ParameterVisitor& v);
    };

    static Factory<Gathered> factory(Parameters parameters = {}) { return Factory<Gathered>(std::move(parameters)); }

    /// Collective if the matrix is a distributed::Matrix; otherwise there is one rank, with all rows.
    /// @throws OutOfMemory, InvalidParameter if the whole matrix has more entries than its index type counts; what the
    /// inner factory throws; on other ranks RemoteError
    Gathered(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Gathered() override;

    std::string name() const override { return "Gathered"; }
    Communicator communicator() const override;
    /// Collective. @throws NotSupported, DimensionMismatch, RemoteError
    void update_values(LinOpPtr<V> matrix) override;
    bool is_capturable() const override { return false; }

    /// The operator of the whole matrix on rank 0; null on other ranks, and if the matrix has no rows.
    const LinOp<V>* inner() const;

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    struct Whole;
    std::unique_ptr<Whole> whole_;
};

}  // namespace linden::distributed
