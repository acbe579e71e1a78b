#pragma once

#include <linden/distributed/io.hpp>
#include <linden/distributed/matrix.hpp>
#include <linden/distributed/repartition.hpp>
#include <linden/distributed/vector.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/rank_link.hpp"
#include "core/distributed/transport.hpp"
#include "core/distributed/visit_matrix.hpp"
#include "core/io/stencil_rows.hpp"

#include "tools/measure.hpp"
#include "tools/operands.hpp"
#include "tools/parts.hpp"
#include "tools/report.hpp"
#include "tools/view.hpp"

/// A solve on several ranks. In stripes each reads and makes its own rows, which go to others for a partition by
/// PT-Scotch; for other partitions all rows, of which it keeps its own. Right-hand sides from files and random ones are
/// made as a whole by each.
namespace linden::tool {

/// The system of a command, spread over its ranks. Everything is collective.
template <class V>
struct SpreadOperands {
    SpreadOperands(const SolveCommand& c, const VectorSource& rhs, const VectorSource& x0, const Executor& exec)
        : ranks(c.ranks),
          way(c.partition),
          operands(spread(c, rhs, x0, exec))
    {
    }

    /// The largest ||b - A x|| / ||b|| of the columns.
    double true_residual(const Dense<V>& x) const
    {
        auto r = operands.b.copy();
        operands.matrix->apply(V{-1}, x, V{1}, r);
        const auto norms = distributed::Vector<V>(ranks, *partition, std::move(r)).norm2();
        const auto rhs_norms = distributed::Vector<V>(ranks, *partition, operands.b.copy()).norm2();
        double largest = 0;
        for (std::size_t col = 0; col < norms.size(); ++col) {
            const double relative = rhs_norms[col] > 0 ? static_cast<double>(norms[col] / rhs_norms[col]) : norms[col];
            largest = relative <= largest ? largest : relative;  // keeps NaN
        }
        return largest;
    }

    /// x in stripes of rows in the order of the file.
    distributed::Vector<V> in_order_of_file(const Dense<V>& x) const
    {
        distributed::Vector<V> spread_x(ranks, *partition, x.copy());
        if (moved.has_value()) {
            auto own = moved->block_back(DenseData<V>{x.size(), x.to_host()});
            return distributed::Vector<V>(ranks, moved->old_partition(),
                                          host_block<V>(own.size, std::move(own.values)));
        }
        if (numbers.empty()) {
            return spread_x;
        }
        const auto whole_x = spread_x.gather();
        const auto stripes = distributed::Partition::stripes(whole.rows, ranks.size());
        const auto cols = x.size().cols;
        std::vector<V> values;
        for (auto row = stripes.first(ranks.rank()); row < stripes.first(ranks.rank() + 1); ++row) {
            const auto begin = whole_x.values.begin() + numbers[static_cast<std::size_t>(row)] * cols;
            values.insert(values.end(), begin, begin + cols);
        }
        const Dim size{stripes.num_rows(ranks.rank()), cols};
        return distributed::Vector<V>(ranks, stripes, host_block<V>(size, std::move(values)));
    }

    /// What this rank has of a solver.
    std::string view(const Solver<V>& solver) const
    {
        size_type nonzeros = 0;
        distributed::visit_if_distributed(*operands.matrix, [&](const auto& a) { nonzeros = a.num_nonzeros(); });
        return tree_of<V>(solver, {nonzeros, whole.rows});
    }

