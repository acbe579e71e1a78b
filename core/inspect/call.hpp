#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/kernel.hpp"
#include "core/inspect/blocks.hpp"

/// What a call of a kernel reads and writes, found in its arguments.
namespace linden::inspect {

enum class Use : std::uint8_t { read, write, scratch, workspace };

/// A pointer among the arguments.
struct PointerUse {
    std::byte* address = nullptr;
    ElementType element;
    Use use = Use::read;
    std::size_t bytes = 0;  ///< of a workspace or a value in host memory
    bool in_host_memory = false;
};

/// A part of a block, from one pointer to the next.
struct Segment {
    std::size_t begin = 0;
    std::size_t end = 0;
    ElementType element;
    Use use = Use::read;
};

/// A block that arguments point into.
struct CallBlock {
    Block memory;
    bool in_host_memory = false;  ///< on every backend
    std::vector<Segment> segments;

    bool is_written() const;
};

struct CallMemory {
    std::vector<CallBlock> blocks;
    std::vector<std::int64_t> numbers;  ///< integers among the arguments: sizes, mostly
    bool has_empty_workspace = false;
    std::string obstacle;    ///< why the call cannot be inspected, or empty
    std::string misaligned;  ///< a sentence about a pointer that no array of its type would have, or empty

    /// The least traffic: every element that an argument points to, once.
    std::size_t bytes_moved() const;
    /// Floating-point numbers that are not written, as far as pointers tell.
    std::size_t numbers_read() const;
};

/// The memory of a call. Pointers to nothing are left out; an unknown one is an obstacle.
CallMemory memory_of(const KernelEntry& kernel, void* const* arguments, const LiveBlocks& blocks);

/// A copy of the arguments in which pointers point elsewhere.
class MovedArguments {
public:
    /// `moved(address)` is where a pointer to `address` points to; a workspace of no bytes becomes `spare`.
    MovedArguments(const KernelEntry& kernel, void* const* arguments,
                   const std::function<std::byte*(std::byte*)>& moved, WorkspaceView spare);
    void* const* addresses() const { return addresses_.data(); }

private:
    std::vector<std::max_align_t> storage_;
    std::vector<void*> addresses_;
};

}  // namespace linden::inspect
