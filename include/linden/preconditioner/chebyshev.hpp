#pragma once

#include <linden/array.hpp>
#include <linden/factory.hpp>

#include <memory>
#include <string>

namespace linden {

/// How Chebyshev finds an upper bound of eigenvalues: from below by Lanczos' method, times a factor for safety, or by
/// the row sums of magnitudes (Gershgorin), which is safe and may be far too large.
enum class SpectralBound { lanczos, gershgorin };

/// x := M^-1 b = p(D^-1 A) D^-1 b with the polynomial p of degree `degree` for which |1 - t p(t)| is smallest on
/// [lower, upper], where the eigenvalues of D^-1 A are, or those of them that matter. A is Hermitian positive definite,
/// D its diagonal; without `scaling` D is I. [Saad03, 12.3.2], [AdamsEtAl03]
///
/// Degree 0 is (scaled) Jacobi. An application takes `degree` products with A and as many passes over vectors, and no
/// inner products. Without bounds of yours the upper one is estimated on the executor, from a fixed start, the lower
/// one is upper / ratio, as smoothers and preconditioners of CG like it. A zero on the diagonal, or nothing, counts as
/// 1; `num_zero_diagonals()` tells. Applications allocate nothing after the first with as many right-hand sides.
template <class V>
class LINDEN_EXPORT Chebyshev : public LinOp<V> {
public:
    static constexpr std::string_view type_name = "Chebyshev";

    struct Parameters {
        size_type degree = 3;
        bool scaling = true;
        double upper = 0;  ///< 0: estimated
        double lower = 0;  ///< less than `upper`, which then is given; 0: upper / ratio
        double ratio = 30;
        SpectralBound bound = SpectralBound::lanczos;
        size_type steps = 10;  ///< of Lanczos' method, one product each
        double safety = 1.1;   ///< what its largest eigenvalue is multiplied with, at least 1
        void describe(ParameterVisitor& v);
    };

    static Factory<Chebyshev> factory(Parameters parameters = {}) { return Factory<Chebyshev>(parameters); }

    /// @throws NotSupported if scaling or Gershgorin's bound is wanted and the matrix is no Csr, DimensionMismatch if
    /// it is not square, InvalidParameter
    Chebyshev(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
    ~Chebyshev() override;
    Chebyshev(Chebyshev&&) noexcept;
    Chebyshev& operator=(Chebyshev&&) noexcept;

    std::string name() const override { return "Chebyshev"; }
    bool is_capturable() const override;
    std::unique_ptr<LinOp<V>> clone(const Executor& exec) const override;
    /// Takes over the matrix; bounds that are not given are estimated anew. @throws NotSupported, DimensionMismatch
    void update_values(LinOpPtr<V> matrix) override;

    double lower() const { return lower_; }
    double upper() const { return upper_; }
    /// Diagonal entries that were taken for 1; waits for the executor.
    size_type num_zero_diagonals() const { return num_zeros_.to_host().front(); }

protected:
    void apply_impl(const Dense<V>& b, Dense<V>& x) const override;

private:
    struct Blocks;
    Chebyshev(const Executor& exec, const Parameters& parameters, LinOpPtr<V> matrix, double lower, double upper);
    void invert_diagonal();
    void find_bounds();
    void set_coefficients();
    DenseView<const V> inverse_diagonal() const;

    Parameters parameters_;
    LinOpPtr<V> matrix_;
    Array<V> inverse_;  ///< D^-1; empty without scaling
    Array<size_type> num_zeros_;
    Array<V> coefficients_;  ///< of b for the start, then three for each step
    double lower_ = 0, upper_ = 0;
    std::unique_ptr<Blocks> blocks_;
};

}  // namespace linden
