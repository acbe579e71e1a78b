#include <linden/error.hpp>

#include <complex>

#include "tools/commands.hpp"
#include "tools/load.hpp"
#include "tools/output_file.hpp"

namespace linden::tool {

int generate(const GenerateCommand& command)
{
    if (command.problem.empty() || command.file.empty()) {
        throw UsageError("generate: give --problem P and a file to write");
    }
    const OutputFile output(command.file, "FILE.mtx");
    const auto path = output.is_standard_output() ? "/dev/stdout" : output.path();
    const auto write = [&]<class V>() {
        std::visit([&](const auto& matrix) { write_matrix(path, matrix); }, load_problem<V>(command.problem));
    };
    // The problems are real; complex types would store zeros beside every value.
    for (const auto type : {ValueType::float64, ValueType::float32, ValueType::complex128, ValueType::complex64}) {
        if (with_value_type(type, write)) {
            break;
        }
    }
    return success;
}

}  // namespace linden::tool
