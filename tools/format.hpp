#pragma once

#include <linden/error.hpp>
#include <linden/matrix/automatic_format.hpp>
#include <linden/matrix/bsr.hpp>
#include <linden/matrix/compact_sell.hpp>
#include <linden/matrix/convert.hpp>
#include <linden/matrix/coo.hpp>
#include <linden/matrix/dia.hpp>
#include <linden/matrix/ell.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/matrix/hybrid.hpp>
#include <linden/matrix/sell.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "core/base/nearest_name.hpp"

#include "tools/commands.hpp"

/// The format in which `linden solve --format` applies the matrix.
namespace linden::tool {

/// `name`, `bsr:B` or `compact:STORAGE`.
struct FormatChoice {
    std::string name = "csr";
    size_type block_size = 4;
    StoragePrecision storage = StoragePrecision::same;
};

/// @throws UsageError with the nearest name
inline FormatChoice parse_format(const std::string& text)
{
    FormatChoice choice;
    const auto colon = text.find(':');
    choice.name = text.substr(0, colon);
    const auto detail = colon == std::string::npos ? std::string() : text.substr(colon + 1);
    const std::vector<std::string> names{"csr", "ell", "sell", "coo", "hybrid", "dia", "bsr", "compact", "auto"};
    if (std::find(names.begin(), names.end(), choice.name) == names.end()) {
        throw UsageError("--format " + text + ": " + expected_one_of(choice.name, names));
    }
    if (colon == std::string::npos) {
        return choice;
    }
    if (choice.name == "bsr") {
        const char* const last = detail.data() + detail.size();
        const auto [end, error] = std::from_chars(detail.data(), last, choice.block_size);
        if (error != std::errc() || end != last) {
            throw UsageError("--format " + text + ": the block size must be an integer from 2 to 8");
        }
    } else if (choice.name == "compact") {
        const std::vector<std::string> storages{"same", "single", "half"};
        const auto at = std::find(storages.begin(), storages.end(), detail);
        if (at == storages.end()) {
            throw UsageError("--format " + text + ": " + expected_one_of(detail, storages));
        }
        choice.storage = static_cast<StoragePrecision>(at - storages.begin());
    } else {
        throw UsageError("--format " + text + ": only bsr and compact take an argument after a colon");
    }
    return choice;
}

/// With indices of 16 bits where they fit.
template <class V, class I>
LinOpPtr<V> compact_sell(const Csr<V, I>& a, StoragePrecision storage)
{
    if constexpr (sizeof(I) == 4) {
        const int bits = CompactSell<V>::fits16(a) ? 16 : 32;
        return share(CompactSell<V>::from_csr(a, {.storage = storage, .index_bits = bits}));
    } else {
        throw UsageError("--format compact: the matrix needs int64 indices, which compact does not support");
    }
}

/// `a` in another format; `a` itself for `csr`.
template <class V, class I>
LinOpPtr<V> in_format(const FormatChoice& choice, const std::shared_ptr<const Csr<V, I>>& a)
{
    const auto& name = choice.name;
    if (name == "ell") {
        return share(convert<Ell<V, I>>(*a));
    } else if (name == "sell") {
        return share(convert<Sell<V, I>>(*a));
    } else if (name == "coo") {
        return share(convert<Coo<V, I>>(*a));
    } else if (name == "hybrid") {
        return share(convert<Hybrid<V, I>>(*a));
    } else if (name == "dia") {
        return share(convert<Dia<V, I>>(*a));
    } else if (name == "bsr") {
        return share(convert<Bsr<V, I>>(*a, {.block_size = choice.block_size}));
    } else if (name == "compact") {
        return compact_sell(*a, choice.storage);
    }
    return name == "auto" ? automatic_format(a) : a;
}

/// The operator that a solver gets: the matrix in the format of `text`, and beside it, for preconditioners, as Csr.
/// @throws UsageError
template <class V, class I>
LinOpPtr<V> formatted_matrix(const std::string& text, std::shared_ptr<const Csr<V, I>> a)
{
    const auto choice = parse_format(text);
    try {
        const auto applied = in_format(choice, a);
        return applied.get() == a.get() ? LinOpPtr<V>(a) : share(Formatted<V>(a, applied));
    } catch (const InvalidParameter& error) {
        throw UsageError("--format " + text + ": " + error.what());
    }
}

/// The matrix itself, where `matrix` is one in another format: values may be rounded there.
template <class V>
const LinOp<V>& original(const LinOp<V>& matrix)
{
    const auto* const formatted = dynamic_cast<const Formatted<V>*>(&matrix);
    return formatted == nullptr ? matrix : *formatted->source();
}

}  // namespace linden::tool
