#pragma once

#include <linden/executor.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/dense.hpp>

#include <gtest/gtest.h>

#include <tuple>
#include <utility>
#include <vector>

#include "core/base/type_lists.hpp"

/// The executors and types that tests run on.
namespace linden::test {

/// The reference executor first, then one of each backend that was built and finds a device; made once.
/// The OpenMP executor has three threads, so that parts differ in size whatever the machine.
const std::vector<Executor>& tested_executors();

inline const Executor& reference_executor() { return tested_executors().front(); }

/// Backends of this build that find no device here.
std::vector<BackendInfo> backends_without_device();

/// Calls f(exec) for every tested executor; failures inside name it.
template <class F>
void on_each_executor(F&& f)
{
    for (const auto& exec : tested_executors()) {
        SCOPED_TRACE("on " + exec.name());
        f(exec);
    }
}

template <class V, class I>
struct ValueIndex {
    using value_type = V;
    using index_type = I;
};

namespace detail {

template <class... T>
testing::Types<T...> as_types(TypeList<T...>);
template <class V, class... I>
testing::Types<ValueIndex<V, I>...> pair_with(TypeList<I...>);

template <class... T>
struct Joined;
template <class T>
struct Joined<T> {
    using type = T;
};
template <class... A, class... B, class... More>
struct Joined<testing::Types<A...>, testing::Types<B...>, More...> : Joined<testing::Types<A..., B...>, More...> {
};
template <class... V>
typename Joined<decltype(pair_with<V>(IndexTypes{}))...>::type every_pair(TypeList<V...>);
template <class... V, class... I, std::size_t... n>
testing::Types<ValueIndex<V, std::tuple_element_t<n % sizeof...(I), std::tuple<I...>>>...> pairs_in_turns(
    TypeList<V...>, TypeList<I...>, std::index_sequence<n...>);
template <class... V>
auto pairs(TypeList<V...> values)
{
#if defined(LINDEN_TEST_EVERY_PAIR)
    return every_pair(values);
#else
    return pairs_in_turns(values, IndexTypes{}, std::index_sequence_for<V...>{});
#endif
}

}  // namespace detail

/// For TYPED_TEST_SUITE: the value types, the real types, and ValueIndex pairs: each value type with one of the index
/// types in turns, or with all of them (LINDEN_TEST_EVERY_PAIR).
using TestedValues = decltype(detail::as_types(ValueTypes{}));
using TestedReals = decltype(detail::as_types(RealTypes{}));
using TestedValueIndices = decltype(detail::pairs(ValueTypes{}));

/// Names the instances of typed suites: `.../complex64_int64`.
struct TypeNames {
    template <class T>
    static std::string GetName(int)
    {
        if constexpr (requires { typename T::index_type; }) {
            return GetName<typename T::value_type>(0) + "_" + std::string(name(index_type_of<typename T::index_type>));
        } else {
            return std::string(name(value_type_of<T>));
        }
    }
};

/// An array with these values on `exec`.
template <class T>
Array<T> array_on(const Executor& exec, const std::vector<T>& values)
{
    return Array<T>(exec, values);
}

/// A copy with the stride and the padding of the original.
template <class V>
Dense<V> with_padding(const Dense<V>& block, const Executor& exec)
{
    Dense<V> copy(exec, block.size(), block.stride());
    copy_bytes(block.executor(), block.data(), exec, copy.data(),
               static_cast<std::size_t>(block.size().rows * block.stride()) * sizeof(V));
    return copy;
}

/// The values of a block on the host, padding included.
template <class V>
std::vector<V> memory_of(const Dense<V>& block)
{
    std::vector<V> values(static_cast<std::size_t>(block.size().rows * block.stride()));
    copy_bytes(block.executor(), block.data(), reference_executor(), values.data(), values.size() * sizeof(V));
    return values;
}

}  // namespace linden::test
