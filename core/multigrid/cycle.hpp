#pragma once

#include <linden/matrix/dense.hpp>
#include <linden/multigrid/amg.hpp>

#include <deque>
#include <memory>
#include <vector>

#include "core/base/pool.hpp"
#include "core/factorization/dense_inverse.hpp"
#include "core/kernels/dense.hpp"
#include "core/kernels/krylov_cycle.hpp"
#include "core/kernels/reduction.hpp"

namespace linden::detail {

/// What a cycle does on a level; the operators stay where they are. On the last level there are no transfers.
template <class V>
struct CycleLevel {
    const LinOp<V>* matrix = nullptr;
    const LinOp<V>* prolongator = nullptr;
    const LinOp<V>* restriction = nullptr;
    const LinOp<V>* smoother = nullptr;  ///< S, about A^-1
    double damping = 1;                  ///< of a sweep x := x + damping S (b - A x)
};

/// A multiplicative cycle over levels of any operators. An application launches kernels only, and allocates nothing
/// after the first with as many right-hand sides. [BriggsHensonMcCormick00]
template <class V>
class Cycle {
public:
    /// inverse: of the last level; null: it is smoothed.
    Cycle(const Executor& exec, AmgCycle kind, size_type sweeps, const DenseInverse<V>* inverse)
        : exec_(exec),
          kind_(kind),
          sweeps_(sweeps),
          inverse_(inverse)
    {
    }

    std::vector<CycleLevel<V>>& levels() { return levels_; }

    /// x := M^-1 b.  b, x: n x k.
    void apply(const Dense<V>& b, Dense<V>& x) const
    {
        const size_type cols = b.size().cols;
        auto work = pool_.take([cols](const std::unique_ptr<Work>& idle) { return idle->cols == cols; },
                               [&] { return std::make_unique<Work>(exec_, levels_, kind_, cols); });
        visit(0, kind_, b, x, Guess::zero, **work);
    }

private:
    enum class Guess { zero, given };
    /// Where a level is not inverted and has none below it, it is smoothed so many times.
    static constexpr size_type last_sweeps = 8;

    /// Vectors of a level.
    struct Blocks {
        Dense<V> b, x;  ///< of a level below the first
        Dense<V> residual, correction;
        Dense<V> second, product;  ///< of a K-cycle: the second direction, and A times the first

        Blocks(const Executor& exec, Dim size, bool is_first, bool is_krylov)
            : b(exec, is_first ? Dim{} : size),
              x(exec, is_first ? Dim{} : size),
              residual(exec, size),
              correction(exec, size),
              second(exec, is_krylov ? size : Dim{}),
              product(exec, is_krylov ? size : Dim{})
        {
        }
    };
    struct Work {
        size_type cols;
        std::deque<Blocks> levels;
        Array<V> scalars;  ///< five sums and two factors of K-cycles
        ReductionWorkspace reduction;

        Work(const Executor& exec, const std::vector<CycleLevel<V>>& all, AmgCycle kind, size_type k)
            : cols(k),
              scalars(exec, 7 * k),
              reduction(ReductionWorkspace::for_values<V>(exec, 2 * k))
        {
            for (const auto& level : all) {
                levels.emplace_back(exec, Dim{level.matrix->size().rows, k}, levels.empty(),
                                    kind == AmgCycle::k && !levels.empty());
            }
        }
    };

    /// Improves x, or begins with x = 0, by one cycle from level l on.
    void visit(std::size_t l, AmgCycle kind, const Dense<V>& b, Dense<V>& x, Guess guess, Work& work) const
    {
        if (l + 1 == levels_.size()) {
            solve_coarsest(b, x, guess, work);
            return;
        }
        const auto& level = levels_[l];
        auto& coarse = work.levels[l + 1];
        auto& r = work.levels[l].residual;
        smooth(l, sweeps_, b, x, guess, work);
        compute_residual(level, b, x, r);             // r := b - A x
        level.restriction->apply(r, coarse.b);        // b' := R r
        correct(l + 1, kind, work);                   // x' ~ A'^-1 b'
        level.prolongator->apply(1, coarse.x, 1, x);  // x := x + P x'
        smooth(l, sweeps_, b, x, Guess::given, work);
    }

