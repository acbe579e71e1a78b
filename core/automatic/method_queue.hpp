#pragma once

#include <linden/solver/automatic.hpp>
#include <linden/solver/direct.hpp>

#include <memory>
#include <mutex>
#include <vector>

#include "core/automatic/methods.hpp"

namespace linden::detail {

/// The methods for a matrix in their order, and the solver of the one in use. For several threads.
template <class V>
class MethodQueue {
public:
    /// A solver and the number of its method.
    struct InUse {
        std::size_t number = 0;
        std::shared_ptr<const Solver<V>> solver;
        double set_up_seconds = 0;
        double next_seconds = 0;       ///< what the next method is expected to take; 0: not known
        bool can_look_closer = false;  ///< at what the next method, a direct one, would take
        bool may_look_closer = false;  ///< because typical times may mislead there
        bool is_hermitian = false;     ///< the matrix, up to rounding
        bool is_last = false;
        bool has_converged = false;  ///< in an earlier solve

        /// Whether the next method might not end in so many seconds, 0 for any, though what it takes typically would:
        /// factors of meshes in space take up to 34 times that (lap3d:40).
        bool may_be_late(double seconds) const
        {
            constexpr double most_times_typical = 50;
            return seconds > 0 && most_times_typical * next_seconds > seconds;
        }
    };

    /// Looks at the matrix, and sets up the first method that can be. Collective for a distributed::Matrix, as are
    /// `leave` and `update`: the queue is then the same on all ranks, and goes on after failures of set-up that all
    /// have learned of. @throws what the last one throws
    MethodQueue(LinOpPtr<V> matrix, const Stop& stop);

    InUse in_use() const;
    /// What the method after `number`, a direct one, takes by the fill that this order leaves: minimum degree, which is
    /// found soon, or the order that it will take. If that is many times what is typical, iterative methods come first,
    /// and it is what the first of them takes.
    double seconds_by_fill(std::size_t number, FillOrdering ordering);
    /// Whether the method after `method` is expected to end in so many seconds; by a closer look where there is one.
    bool has_time_after(const InUse& method, double seconds);
    /// Notes the outcome of a solve with method `number`.
    void note(std::size_t number, const SolveResult& result, double seconds);
    /// The solver of a method after `number`, which is left because of `outcome`, unless another thread has left it
    /// before. @throws what the last set-up throws
    InUse leave(std::size_t number, const std::string& outcome);
    void update(LinOpPtr<V> matrix);
    AutomaticReport report() const;

private:
    void look();
    /// What direct methods take by the fill that this order leaves, from now on what they are expected to.
    double seconds_of_factors(FillOrdering ordering);
    /// The direct method that would be the first comes last if it would take many times what is typical, both on a
    /// quiet machine: the clock has no say in what is first.
    void defer_factors();
    /// Whether method `number` is an iterative one that comes late, and before direct ones that nobody has looked at.
    bool delays_factors(std::size_t number) const;
    /// Direct methods behind the one in use come last if they would take far longer than the others there, and first if
    /// they would take little.
    void look_at_factors(FillOrdering ordering);
    /// Direct methods of those from number `first` on come last.
    void put_factors_last(std::size_t first);
    /// Typical times are those of a quiet machine, without messages. The look has felt by how much this one, and its
    /// ranks, are slower.
    void expect_as_slow_as(double look_seconds, size_type num_entries);
    /// Whether the next method may be set up after the exception that is being handled.
    bool may_go_on(const std::exception& error) const;
    /// From method `number` on. Called by one thread at a time.
    void set_up_from(std::size_t number);
    void set_up(const Method& method);
    /// The matrix, for iterative methods in the format that multiplies fastest where it is large.
    LinOpPtr<V> matrix_for(const Method& method);
    InUse state() const;

    LinOpPtr<V> matrix_;
    LinOpPtr<V> formatted_;  ///< null until a method asks for it
    Stop stop_;
    std::vector<Method> methods_;
    bool may_fill_ = false, can_tell_fill_ = false;
    double factor_seconds_ = 0;  ///< of direct methods behind their order, on a quiet machine; 0: nobody has looked
    double slowness_ = 1;        ///< of this machine, as it is now, over a quiet one

    mutable std::mutex access_;
    std::size_t number_ = 0;
    std::shared_ptr<Solver<V>> solver_;
    bool has_converged_ = false;
    // The words of the report are put together when they are asked for.
    MatrixStatistics statistics_;
    std::string ranks_;                     ///< that the matrix is over, in words
    std::vector<FactoryPtr<V>> factories_;  ///< of the attempts
    AutomaticReport report_;
};

}  // namespace linden::detail
