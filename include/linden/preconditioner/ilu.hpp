#pragma once

#include <linden/preconditioner/incomplete_factorization.hpp>

namespace linden {

/// ILU(0): L and U on the pattern of A and its diagonal, with (L U)_ij = a_ij on that pattern. [Saad03, 10.3.2]
template <class V>
class LINDEN_EXPORT Ilu0 : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ilu0";

    struct Parameters {
        double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
        size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
        size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ilu0> factory(Parameters parameters = {}) { return Factory<Ilu0>(parameters); }

    Ilu0(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// ILU(k): incomplete LU on the pattern with k levels of fill. The symbolic phase runs on the host, as a search of the
/// matrix's graph. [Saad03, 10.3.3], [HysomPothen02]
template <class V>
class LINDEN_EXPORT Iluk : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Iluk";

    struct Parameters {
        size_type k = 1;           ///< levels of fill
        double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
        size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
        size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Iluk> factory(Parameters parameters = {}) { return Factory<Iluk>(parameters); }

    Iluk(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

/// ILUT(k, tol): each row of L and of U has at most nnz/n + k entries besides the diagonal, all of magnitude at least
/// tol ||a_i||_2. [Naumov11, 5], [Saad94]
///
/// Computed on the matrix's executor; every executor gives the same factors, bit by bit.
template <class V>
class LINDEN_EXPORT Ilut : public IncompleteFactorization<V> {
public:
    static constexpr std::string_view type_name = "Ilut";

    struct Parameters {
        size_type k = 10;          ///< entries kept per row of L and of U: at most nnz/n + k
        double tol = 1e-5;         ///< drop tolerance: entries below tol ||a_i||_2 are dropped
        double shift = 0;          ///< adds shift ||a_i||_2 to a_ii, see IncompleteFactorization
        size_type blocks = 1;      ///< number of diagonal blocks; their numbers of rows differ by one at most
        size_type block_rows = 0;  ///< rows per block, instead of `blocks`; the last may have fewer; 0: use `blocks`
        TriangularOptions triangular{};
        void describe(ParameterVisitor& v);
    };

    static Factory<Ilut> factory(Parameters parameters = {}) { return Factory<Ilut>(parameters); }

    Ilut(Executor exec, Parameters parameters, LinOpPtr<V> matrix);
};

}  // namespace linden