    /// x' ~ A'^-1 b' on level l; b' may change.
    void correct(std::size_t l, AmgCycle kind, Work& work) const
    {
        auto& blocks = work.levels[l];
        const bool is_last = l + 1 == levels_.size();
        if (kind == AmgCycle::k && !is_last) {
            take_two_steps(l, work);
            return;
        }
        visit(l, kind, blocks.b, blocks.x, Guess::zero, work);
        if (!is_last && (kind == AmgCycle::w || kind == AmgCycle::f)) {
            visit(l, kind == AmgCycle::w ? AmgCycle::w : AmgCycle::v, blocks.b, blocks.x, Guess::given, work);
        }
    }

    /// Two steps of flexible CG, each preconditioned by a cycle. [NotayVassilevski08]
    void take_two_steps(std::size_t l, Work& work) const
    {
        const auto& a = *levels_[l].matrix;
        auto& blocks = work.levels[l];
        auto &b = blocks.b, &c = blocks.x, &d = blocks.second, &v = blocks.product, &w = blocks.residual;
        const auto scalar = [&, k = work.cols](int i) { return work.scalars.data() + i * k; };
        V* const of_c = scalar(5);
        V* const of_d = scalar(6);
        const KrylovSums<V> sums{scalar(0), scalar(1), scalar(2), scalar(3), scalar(4)};
        const auto workspace = work.reduction.view();

        visit(l, AmgCycle::k, b, c, Guess::zero, work);                             // c := M^-1 b
        a.apply_dot(c, v, {c, scalar(0), nullptr, workspace});                      // v := A c,  c^H v
        dense_dot<V>(exec_, in(c), in(b), scalar(1), workspace);                    // c^H b
        krylov_cycle_first<V>(exec_, work.cols, sums, of_c);                        //
        dense_axpby<V>(exec_, Scalar<V>::per_column(of_c), in(v), V{1}, b.view());  // b := b - (c^H b / c^H v) v
        visit(l, AmgCycle::k, b, d, Guess::zero, work);                             // d := M^-1 b
        dense_dot<V>(exec_, in(d), in(v), scalar(2), workspace);                    // d^H v
        a.apply_dot(d, w, {d, scalar(3), nullptr, workspace});                      // w := A d,  d^H w
        dense_dot<V>(exec_, in(d), in(b), scalar(4), workspace);                    // d^H b
        krylov_cycle_second<V>(exec_, work.cols, sums, of_c, of_d);
        dense_axpby<V>(exec_, Scalar<V>::per_column(of_d), in(d), Scalar<V>::per_column(of_c),
                       c.view());  // x := of_c c + of_d d
    }

    void solve_coarsest(const Dense<V>& b, Dense<V>& x, Guess guess, Work& work) const
    {
        if (inverse_ != nullptr) {
            inverse_->apply(b.view(), x.view());
        } else {
            smooth(levels_.size() - 1, last_sweeps, b, x, guess, work);
        }
    }

    /// x := x + damping S (b - A x), so many times.
    void smooth(std::size_t l, size_type sweeps, const Dense<V>& b, Dense<V>& x, Guess guess, Work& work) const
    {
        const auto& level = levels_[l];
        auto &residual = work.levels[l].residual, &correction = work.levels[l].correction;
        for (size_type sweep = 0; sweep < sweeps; ++sweep) {
            if (guess == Guess::zero && sweep == 0) {
                level.smoother->apply(b, x);  // x := damping S b
                if (level.damping != 1) {
                    dense_scale<V>(exec_, number(level.damping), x.view());
                }
                continue;
            }
            compute_residual(level, b, x, residual);
            level.smoother->apply(residual, correction);
            dense_axpby<V>(exec_, number(level.damping), in(correction), V{1}, x.view());
        }
    }

    /// r := b - A x
    void compute_residual(const CycleLevel<V>& level, const Dense<V>& b, const Dense<V>& x, Dense<V>& r) const
    {
        dense_copy<V>(exec_, b.view(), r.view());
        level.matrix->apply(-1, x, 1, r);
    }

    static Scalar<V> number(double value) { return V{static_cast<real_t<V>>(value)}; }
    static DenseView<const V> in(const Dense<V>& block) { return block.view(); }

    Executor exec_;
    AmgCycle kind_;
    size_type sweeps_;
    const DenseInverse<V>* inverse_;
    std::vector<CycleLevel<V>> levels_;
    mutable Pool<std::unique_ptr<Work>> pool_;
};

}  // namespace linden::detail
