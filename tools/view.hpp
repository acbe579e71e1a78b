#pragma once

#include <linden/distributed/gathered.hpp>
#include <linden/distributed/matrix.hpp>
#include <linden/distributed/schwarz.hpp>
#include <linden/matrix/csr.hpp>
#include <linden/matrix/formatted.hpp>
#include <linden/matrix/sparse_matrix.hpp>
#include <linden/multigrid/amg.hpp>
#include <linden/preconditioner/adapted_deflation.hpp>
#include <linden/preconditioner/block_jacobi.hpp>
#include <linden/preconditioner/incomplete_factorization.hpp>
#include <linden/preconditioner/incomplete_poisson.hpp>
#include <linden/preconditioner/multi_elimination.hpp>
#include <linden/preconditioner/multicoloured.hpp>
#include <linden/preconditioner/neumann.hpp>
#include <linden/preconditioner/ssor.hpp>
#include <linden/preconditioner/transformed_operator.hpp>
#include <linden/solver/deflated_cg.hpp>
#include <linden/solver/direct.hpp>
#include <linden/solver/solver.hpp>
#include <linden/solver/triangular.hpp>

#include <cstdio>
#include <string>

#include "core/base/type_lists.hpp"
#include "core/config/short_form.hpp"

#include "tools/report.hpp"

