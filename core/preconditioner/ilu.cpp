#include <linden/preconditioner/ilu.hpp>

#include "core/config/parameter_names.hpp"
#include "core/matrix/row_blocks.hpp"

// instantiate: class Ilu0<V>
// instantiate: class Iluk<V>
// instantiate: class Ilut<V>

namespace linden {

template <class V>
void Ilu0<V>::Parameters::describe(ParameterVisitor& v)
{
    v("shift", shift, config::shift_meaning);
    detail::describe_row_blocks(v, blocks, block_rows);
    triangular.describe(v);
}

template <class V>
Ilu0<V>::Ilu0(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : IncompleteFactorization<V>(std::move(exec),
                                 {std::string(type_name), false, detail::Fill::none, 0, 0, parameters.shift,
                                  parameters.triangular, parameters.blocks, parameters.block_rows},
                                 std::move(matrix))
{
}

template <class V>
void Iluk<V>::Parameters::describe(ParameterVisitor& v)
{
    v("k", k, "levels of fill, at least 0");
    v("shift", shift, config::shift_meaning);
    detail::describe_row_blocks(v, blocks, block_rows);
    triangular.describe(v);
}

template <class V>
Iluk<V>::Iluk(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : IncompleteFactorization<V>(std::move(exec),
                                 {std::string(type_name), false, detail::Fill::levels, parameters.k, 0,
                                  parameters.shift, parameters.triangular, parameters.blocks, parameters.block_rows},
                                 std::move(matrix))
{
}

template <class V>
void Ilut<V>::Parameters::describe(ParameterVisitor& v)
{
    v("k", k, "entries kept per row of L and of U: at most nnz/n + k");
    v("tol", tol, "drop tolerance: entries below tol * ||a_i||_2 are dropped");
    v("shift", shift, config::shift_meaning);
    detail::describe_row_blocks(v, blocks, block_rows);
    triangular.describe(v);
}

template <class V>
Ilut<V>::Ilut(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : IncompleteFactorization<V>(std::move(exec),
                                 {std::string(type_name), false, detail::Fill::threshold, parameters.k, parameters.tol,
                                  parameters.shift, parameters.triangular, parameters.blocks, parameters.block_rows},
                                 std::move(matrix))
{
}

}  // namespace linden
