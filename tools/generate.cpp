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
    OutputFile output(command.file == "-" ? "/dev/stdout" : command.file, "FILE.mtx");
    const auto write = [&]<class V>() {
        std::visit([&](const auto& matrix) { write_matrix(output.path(), matrix); }, load_problem<V>(command.problem));
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
