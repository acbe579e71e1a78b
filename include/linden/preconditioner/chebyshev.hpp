#pragma once

#include <linden/array.hpp>
#include <linden/factory.hpp>

#include <memory>
#include <string>
#include <vector>

namespace linden {

/// How Chebyshev estimates the largest eigenvalue. `lanczos` gives a lower bound and needs a safety factor;
/// `gershgorin`, the largest absolute row sum, is a safe upper bound that may be far too large.
enum class SpectralBound { lanczos, gershgorin };

/// Which polynomial Chebyshev takes. `first`: of the first kind, the best on [lower, upper]. `fourth`: of the fourth
/// kind, which reduces an eigenvalue up to `upper` about in proportion to its size and needs no lower end, for
/// smoothers of multigrid.
enum class ChebyshevKind { first, fourth };

/// Chebyshev polynomial preconditioner: x := p(D^-1 A) D^-1 b, where p of degree `degree` minimises the maximum of
/// |1 - t p(t)| on [lower, upper]. The interval contains the eigenvalues of D^-1 A, or those that the preconditioner is
/// to act on. A is Hermitian positive definite, D its diagonal; without `scaling` D = I. [Saad03, 12.3.2],
/// [AdamsEtAl03]  With `kind` fourth it is the polynomial of [Lottes23].
///
/// Degree 0 is (scaled) Jacobi. An application takes `degree` products with A, as many vector updates, and no inner
/// products. If no bounds are given, the upper one is estimated on the executor from a fixed start vector, and the
/// lower one is upper / ratio. Zero or missing diagonal entries count as 1; `num_zero_diagonals()` counts them.
/// Applications allocate nothing after the first with the same number of right-hand sides. For a distributed::Matrix
/// the polynomial is the same on any number of ranks, and each rank counts its own zero entries.
template <class V>
class LINDEN_EXPORT Chebyshev : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Chebyshev";

    struct Parameters {
        size_type degree = 3;  ///< 0 to 10000
        bool scaling = true;
        double upper = 0;   ///< upper end of the interval; 0: estimated
        double lower = 0;   ///< lower end, less than `upper`, which must be given too; 0: upper / ratio
        double ratio = 30;  ///< upper / lower where `lower` is 0
        SpectralBound bound = SpectralBound::lanczos;
        size_type steps = 10;  ///< Lanczos steps, one product with A each
        double safety = 1.1;   ///< factor on the Lanczos estimate, at least 1
        ChebyshevKind kind = ChebyshevKind::first;
        void describe(ParameterVisitor& v);
    };

    static Factory<Chebyshev> factory(Parameters parameters = {}) { return Factory<Chebyshev>(parameters); }

    /// @throws NotSupported if scaling or the Gershgorin bound is requested and the matrix is not a Csr (with
    /// scaling also a distributed::Matrix), DimensionMismatch if it is not square, InvalidParameter
    Chebyshev(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Chebyshev() override;
    Chebyshev(Chebyshev&&) noexcept;
    Chebyshev& operator=(Chebyshev&&) noexcept;

    std::string name() const override { return "Chebyshev"; }
    /// That of the matrix.
    Communicator communicator() const override;
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Bounds that are not given are estimated again. The memory for it is allocated the first time and kept; with
    /// gershgorin it is as much as the values of the matrix. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    double lower() const { return lower_; }
    double upper() const { return upper_; }
    /// Number of zero or missing diagonal entries, which count as 1. Waits for the executor.
    size_type num_zero_diagonals() const { return num_zeros_.to_host().front(); }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    struct Blocks;
    Chebyshev(const Executor& exec, const Parameters& parameters, LinOpPtr<V> matrix, double lower, double upper);
    void invert_diagonal();
    void find_bounds();
    void set_coefficients();
    std::vector<V> first_kind() const;
    std::vector<V> fourth_kind() const;
    DenseView<const V> inverse_diagonal() const;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    Array<V> inverse_;  ///< D^-1; empty without scaling
    Array<size_type> num_zeros_;
    Array<V> coefficients_;  ///< one of b for the start, then three per step of the recurrence
    double lower_ = 0, upper_ = 0;
    std::unique_ptr<Blocks> blocks_;
};

}  // namespace linden
