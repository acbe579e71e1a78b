#include <linden/distributed/communicator.hpp>
#include <linden/error.hpp>
#include <linden/ritz.hpp>

#include <algorithm>
#include <string>

#include "core/matrix/square.hpp"
#include "core/spectrum/lanczos.hpp"

// instantiate: Dense<V> ritz_vectors<V>(const LinOp<V>&, const LinOp<V>*, const Dense<V>&, size_type, size_type)

namespace linden {
namespace {

template <class V>
void check(const LinOp<V>& a, const LinOp<V>* m, const Dense<V>& b, size_type steps, size_type count)
{
    if (!a.communicator().is_single()) {
        throw NotSupported("ritz_vectors", "its inner products are of one rank, and the matrix is spread over several");
    }
    const auto size = detail::square("ritz_vectors", a.size());
    if (m != nullptr && m->size() != size) {
        throw DimensionMismatch("ritz_vectors", "the matrix", size, "the preconditioner", m->size());
    }
    if (b.size() != Dim{size.rows, 1}) {
        throw DimensionMismatch("ritz_vectors", "the matrix", size, "b", b.size());
    }
    if (steps < 1) {
        throw InvalidParameter("steps", std::to_string(steps), "at least 1");
    }
    if (count < 1 || count > steps) {
        throw InvalidParameter("count", std::to_string(count), "1 to the number of steps, " + std::to_string(steps));
    }
}

}  // namespace

template <class V>
Dense<V> ritz_vectors(const LinOp<V>& matrix, const LinOp<V>* preconditioner, const Dense<V>& b, size_type steps,
                      size_type count)
{
    check(matrix, preconditioner, b, steps, count);
    const auto& exec = matrix.executor();
    const auto n = matrix.size().rows;
    Dense<V> basis(exec, {n, steps});  // z_j / sqrt(rho_j), without signs
    size_type num_kept = 0;
    const auto precondition = [&](const Dense<V>& r, Dense<V>& z) {
        if (preconditioner == nullptr) {
            z.copy_from(r);
        } else {
            preconditioner->apply(r, z);
        }
    };
    const auto keep = [&](const Dense<V>& z, double rho) {
        auto column = basis.columns(num_kept++, 1);
        column.copy_from(z);
        column.scale(V{static_cast<real_t<V>>(1 / std::sqrt(rho))});
    };
    detail::LanczosMemory<V> memory(matrix);
    memory.vectors.r.copy_from(b);
    const auto pairs = detail::eigen_pairs(detail::lanczos(matrix, memory, steps, precondition, keep));

    const auto num_found = static_cast<std::size_t>(num_kept);
    const auto num_taken = std::min(num_found, static_cast<std::size_t>(count));
    std::vector<V> coefficients;
    for (std::size_t row = 0; row < num_found; ++row) {
        for (std::size_t j = 0; j < num_taken; ++j) {
            const double sign = row % 2 == 0 ? 1 : -1;
            coefficients.push_back(V{static_cast<real_t<V>>(sign * pairs.vectors[row * num_found + j])});
        }
    }
    Dense<V> combination(exec, {num_kept, static_cast<size_type>(num_taken)});
    copy_bytes(detail::host(), coefficients.data(), exec, combination.data(), coefficients.size() * sizeof(V));
    Dense<V> result(exec, {n, static_cast<size_type>(num_taken)});
    basis.columns(0, num_kept).apply(combination, result);
    return result;
}

}  // namespace linden
