#include "core/base/kernel.hpp"

#include <algorithm>
#include <vector>

namespace linden {
namespace {

std::vector<const KernelEntry*>& entries()
{
    static std::vector<const KernelEntry*> list;
    return list;
}

}  // namespace

std::span<const KernelEntry* const> KernelEntry::all()
{
    (void)backend_info(Backend::reference);  // registers the backends
    return entries();
}

void KernelEntry::bind_slot(Backend b, AnyFunction f, const Signature& signature)
{
    if (std::find(entries().begin(), entries().end(), this) == entries().end()) {
        entries().push_back(this);
    }
    slots_[static_cast<std::size_t>(b)] = f;
    signature_ = &signature;
}

}  // namespace linden