/// The tree of a solver as it was built, as far as its operators can say what they are.
namespace linden::tool {

/// What a tree says of the matrix of its solver.
struct ViewedMatrix {
    size_type nonzeros = 0;  ///< which fill-in is compared with; of several ranks, those of this one
    size_type all_rows = 0;  ///< of all ranks
};

namespace detail {

inline std::string entries_text(size_type entries)
{
    return ", " + std::to_string(entries) + (entries == 1 ? " entry" : " entries");
}

inline std::string fill_text(size_type entries, size_type of_matrix)
{
    char ratio[32];
    std::snprintf(ratio, sizeof ratio, "%.3g", static_cast<double>(entries) / static_cast<double>(of_matrix));
    return of_matrix > 0 ? entries_text(entries) + " (" + ratio + " times those of A)" : entries_text(entries);
}

/// Of a Csr; 0 for others.
template <class V>
std::uint64_t stored_bytes(const LinOp<V>& op)
{
    std::uint64_t stored = 0;
    for_each_index([&]<class I>() {
        if (const auto* const csr = dynamic_cast<const Csr<V, I>*>(&op)) {
            stored = static_cast<std::uint64_t>(csr->num_nonzeros()) * (sizeof(V) + sizeof(I)) +
                     static_cast<std::uint64_t>(csr->size().rows + 1) * sizeof(I);
        }
    });
    return stored;
}

/// As the help spells it; of a matrix in another format that one.
template <class V>
std::string spelled_name(const LinOp<V>& op)
{
    constexpr std::string_view spread = "distributed::";
    if (const auto full = op.name(); full.starts_with(spread)) {
        return "distributed " + config::short_name(full.substr(spread.size()));
    }
    const auto* const formatted = dynamic_cast<const Formatted<V>*>(&op);
    return formatted == nullptr ? config::short_name(op.name())
                                : config::short_name(formatted->applied()->name()) + " of " +
                                      config::short_name(formatted->source()->name());
}

/// What a matrix says beyond its name and size.
template <class V>
std::string matrix_details(const LinOp<V>& op)
{
    std::string text;
    for_each_index([&]<class I>() {
        if (const auto* const csr = dynamic_cast<const Csr<V, I>*>(&op)) {
            text = entries_text(csr->num_nonzeros()) + ", " + std::string(name(index_type_of<I>)) + ", " +
                   bytes(stored_bytes(op));
        } else if (const auto* const sparse = dynamic_cast<const linden::detail::SparseMatrix<V, I>*>(&op)) {
            text = entries_text(sparse->num_nonzeros()) + ", " + std::string(name(index_type_of<I>));
        } else if (const auto* const spread = dynamic_cast<const distributed::Matrix<V, I>*>(&op)) {
            const auto neighbours = spread->num_neighbours();
            text = entries_text(spread->num_nonzeros()) + ", " + std::string(name(index_type_of<I>)) + ", " +
                   std::to_string(spread->num_ghosts()) + " ghosts of " + std::to_string(neighbours) +
                   (neighbours == 1 ? " rank" : " ranks");
        }
    });
    return text;
}

/// What the deflation space, blocks or triangles of an operator are.
template <class V>
std::string parts_of(const LinOp<V>& op)
{
    if (const auto* const d = dynamic_cast<const DeflatedCg<V>*>(&op)) {
        return ", " + count(d->num_vectors(), "deflated vector");
    }
    if (const auto* const d = dynamic_cast<const AdaptedDeflation<V>*>(&op)) {
        return ", " + count(d->num_vectors(), "deflated vector");
    }
    if (const auto* const b = dynamic_cast<const BlockJacobi<V>*>(&op)) {
        return ", " + count(b->num_blocks(), "block");
    }
    if (const auto* const s = dynamic_cast<const Ssor<V>*>(&op)) {
        return ", " + count(s->num_levels(), "level set");
    }
    if (const auto* const t = dynamic_cast<const Triangular<V>*>(&op)) {
        return ", " + count(t->num_levels(), "level set");
    }
    return {};
}

/// What an operator says beyond its name and size.
template <class V>
std::string details(const LinOp<V>& op, size_type nonzeros)
{
    auto text = matrix_details(op);
    if (const auto* const f = dynamic_cast<const IncompleteFactorization<V>*>(&op)) {
        text = fill_text(f->num_nonzeros(), nonzeros) + ", " + bytes(stored_bytes(*f->factors())) + ", " +
               count(f->num_levels(), "level set") + (f->shift() != 0 ? ", shift " + exact(f->shift()) : "") +
               (f->num_bad_pivots() > 0 ? ", " + count(f->num_bad_pivots(), "replaced pivot") : "");
    } else if (const auto* const m = dynamic_cast<const Multicoloured<V>*>(&op)) {
        text = fill_text(m->num_nonzeros(), nonzeros) + ", " + count(m->num_colours(), "colour") + ", " +
               bytes(static_cast<std::uint64_t>(m->storage_bytes()));
    } else if (const auto* const e = dynamic_cast<const MultiElimination<V>*>(&op)) {
        text = fill_text(e->num_nonzeros(), nonzeros) + ", " +
               count(static_cast<size_type>(e->levels().size()), "level") + ", " +
               bytes(static_cast<std::uint64_t>(e->storage_bytes()));
    } else if (const auto* const n = dynamic_cast<const Neumann<V>*>(&op)) {
        text = fill_text(n->num_nonzeros(), nonzeros) + ", " + bytes(static_cast<std::uint64_t>(n->storage_bytes()));
    } else if (const auto* const p = dynamic_cast<const IncompletePoisson<V>*>(&op)) {
        text = fill_text(p->num_nonzeros(), nonzeros);
    } else if (const auto* const d = dynamic_cast<const DirectSolver<V>*>(&op)) {
        const auto factors = d->factor_size();
        text = fill_text(factors.entries, nonzeros) + ", " + bytes(static_cast<std::uint64_t>(factors.bytes)) +
               (d->has_partial_pivoting() ? ", partial pivoting" : "") +
               (d->num_replaced_pivots() > 0 ? ", " + count(d->num_replaced_pivots(), "replaced pivot") : "");
    } else {
        text += parts_of(op);
    }
    return text;
}

/// What this rank has of the rows of all, or the size of what it has alone.
template <class V>
std::string size_text(const LinOp<V>& op, const ViewedMatrix& a)
{
    const auto rows = std::to_string(op.size().rows);
    return op.communicator().is_single() ? rows + " x " + std::to_string(op.size().cols)
                                         : rows + " of " + std::to_string(a.all_rows) + " rows";
}

/// One line for `op` and lines for what it consists of, each level indented by two more blanks.
template <class V>
std::string tree(const LinOp<V>& op, std::string_view role, int depth, const ViewedMatrix& a)
{
    const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
    auto text =
        indent + std::string(role) + spelled_name(op) + ", " + size_text(op, a) + details(op, a.nonzeros) + "\n";
    if (const auto* const solver = dynamic_cast<const Solver<V>*>(&op)) {
        text += tree(*solver->matrix(), "matrix: ", depth + 1, a);
        const bool has_factors = dynamic_cast<const DirectSolver<V>*>(&op) != nullptr;  // which are its preconditioner
        if (solver->preconditioner() != nullptr && !has_factors) {
            text += tree(*solver->preconditioner(), "preconditioner: ", depth + 1, a);
        }
        text += indent + "  workspace: " + bytes(static_cast<std::uint64_t>(solver->workspace_bytes(1))) +
                " for one right-hand side\n";
    } else if (const auto* const formatted = dynamic_cast<const Formatted<V>*>(&op)) {
        text += tree(*formatted->applied(), "products: ", depth + 1, a) +
                tree(*formatted->source(), "source: ", depth + 1, a);
    } else if (const auto* const outer = dynamic_cast<const TransformedOperator<V>*>(&op)) {
        text += outer->inner() == nullptr ? "" : tree(*outer->inner(), "inner: ", depth + 1, a);
    } else if (const auto* const amg = dynamic_cast<const Amg<V>*>(&op)) {
        int level = 0;
        const auto& report = amg->report();
        for (const auto& l : report.levels) {
            const bool is_spread = level < report.num_spread_levels;
            text += indent + "  level " + std::to_string(level++) + ": " + std::to_string(l.rows) + " rows" +
                    entries_text(l.nonzeros) + ", " + (l.index_bits == 0 ? "dense" : std::string(name(l.storage))) +
                    ", " + bytes(static_cast<std::uint64_t>(l.storage_bytes)) +
                    (is_spread                      ? ", of all ranks"
                     : report.num_spread_levels > 0 ? ", on each rank"
                                                    : "") +
                    "\n";
        }
    } else if (const auto* const schwarz = dynamic_cast<const distributed::Schwarz<V>*>(&op)) {
        text += schwarz->local() == nullptr ? "" : tree(*schwarz->local(), "local: ", depth + 1, a);
    } else if (const auto* const gathered = dynamic_cast<const distributed::Gathered<V>*>(&op)) {
        text += gathered->inner() == nullptr ? "" : tree(*gathered->inner(), "on rank 0, of all rows: ", depth + 1, a);
    }
    return text;
}

}  // namespace detail

template <class V>
std::string tree_of(const LinOp<V>& solver, const ViewedMatrix& matrix)
{
    const auto ranks = solver.communicator();
    return (ranks.is_single()
                ? std::string()
                : "what rank " + std::to_string(ranks.rank()) + " of " + std::to_string(ranks.size()) + " has:\n") +
           detail::tree(solver, "", 0, matrix);
}

}  // namespace linden::tool
