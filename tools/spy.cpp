#include <complex>

#include "tools/commands.hpp"
#include "tools/load.hpp"
#include "tools/output_file.hpp"
#include "tools/svg_spy.hpp"

namespace linden::tool {
namespace {

template <class V, class I>
std::string picture_of(const CsrData<V, I>& matrix, const std::string& file)
{
    DensityGrid grid(matrix.size);
    for (size_type row = 0; row < matrix.size.rows; ++row) {
        for (auto k = matrix.row_ptrs[row]; k < matrix.row_ptrs[row + 1]; ++k) {
            grid.count(row, matrix.col_idxs[k]);
        }
    }
    const auto span = grid.span();
    const auto scale =
        span == 1 ? std::string() : ", each square stands for " + std::to_string(span) + " x " + std::to_string(span);
    const auto subtitle = std::to_string(matrix.size.rows) + " x " + std::to_string(matrix.size.cols) + ", " +
                          std::to_string(matrix.num_nonzeros()) + " nonzeros" + scale;
    return pattern_picture(grid, file.substr(file.find_last_of('/') + 1), subtitle);
}

}  // namespace

int spy(const SpyCommand& command)
{
    if (command.file.empty() || command.image.empty()) {
        throw UsageError("spy: give a Matrix Market file and the picture to write");
    }
    check_picture(command.image, "IMAGE.svg");
    OutputFile image(command.image, "IMAGE.svg");
    check_distinct({&image}, {command.file});
    std::string picture;
    const auto draw = [&]<class V>() {
        std::visit([&](const auto& matrix) { picture = picture_of(matrix, command.file); }, load_file<V>(command.file));
    };
    // Complex types read every file; real ones refuse those with complex values.
    for (const auto type : {ValueType::complex64, ValueType::complex128, ValueType::float32, ValueType::float64}) {
        if (with_value_type(type, draw)) {
            break;
        }
    }
    image.write(picture);
    return success;
}

}  // namespace linden::tool
