#include <linden/matrix/automatic_format.hpp>
#include <linden/matrix/dia.hpp>

#include "core/matrix/visit_csr.hpp"

// instantiate: LinOpPtr<V> automatic_format<V>(LinOpPtr<V>)

namespace linden {
namespace {

/// The fraction of Csr's bytes that another format must save to be worth its time and memory.
constexpr double worthwhile = 0.9;

template <class V, class I>
double csr_bytes(const Csr<V, I>& a)
{
    return static_cast<double>(a.num_nonzeros()) * (sizeof(V) + sizeof(I)) +
           static_cast<double>(a.size().rows) * sizeof(I);
}

template <class V, class I>
LinOpPtr<V> choose(const Csr<V, I>& a)
{
    const auto diagonals = static_cast<double>(Dia<V, I>::count_diagonals(a));
    if (diagonals * static_cast<double>(a.size().rows) * sizeof(V) <= worthwhile * csr_bytes(a)) {
        return std::make_shared<const Dia<V, I>>(Dia<V, I>::from_csr(a));
    }
    return nullptr;
}

}  // namespace

template <class V>
LinOpPtr<V> automatic_format(LinOpPtr<V> matrix)
{
    if (matrix == nullptr) {
        throw InvalidParameter("matrix", "null", "an operator");
    }
    LinOpPtr<V> chosen;
    visit_csr("automatic_format", *matrix, [&](const auto& csr) {
        if (csr.num_nonzeros() != 0) {
            chosen = choose(csr);
        }
    });
    return chosen == nullptr ? matrix : chosen;
}

}  // namespace linden
