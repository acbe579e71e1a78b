#pragma once

#include <linden/preconditioner/incomplete_factorization.hpp>

namespace linden {

/// IC(0): the Cholesky factor L on the pattern of A's lower triangle and the diagonal, (L L^H)_ij = a_ij there.
/// A is Hermitian: its upper triangle is not read.
template <class V>
class LINDEN_EXPORT Ic0 : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ic0";

    struct Parameters {
        double shift = 0;
        size_type blocks = 1;      ///< so many, whose numbers of rows differ by one at most
        size_type block_rows = 0;  ///< in place of `blocks`: so many rows in each but the last; 0: see `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ic0> factory(Parameters parameters = {}) { return Factory<Ic0>(parameters); }

    Ic0(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// IC(k): the same with k levels of fill.
template <class V>
class LINDEN_EXPORT Ick : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ick";

    struct Parameters {
        size_type k = 1;  ///< levels of fill
        double shift = 0;
        size_type blocks = 1;      ///< so many, whose numbers of rows differ by one at most
        size_type block_rows = 0;  ///< in place of `blocks`: so many rows in each but the last; 0: see `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ick> factory(Parameters parameters = {}) { return Factory<Ick>(parameters); }

    Ick(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// ICT(k, tol): a row of L^H has at most nnz/n + k entries beside the diagonal, with magnitudes of at least
/// tol ||a_i||_2, as a row of ILUT's U.
template <class V>
class LINDEN_EXPORT Ict : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ict";

    struct Parameters {
        size_type k = 10;   ///< entries of a row beyond the average of A
        double tol = 1e-5;  ///< entries below tol ||a_i||_2 are dropped
        double shift = 0;
        size_type blocks = 1;      ///< so many, whose numbers of rows differ by one at most
        size_type block_rows = 0;  ///< in place of `blocks`: so many rows in each but the last; 0: see `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ict> factory(Parameters parameters = {}) { return Factory<Ict>(parameters); }

    Ict(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

}  // namespace linden
