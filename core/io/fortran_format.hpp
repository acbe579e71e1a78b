#pragma once

#include <linden/types.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Formats of Fortran for numbers in fixed columns, such as (10I8), (5E16.8), (1P,4D20.12) and (2(2X,F9.3)).
namespace linden {

/// A number on a line.
struct FortranField {
    std::size_t begin = 0;  ///< the column, from 0
    std::size_t width = 0;
    int decimals = 0;  ///< digits after the point where the text has none
    bool is_integer = false;
};

/// The numbers on each line.
struct FortranFormat {
    std::vector<FortranField> fields;
    int scale = 0;  ///< numbers without exponent are 10^scale times too large

    size_type per_line() const { return static_cast<size_type>(fields.size()); }
};

/// What is wrong with a format or a number, without a place.
class FortranError {
public:
    explicit FortranError(std::string text) : problem(std::move(text)) {}
    std::string problem;
};

/// All lines of a format are the same here: `/` and numbers outside of a repeated group are refused.
/// @throws FortranError
FortranFormat parse_fortran_format(std::string_view text);

/// The text of a field, without the blanks around it; what the line does not have is blank.
std::string_view text_of(const FortranField& field, std::string_view line);

/// @throws FortranError
size_type parse_fortran_integer(const FortranField& field, std::string_view line);

/// Exponents with E, D, Q or a sign alone; a missing point is `decimals` digits before the end. Too small numbers are
/// 0.
/// @throws FortranError, also if the number is too large for R or not finite
template <class R>
R parse_fortran_real(const FortranFormat& format, const FortranField& field, std::string_view line);

}  // namespace linden
