#include "core/colouring/eisenstat_sweeps.hpp"
#include "core/kernels/array.hpp"

#include <linden/error.hpp>
#include <linden/matrix/dense.hpp>

#include "core/colouring/coloured_matrix.hpp"
#include "core/colouring/relaxation.hpp"
#include "core/colouring/stored_triangle.hpp"
#include "core/matrix/visit_csr.hpp"

// instantiate: std::unique_ptr<detail::EisenstatSweeps<V>> detail::make_eisenstat_sweeps(const LinOp<V>&, const SsorCg<V>::Parameters&)

namespace linden::detail {
namespace {

template <class V, class I>
class EisenstatSweepsOf final : public EisenstatSweeps<V> {
public:
    using R = real_t<V>;

    EisenstatSweepsOf(const Csr<V, I>& a, const typename SsorCg<V>::Parameters& p)
        : exec_(a.executor()),
          omega_(static_cast<R>(p.omega)),
          ordered_(a, a.view(), p.colouring),
          lower_(exec_, ordered_.matrix->view(), Side::lower, true, ordered_.order.parts(), p.colouring.block_rows,
                 p.storage),
          upper_(exec_, ordered_.matrix->view(), Side::upper, true, ordered_.order.parts(), p.colouring.block_rows,
                 p.storage),
          given_(exec_, a.size().rows),
          scale_(exec_, a.size().rows),
          diagonal_(exec_, a.size().rows)
    {
        fill();
    }

    void transform(DenseView<const V> residual, DenseView<V> r) const override
    {
        for (size_type c = 0; c < lower_.num_parts(); ++c) {
            lower_.with_part(c, [&]<class S, class J>(const ColourView<S, J>& rows) {
                sweep_forward<V, S, J>(exec_, rows, scale_.data(), residual, nullptr, r, {}, nullptr);
            });
        }
    }

    void backward(DenseView<const V> r, DenseView<V> p, DenseView<V> t, EisenstatScalars<V> scalars,
                  StopView<R> stop) const override
    {
        for (size_type c = lower_.num_parts(); c-- > 0;) {
            upper_.with_part(c, [&]<class S, class J>(const ColourView<S, J>& rows) {
                eisenstat_backward<V, S, J>(exec_, rows, r, p, t, scalars, stop);
            });
        }
    }

    void forward(DenseView<const V> p, DenseView<const V> t, DenseView<V> w, EisenstatScalars<V> scalars,
                 StopView<R> stop, WorkspaceView workspace) const override
    {
        for (size_type c = 0; c < lower_.num_parts(); ++c) {
            lower_.with_part(c, [&]<class S, class J>(const ColourView<S, J>& rows) {
                eisenstat_forward<V, S, J>(
                    exec_, rows, {.omega = omega_, .d = diagonal_.data(), .p = p, .t = t, .w = w, .is_first = c == 0},
                    scalars, stop, workspace);
            });
        }
    }

    void residual_norm(DenseView<const V> r, EisenstatScalars<V> scalars, StopView<R> stop,
                       WorkspaceView workspace) const override
    {
        const size_type last = lower_.num_parts() - 1;
        for (size_type c = 0; c <= last; ++c) {
            lower_.with_part(c, [&]<class S, class J>(const ColourView<S, J>& rows) {
                eisenstat_residual_norm<V, S, J>(
                    exec_, rows,
                    {.omega = omega_, .d = diagonal_.data(), .r = r, .is_first = c == 0, .is_last = c == last}, scalars,
                    stop, workspace);
            });
        }
    }

    const R* diagonal() const override { return diagonal_.data(); }

    void update(const LinOp<V>& matrix) override
    {
        ordered_.update(csr_of<V, I>("SsorCg", matrix, ordered_.source.size()));
        fill();
    }

    ReorderedSystem<V> system() const override { return ordered_.system(); }
    std::vector<size_type> colour_sizes() const override { return ordered_.colour_sizes(); }

private:
    /// L' = omega D^-1 L,  U' = omega D^-1 U,  D real
    void fill()
    {
        const auto& a = *ordered_.matrix;
        const auto n = a.size().rows;
        given_.update(a);
        scale(V{omega_}, given_.inverse, scale_);
        lower_.fill({a.view(), scale_.data(), nullptr});
        upper_.fill({a.view(), scale_.data(), nullptr});
        constexpr size_type parts = sizeof(V) / sizeof(R);  // a complex number begins with its real part
        array_copy_strided<R>(exec_, n, parts, reinterpret_cast<const R*>(given_.diagonal.data()), diagonal_.data());
    }

    Executor exec_;
    R omega_;
    ColouredMatrix<V, I> ordered_;
    StoredTriangle<V, I> lower_, upper_;
    InvertedDiagonal<V, I> given_;
    Array<V> scale_;  // omega D^-1
    Array<R> diagonal_;
};

}  // namespace

template <class V>
std::unique_ptr<EisenstatSweeps<V>> make_eisenstat_sweeps(const LinOp<V>& matrix,
                                                          const typename SsorCg<V>::Parameters& parameters)
{
    std::unique_ptr<EisenstatSweeps<V>> sweeps;
    visit_csr("SsorCg", matrix, [&]<class I>(const Csr<V, I>& a) {
        check_relaxation(parameters.omega);
        check_storage<V, I>(parameters.storage);
        sweeps = std::make_unique<EisenstatSweepsOf<V, I>>(a, parameters);
    });
    return sweeps;
}

}  // namespace linden::detail
