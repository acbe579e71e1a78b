#pragma once

#include <linden/preconditioner/incomplete_factorization.hpp>

namespace linden {

/// IC(0): a Cholesky factor L on the pattern of A's lower triangle and its diagonal, with (L L^H)_ij = a_ij on that
/// pattern. A is Hermitian; its upper triangle is not read.
template <class V>
class LINDEN_EXPORT Ic0 : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ic0";

    struct Parameters {
        double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
        size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
        size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ic0> factory(Parameters parameters = {}) { return Factory<Ic0>(parameters); }

    Ic0(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// IC(k): incomplete Cholesky on the pattern with k levels of fill.
template <class V>
class LINDEN_EXPORT Ick : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ick";

    struct Parameters {
        size_type k = 1;           ///< levels of fill
        double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
        size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
        size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ick> factory(Parameters parameters = {}) { return Factory<Ick>(parameters); }

    Ick(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// ICT(k, tol): each row of L^H has at most nnz/n + k entries besides the diagonal, all of magnitude at least
/// tol ||a_i||_2, as the rows of U in ILUT.
template <class V>
class LINDEN_EXPORT Ict : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ict";

    struct Parameters {
        size_type k = 10;          ///< entries kept per row of L^H: at most nnz/n + k
        double tol = 1e-5;         ///< drop tolerance: entries below tol ||a_i||_2 are dropped
        double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
        size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
        size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ict> factory(Parameters parameters = {}) { return Factory<Ict>(parameters); }

    Ict(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

}  // namespace linden
