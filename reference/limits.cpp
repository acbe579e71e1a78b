#include "core/kernels/limits.hpp"

namespace linden::reference {
namespace {

void meet(const Executor&, std::int32_t count, std::int32_t* met, WorkspaceView) { *met = count; }

}  // namespace

void register_limits() { limits_meet.bind(Backend::reference, meet); }

}  // namespace linden::reference
