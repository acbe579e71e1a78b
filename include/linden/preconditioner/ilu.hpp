#pragma once

#include <linden/preconditioner/incomplete_factorization.hpp>

namespace linden {

/// ILU(0): factors L and U on A's pattern and the diagonal, (L U)_ij = a_ij there. [Saad03, 10.3.2]
template <class V>
class LINDEN_EXPORT Ilu0 : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ilu0";

    struct Parameters {
        double shift = 0;
        size_type blocks = 1;      ///< so many, whose numbers of rows differ by one at most
        size_type block_rows = 0;  ///< in place of `blocks`: so many rows in each but the last; 0: see `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ilu0> factory(Parameters parameters = {}) { return Factory<Ilu0>(parameters); }

    Ilu0(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// ILU(k): the same on the pattern that elimination by graph gives after k levels of fill, found on the host.
/// [Saad03, 10.3.3], [HysomPothen02]
template <class V>
class LINDEN_EXPORT Iluk : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Iluk";

    struct Parameters {
        size_type k = 1;  ///< levels of fill
        double shift = 0;
        size_type blocks = 1;      ///< so many, whose numbers of rows differ by one at most
        size_type block_rows = 0;  ///< in place of `blocks`: so many rows in each but the last; 0: see `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Iluk> factory(Parameters parameters = {}) { return Factory<Iluk>(parameters); }

    Iluk(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// ILUT(k, tol): a row of L, and one of U, has at most nnz/n + k entries beside the diagonal, with magnitudes of at
/// least tol ||a_i||_2.
/// [Naumov11, 5], [Saad94]. Found where the matrix is; the same factors, to the bit, on every executor.
template <class V>
class LINDEN_EXPORT Ilut : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ilut";

    struct Parameters {
        size_type k = 10;   ///< entries of a row beyond the average of A
        double tol = 1e-5;  ///< entries below tol ||a_i||_2 are dropped
        double shift = 0;
        size_type blocks = 1;      ///< so many, whose numbers of rows differ by one at most
        size_type block_rows = 0;  ///< in place of `blocks`: so many rows in each but the last; 0: see `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ilut> factory(Parameters parameters = {}) { return Factory<Ilut>(parameters); }

    Ilut(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

}  // namespace linden