    /// Messages are the difference between solves that are cut off after some and after twice as many iterations.
    RanksReport report(const Solver<V>& solver, size_type iterations) const
    {
        RanksReport result{.ranks = ranks.size(), .transport = std::string(ranks.transport_name()), .partition = way};
        if (const auto link = RankLink::find(ranks, operands.matrix->executor()); link != nullptr) {
            result.transport = link->name();
        }
        result.imbalance = partition->imbalance();
        for (const auto most : ranks.all_gather(num_ghosts)) {
            result.ghosts = std::max(result.ghosts, most);
        }
        for (const auto most : ranks.all_gather(num_neighbours)) {
            result.neighbours = std::max(result.neighbours, most);
        }
        const auto few = std::min<size_type>((iterations - 1) / 2, 30);
        if (few < 1) {
            return result;
        }
        const auto cost = [&](size_type limit) {
            auto x = Dense<V>::filled(operands.b.executor(), operands.b.size(), V{});
            const auto before = ranks.counters();
            solver.solve(operands.b, x, {.max_iterations = limit});
            const auto after = ranks.counters();
            return std::pair{static_cast<double>(after.gathers - before.gathers),
                             static_cast<double>(after.bytes_sent - before.bytes_sent)};
        };
        const auto& transport = ranks.transport();
        cost(few);  // the first solve makes its workspace, records its loop and meets the other ranks
        const auto low = cost(few);
        const auto gather_before = transport.gather_seconds, exchange_before = transport.exchange_seconds;
        const auto high = cost(2 * few);
        const auto most_per_iteration = [&](double seconds) {
            const auto all = ranks.all_gather(seconds / static_cast<double>(2 * few));
            return *std::max_element(all.begin(), all.end());
        };
        const double gather_seconds = transport.gather_seconds - gather_before;
        result.halo_seconds = most_per_iteration(transport.exchange_seconds - exchange_before);
        result.all_reduce_seconds = most_per_iteration(gather_seconds);
        result.reductions_per_iteration = (high.first - low.first) / static_cast<double>(few);
        for (const auto bytes : ranks.all_gather((high.second - low.second) / static_cast<double>(few))) {
            result.halo_bytes_per_iteration += bytes;
        }
        return result;
    }

    Communicator ranks;
    std::string way;  ///< in which the rows are divided, as --partition names it
    std::optional<distributed::Partition> partition;
    std::vector<std::int64_t> numbers;  ///< of each row, in the order of the parts; empty if that is the file's
    std::optional<distributed::Repartition> moved;  ///< from stripes of the file
    Dim whole;
    size_type num_ghosts = 0, num_neighbours = 0;
    Operands<V> operands;

private:
    Operands<V> spread(const SolveCommand& c, const VectorSource& rhs, const VectorSource& x0, const Executor& exec)
    {
        if (c.format != "csr") {
            throw UsageError("--format " + c.format + ": on several processes the format is csr");
        }
        if (c.partition == "stripes" || c.partition == "ptscotch") {
            return spread_stripes(c, rhs, x0, exec);
        }
        const auto loaded = ranks.agree_after(
            [&] { return c.file.empty() ? load_problem<V>(c.problem) : load_file<V>(c.file, ranks.rank() == 0); });
        return std::visit([&](const auto& data) { return spread(c, rhs, x0, exec, data); }, loaded);
    }

    Operands<V> spread_stripes(const SolveCommand& c, const VectorSource& rhs, const VectorSource& x0,
                               const Executor& exec)
    {
        const bool has_stencil = ranks.agree_after([&] {
            return c.file.empty() && c.partition == "stripes" && linden::detail::num_stencil_rows(c.problem) >= 0;
        });
        if (has_stencil) {
            const auto most = linden::detail::most_stencil_entries(c.problem) / ranks.size();
            return with_indices(most, [&]<class I>() {
                auto matrix = distributed::generate_matrix<V, I>(exec, ranks, c.problem);
                partition = matrix.partition();
                whole = {partition->num_rows(), partition->num_rows()};
                return make(rhs, x0, std::move(matrix));
            });
        }
        auto own =
            c.file.empty() ? distributed::generate_rows<V>(ranks, c.problem) : distributed::read_rows<V>(ranks, c.file);
        whole = {own.rows.size.cols, own.rows.size.cols};
        ranks.agree_after([&] {
            if (!c.file.empty() && ranks.rank() == 0) {
                warn_of_last_line(c.file);
            }
        });
        if (c.partition == "ptscotch") {
            moved = distributed::Repartition::ptscotch(ranks, own);
            own = moved->rows(own);
        }
        partition = own.partition;
        const auto counts = ranks.all_gather(own.rows.num_nonzeros());
        return with_indices(*std::max_element(counts.begin(), counts.end()), [&]<class I>() {
            return make(rhs, x0, distributed::Matrix<V, I>(exec, ranks, *partition, own.rows));
        });
    }

    template <class I>
    Operands<V> spread(const SolveCommand& c, const VectorSource& rhs, const VectorSource& x0, const Executor& exec,
                       const CsrData<V, I>& data)
    {
        whole = data.size;
        const auto rows = ranks.agree_after([&] {
            if (whole.rows != whole.cols) {
                throw UsageError(c.file + c.problem + " is " + std::to_string(whole.rows) + " x " +
                                 std::to_string(whole.cols) + "; a solver needs a square matrix");
            }
            const auto parts = parts_of(c.partition, data, ranks.size());
            partition = parts.partition();
            numbers = parts.new_numbers();
            return renumbered_rows(data, parts, numbers, ranks.rank());
        });
        return make(rhs, x0, distributed::Matrix<V, I>(exec, ranks, *partition, rows));
    }

