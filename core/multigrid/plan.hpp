#pragma once

#include <linden/multigrid/amg.hpp>
#include <linden/storage_precision.hpp>

#include <optional>

#include "core/kernels/multigrid.hpp"
#include "core/multigrid/phases.hpp"
#include "core/multigrid/transfer.hpp"
#include "core/spectrum/spectral_bound.hpp"

/// What levels on one rank and on several are made by.
namespace linden::detail {

/// The parameters of Amg with what the matrix decides.
struct AmgPlan {
    double threshold = 0;
    TransferRule transfer;
    size_type coarse_rows = 0;
    size_type max_levels = 0;
    size_type additive_rows = 0;  ///< levels of at most so many rows have the additive form
    AmgStorage storage = AmgStorage::automatic;
    bool looks_for_grids = true;         ///< whose points are aggregated in blocks
    std::optional<bool> is_hermitian{};  ///< if it is known already
    PhaseClock* clock = nullptr;         ///< of the set-up

    /// Dampings that were left to the matrix.
    void decide(bool matrix_is_hermitian)
    {
        const auto set = [](double& value, double automatic) { value = value < 0 ? automatic : value; };
        set(transfer.damping, matrix_is_hermitian ? 1.8 : 1.5);
        set(transfer.prolongator_damping, matrix_is_hermitian ? 1.6 : 1.0);
    }
};

/// More rows than this are not inverted.
inline constexpr size_type most_inverted_rows = 1024;

/// A level without one below takes two sweeps for A x = b from x = b, by these shares of the damping: an error for an
/// eigenvalue s of the scaled matrix, 0 < s <= 1, is multiplied by (1 - s) (1 - 1.3 s) (1 - 2.5 s) with 1.8, which is
/// below 0.06 from 0.3 on. Two sweeps from 0, as other levels have, leave 0.64 at s = 1.
inline constexpr double last_sweeps[2] = {0.72, 1.39};

/// A level that keeps a larger share of the rows of the one above is not worth its kernels.
inline constexpr double most_kept_rows = 0.8;

/// How the matrices of a level are stored, unless that is not enough.
template <class V, class I>
StoragePrecision first_choice(AmgStorage storage)
{
    const bool is_half =
        !is_complex<V> && sizeof(I) == 4 && storage != AmgStorage::single && storage != AmgStorage::same;
    return is_half ? StoragePrecision::half : StoragePrecision::same;
}

/// Of the eigenvalues of D^-1 A, D = diag(sums), for rows of mixed signs: there the spectrum stays far below 1. Few
/// Lanczos steps do not miss an eigenvalue that is larger than the others by more than the sweeps allow for.
template <class V>
double bound_of_mixed_signs(const LinOp<V>& a, const real_t<V>* sums)
{
    constexpr size_type num_steps = 12;
    constexpr double safety = 1.1;
    Array<V> inverse_sums(a.executor(), a.size().rows);
    multigrid_invert_sums<V>(a.executor(), inverse_sums.size(), sums, inverse_sums.data());
    const double found = safety * largest_ritz_value<V>(a, inverse_sums, num_steps);
    return found > 0.1 && found < 1 ? found : 1;
}

}  // namespace linden::detail
