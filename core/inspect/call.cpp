#include "core/inspect/call.hpp"

#include <algorithm>
#include <cstring>

namespace linden::inspect {
namespace {

/// Lists what arguments are made of.
class Collector final : public ArgumentVisitor {
public:
    explicit Collector(const Contract& contract) : contract_(contract) {}

    void pointer(void** where, ElementType element, bool is_const) override
    {
        auto* const address = static_cast<std::byte*>(*where);
        if (address == nullptr) {
            return;
        }
        const bool any_state = contract_.scratch.contains(argument) || contract_.own.contains(argument);
        const Use use = is_const ? Use::read : any_state ? Use::scratch : Use::write;
        uses.push_back({address, element, use, element.bytes, contract_.host.contains(argument)});
    }
    void workspace(std::byte** where, size_type) override
    {
        const auto& view = *reinterpret_cast<WorkspaceView*>(where);  // its first member stands there
        if (view.data != nullptr) {
            uses.push_back({view.data, {}, Use::workspace, static_cast<std::size_t>(view.bytes), false});
        } else {
            has_empty_workspace = true;
        }
    }
    void value(const void* where, ElementType type) override
    {
        std::int64_t number = 0;
        if (type.kind == ElementKind::integer) {
            std::memcpy(&number, where, type.bytes);
            numbers.push_back(number);
        }
    }
    void opaque() override { is_opaque = true; }

    int argument = 0;
    std::vector<PointerUse> uses;
    std::vector<std::int64_t> numbers;
    bool is_opaque = false;
    bool has_empty_workspace = false;

private:
    const Contract& contract_;
};

/// Sends pointers elsewhere.
class Mover final : public ArgumentVisitor {
public:
    Mover(const std::function<std::byte*(std::byte*)>& moved, WorkspaceView spare) : moved_(moved), spare_(spare) {}

    void pointer(void** where, ElementType, bool) override
    {
        if (*where != nullptr) {
            *where = moved_(static_cast<std::byte*>(*where));
        }
    }
    void workspace(std::byte** where, size_type) override
    {
        auto& view = *reinterpret_cast<WorkspaceView*>(where);
        view = view.data == nullptr ? spare_ : WorkspaceView{moved_(view.data), view.bytes};
    }
    void value(const void*, ElementType) override {}
    void opaque() override {}

private:
    const std::function<std::byte*(std::byte*)>& moved_;
    WorkspaceView spare_;
};

/// Devices refuse what processors put up with.
std::string misalignment(const PointerUse& use)
{
    constexpr auto most = static_cast<std::size_t>(workspace_alignment);
    const auto own = std::size_t{use.element.bytes} & (~std::size_t{use.element.bytes} + 1);  // its largest power of 2
    const auto step = use.use == Use::workspace       ? most
                      : is_floating(use.element.kind) ? std::min(most, own)
                                                      : std::min<std::size_t>(alignof(std::int64_t), own);
    const auto rest = reinterpret_cast<std::uintptr_t>(use.address) % step;
    if (rest == 0) {
        return {};
    }
    return std::string(use.use == Use::workspace ? "the workspace" : "an array") + " begins " + std::to_string(rest) +
           " bytes behind a multiple of " + std::to_string(step);
}

/// From one pointer to the next; of several to one place the one that writes counts.
void divide(CallBlock& block, std::vector<PointerUse> uses)
{
    const auto offset = [&](const PointerUse& u) { return static_cast<std::size_t>(u.address - block.memory.data); };
    std::sort(uses.begin(), uses.end(), [&](const PointerUse& a, const PointerUse& b) {
        return a.address != b.address ? a.address < b.address : a.use > b.use;
    });
    std::size_t at = 0;
    const auto add = [&](std::size_t end, ElementType element, Use use) {
        if (at < end) {
            block.segments.push_back({at, end, element, use});
            at = end;
        }
    };
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const auto& u = uses[i];
        if (i > 0 && uses[i - 1].address == u.address) {
            continue;
        }
        add(offset(u), {}, Use::read);
        const auto next = std::find_if(uses.begin() + static_cast<std::ptrdiff_t>(i), uses.end(),
                                       [&](const auto& other) { return other.address > u.address; });
        const auto end = next == uses.end() ? block.memory.bytes : offset(*next);
        add(u.use == Use::workspace ? std::min(end, offset(u) + u.bytes) : end, u.element, u.use);
        add(end, {}, Use::read);
    }
}

}  // namespace

bool CallBlock::is_written() const
{
    return std::any_of(segments.begin(), segments.end(), [](const Segment& s) { return s.use != Use::read; });
}

std::size_t CallMemory::bytes_moved() const
{
    std::size_t bytes = 0;
    for (const auto& block : blocks) {
        for (const auto& s : block.segments) {
            bytes += s.use == Use::workspace ? 0 : s.end - s.begin;
        }
    }
    return bytes;
}

std::size_t CallMemory::numbers_read() const
{
    std::size_t count = 0;
    for (const auto& block : blocks) {
        for (const auto& s : block.segments) {
            count += is_floating(s.element.kind) ? (s.end - s.begin) / s.element.bytes : 0;
        }
    }
    return count;
}

CallMemory memory_of(const KernelEntry& kernel, void* const* arguments, const LiveBlocks& live)
{
    CallMemory call;
    Collector found(kernel.contract());
    for (std::size_t i = 0; i < kernel.arguments().size(); ++i) {
        found.argument = static_cast<int>(i);
        kernel.arguments()[i].visit(arguments[i], found);
    }
    call.numbers = found.numbers;
    call.has_empty_workspace = found.has_empty_workspace;
    call.obstacle = found.is_opaque ? "an argument is an object, not memory" : "";
    std::vector<std::vector<PointerUse>> uses;
    for (const auto& use : found.uses) {
        call.misaligned = call.misaligned.empty() ? misalignment(use) : call.misaligned;
        const auto block = use.in_host_memory ? std::optional(Block{use.address, use.bytes}) : live.find(use.address);
        if (!block.has_value()) {
            call.obstacle = "an argument points to memory that the executor has not allocated";
            continue;
        }
        std::size_t i = 0;
        while (i < call.blocks.size() && call.blocks[i].memory.data != block->data) {
            ++i;
        }
        if (i == call.blocks.size()) {
            call.blocks.push_back({*block, use.in_host_memory, {}});
            uses.emplace_back();
        }
        uses[i].push_back(use);
    }
    for (std::size_t i = 0; i < call.blocks.size(); ++i) {
        divide(call.blocks[i], uses[i]);
    }
    return call;
}

MovedArguments::MovedArguments(const KernelEntry& kernel, void* const* arguments,
                               const std::function<std::byte*(std::byte*)>& moved, WorkspaceView spare)
{
    constexpr auto unit = sizeof(std::max_align_t);
    std::size_t units = 0;
    for (const auto& type : kernel.arguments()) {
        units += (type.bytes + unit - 1) / unit;
    }
    storage_.resize(units);
    Mover mover(moved, spare);
    std::size_t at = 0;
    for (std::size_t i = 0; i < kernel.arguments().size(); ++i) {
        const auto& type = kernel.arguments()[i];
        std::memcpy(&storage_[at], arguments[i], type.bytes);
        addresses_.push_back(&storage_[at]);
        type.visit(addresses_.back(), mover);
        at += (type.bytes + unit - 1) / unit;
    }
}

}  // namespace linden::inspect