    template <class I>
    Operands<V> make(const VectorSource& rhs, const VectorSource& x0, distributed::Matrix<V, I> own)
    {
        const auto matrix = std::make_shared<const distributed::Matrix<V, I>>(std::move(own));
        const auto& exec = matrix->executor();
        const auto counts = ranks.all_gather(matrix->num_nonzeros());
        const auto num_nonzeros = std::accumulate(counts.begin(), counts.end(), size_type{0});
        num_ghosts = matrix->num_ghosts();
        num_neighbours = matrix->num_neighbours();
        Dense<V> b = own_rhs(rhs, *matrix);
        std::optional<Dense<V>> start;
        if (x0.kind == VectorSource::Kind::random) {
            const Dim size{whole.rows, b.size().cols};
            start = own_rows(DenseData<V>{size, random_values<V>(size.rows * size.cols, ~x0.seed)}, exec);
        }
        return {matrix, num_nonzeros, std::move(b), std::move(start)};
    }

    Dense<V> own_rhs(const VectorSource& source, const LinOp<V>& matrix) const
    {
        const auto& exec = matrix.executor();
        if (source.kind == VectorSource::Kind::file && numbers.empty()) {
            if (const auto own = own_block(source.path)) {
                return own->copy(exec);
            }
        }
        if (source.kind == VectorSource::Kind::random || source.kind == VectorSource::Kind::file) {
            // Made for the whole system, of which only the size matters here.
            const auto rows = ranks.agree_after([&] {
                const Csr<V, detail::Index> size_only(Executor::reference(), whole);
                const auto b = make_rhs<V>(source, size_only);
                return DenseData<V>{b.size(), b.to_host()};
            });
            return own_rows(rows, exec);
        }
        auto ones = Dense<V>::filled(exec, {matrix.size().rows, 1}, V{1});
        if (source.kind == VectorSource::Kind::ones) {
            return ones;
        }
        Dense<V> b(exec, ones.size());
        matrix.apply(ones, b);
        return b;
    }

    /// Of a file that ranks read together; none if they cannot, and each is to read all of it.
    std::optional<Dense<V>> own_block(const std::string& path) const
    {
        Dim size;
        try {
            const auto& read = moved.has_value() ? moved->old_partition() : *partition;
            auto data = naming_value_type<V>([&] { return distributed::read_block<V>(ranks, read, path); });
            if (data.size.cols != 0) {
                data = moved.has_value() ? moved->block(data) : std::move(data);
                return host_block<V>(data.size, std::move(data.values));
            }
            size = {whole.rows, 0};
        } catch (const NotSupported&) {
            return {};
        } catch (const DimensionMismatch& error) {
            size = error.size_a;
        }
        throw UsageError("--rhs " + path + " is " + shown(size) + ", the matrix has " + std::to_string(whole.rows) +
                         " rows");
    }

    /// The rows of this rank, of a block in the order of the file. Collective.
    Dense<V> own_rows(const DenseData<V>& block, const Executor& exec) const
    {
        if (moved.has_value()) {
            const auto& old = moved->old_partition();
            const auto begin = block.values.begin() + old.first(ranks.rank()) * block.size.cols;
            const Dim size{old.num_rows(ranks.rank()), block.size.cols};
            auto own = moved->block(DenseData<V>{size, {begin, begin + size.rows * size.cols}});
            return host_block<V>(own.size, std::move(own.values)).copy(exec);
        }
        const auto first = partition->first(ranks.rank());
        const auto count = partition->num_rows(ranks.rank());
        if (numbers.empty()) {
            const auto begin = block.values.begin() + first * block.size.cols;
            return host_block<V>({count, block.size.cols}, std::vector<V>(begin, begin + count * block.size.cols))
                .copy(exec);
        }
        std::vector<V> values(static_cast<std::size_t>(count * block.size.cols));
        for (std::size_t row = 0; row < numbers.size(); ++row) {
            const auto own = numbers[row] - first;
            for (size_type col = 0; own >= 0 && own < count && col < block.size.cols; ++col) {
                values[static_cast<std::size_t>(own * block.size.cols + col)] =
                    block.at(static_cast<size_type>(row), col);
            }
        }
        return host_block<V>({count, block.size.cols}, std::move(values)).copy(exec);
    }
};

}  // namespace linden::tool
