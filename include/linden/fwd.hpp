#pragma once

#include <linden/types.hpp>

#include <memory>

/// Forward declarations of the library's types.
namespace linden {

class Communicator;
class Executor;
class ParameterVisitor;
class MemoryResource;

template <class T>
class Array;

template <class V>
class LinOp;
template <class V>
class LinOpFactory;
template <class V>
class Dense;
template <class V, class I>
class Csr;

/// A shared operator. Operators are immutable once they are shared.
template <class V>
using LinOpPtr = std::shared_ptr<const LinOp<V>>;
/// A shared factory; null means "none".
template <class V>
using FactoryPtr = std::shared_ptr<const LinOpFactory<V>>;

}  // namespace linden
