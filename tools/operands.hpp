#pragma once

#include <linden/config/format.hpp>
#include <linden/matrix/dense.hpp>
#include <linden/matrix/formatted.hpp>

#include <complex>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "tools/commands.hpp"
#include "tools/load.hpp"
#include "tools/measure.hpp"

namespace linden::tool {

/// What a vector is made of, as the command line says.
struct VectorSource {
    enum class Kind { zero, ones, a_times_ones, random, file };
    Kind kind = Kind::zero;
    std::uint64_t seed = 1;
    std::string path;
};

/// From `ones`, `a-times-ones`, `random`, `random:SEED`, or the path of a file that exists. @throws UsageError
VectorSource parse_rhs(const std::string& text);
/// From `zero`, `random`, `random:SEED`, or the path of a file that exists. @throws UsageError
VectorSource parse_x0(const std::string& text);

/// Uniform in [-1, 1), the same on every platform; complex values are uniform in the square.
template <class V>
std::vector<V> random_values(size_type count, std::uint64_t seed)
{
    std::mt19937_64 generator(seed);
    const auto next = [&] { return static_cast<real_t<V>>(static_cast<double>(generator() >> 11) * 0x1p-52 - 1); };
    std::vector<V> values(static_cast<std::size_t>(count));
    for (auto& value : values) {
        if constexpr (is_complex<V>) {
            const auto real = next();
            value = {real, next()};
        } else {
            value = next();
        }
    }
    return values;
}

/// A dense block of host values, on the host.
template <class V>
Dense<V> host_block(Dim size, std::vector<V> values)
{
    const auto host = Executor::reference();
    return Dense<V>::adopt(host, size, size.cols, values.data()).copy(host);
}

inline std::string shown(Dim size) { return std::to_string(size.rows) + " x " + std::to_string(size.cols); }

/// The initial guess for a solution of `size`, on the host; none for zero. @throws UsageError if it does not fit
template <class V>
std::optional<Dense<V>> make_x0(const VectorSource& source, Dim size)
{
    if (source.kind == VectorSource::Kind::random) {
        // A stream of its own: with one seed for both, x0 and a random b must not be the same.
        return host_block(size, random_values<V>(size.rows * size.cols, ~source.seed));
    }
    if (source.kind == VectorSource::Kind::file) {
        auto data = naming_value_type<V>([&] { return load_block<V>(source.path); });
        if (!(data.size == size)) {
            throw UsageError("--x0 " + source.path + " is " + shown(data.size) + ", the solution is " + shown(size));
        }
        return host_block(data.size, std::move(data.values));
    }
    return {};
}

/// The right-hand side for `matrix`, on its executor. @throws UsageError if the file does not fit
template <class V>
Dense<V> make_rhs(const VectorSource& source, const LinOp<V>& matrix)
{
    const auto& exec = matrix.executor();
    const Dim column{matrix.size().rows, 1};
    if (source.kind == VectorSource::Kind::random) {
        return host_block(column, random_values<V>(column.rows, source.seed)).copy(exec);
    }
    if (source.kind == VectorSource::Kind::file) {
        auto data = naming_value_type<V>([&] { return load_block<V>(source.path); });
        if (data.size.rows != column.rows || data.size.cols == 0) {
            throw UsageError("--rhs " + source.path + " is " + shown(data.size) + ", the matrix has " +
                             std::to_string(column.rows) + " rows");
        }
        return host_block(data.size, std::move(data.values)).copy(exec);
    }
    if (source.kind == VectorSource::Kind::ones) {
        return Dense<V>::filled(exec, column, V{1});
    }
    const auto ones = Dense<V>::filled(exec, {matrix.size().cols, 1}, V{1});
    Dense<V> b(exec, column);
    matrix.apply(ones, b);
    return b;
}

/// The matrix itself, where `matrix` is one in another format: values may be rounded there.
template <class V>
const LinOp<V>& original(const LinOp<V>& matrix)
{
    const auto* const formatted = dynamic_cast<const Formatted<V>*>(&matrix);
    return formatted == nullptr ? matrix : *formatted->source();
}

/// Of any shape: solvers that need a square matrix say so.
template <class V>
Operands<V> make_operands(const SolveCommand& command, const VectorSource& rhs, const VectorSource& x0,
                          const Executor& exec)
{
    LinOpPtr<V> matrix;
    size_type num_nonzeros = 0;
    std::visit(
        [&]<class I>(const CsrData<V, I>& data) {
            num_nonzeros = data.num_nonzeros();
            matrix = of_option("--format " + command.format, [&] {
                return config::in_format(command.format, std::make_shared<const Csr<V, I>>(exec, data));
            });
        },
        command.file.empty() ? load_problem<V>(command.problem)
                             : naming_value_type<V>([&] { return load_file<V>(command.file); }));
    auto b = make_rhs(rhs, original(*matrix));
    auto start = make_x0<V>(x0, {matrix->size().cols, b.size().cols});
    return {std::move(matrix), num_nonzeros, std::move(b), std::move(start)};
}

}  // namespace linden::tool
