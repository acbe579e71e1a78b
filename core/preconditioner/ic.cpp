#include <linden/preconditioner/ic.hpp>

#include "core/config/parameter_names.hpp"
#include "core/matrix/row_blocks.hpp"

// instantiate: class Ic0<V>
// instantiate: class Ick<V>
// instantiate: class Ict<V>

namespace linden {

template <class V>
void Ic0<V>::Parameters::describe(ParameterVisitor& v)
{
    v("shift", shift, config::shift_meaning);
    detail::describe_row_blocks(v, blocks, block_rows);
    triangular.describe(v);
}

template <class V>
Ic0<V>::Ic0(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : IncompleteFactorization<V>(std::move(exec),
                                 {std::string(type_name), true, detail::Fill::none, 0, 0, parameters.shift,
                                  parameters.triangular, parameters.blocks, parameters.block_rows},
                                 std::move(matrix))
{
}

template <class V>
void Ick<V>::Parameters::describe(ParameterVisitor& v)
{
    v("k", k, "levels of fill, at least 0");
    v("shift", shift, config::shift_meaning);
    detail::describe_row_blocks(v, blocks, block_rows);
    triangular.describe(v);
}

template <class V>
Ick<V>::Ick(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : IncompleteFactorization<V>(std::move(exec),
                                 {std::string(type_name), true, detail::Fill::levels, parameters.k, 0, parameters.shift,
                                  parameters.triangular, parameters.blocks, parameters.block_rows},
                                 std::move(matrix))
{
}

template <class V>
void Ict<V>::Parameters::describe(ParameterVisitor& v)
{
    v("k", k, "entries kept per row of L^H: at most nnz/n + k");
    v("tol", tol, "drop tolerance: entries below tol * ||a_i||_2 are dropped");
    v("shift", shift, config::shift_meaning);
    detail::describe_row_blocks(v, blocks, block_rows);
    triangular.describe(v);
}

template <class V>
Ict<V>::Ict(Executor exec, Parameters parameters, LinOpPtr<V> matrix)
    : IncompleteFactorization<V>(std::move(exec),
                                 {std::string(type_name), true, detail::Fill::threshold, parameters.k, parameters.tol,
                                  parameters.shift, parameters.triangular, parameters.blocks, parameters.block_rows},
                                 std::move(matrix))
{
}

}  // namespace linden
