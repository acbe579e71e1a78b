#include <linden/distributed/io.hpp>
#include <linden/error.hpp>

#include <complex>

#include "core/distributed/shared_writer.hpp"
#include "core/distributed/split.hpp"
#include "core/io/matrix_market_lines.hpp"

// instantiate: void distributed::write_rows<V>(const Communicator&, const std::string&, const OwnRows<V>&)
// instantiate: void distributed::write_vector<V>(const std::string&, const Vector<V>&)

namespace linden::distributed {
namespace {

template <class V>
void check_rows(const Communicator& ranks, const std::string& path, const OwnRows<V>& own)
{
    if (own.partition.num_ranks() != ranks.size()) {
        throw InvalidParameter("partition", "for " + std::to_string(own.partition.num_ranks()) + " ranks",
                               "for as many as the communicator has, " + std::to_string(ranks.size()));
    }
    const Dim expected{own.partition.num_rows(ranks.rank()), own.rows.size.cols};
    if (own.rows.size != expected) {
        throw DimensionMismatch("write_rows", "the rows of rank " + std::to_string(ranks.rank()), own.rows.size,
                                "what the partition says", expected);
    }
    require_csr(own.rows);
    matrix_market::require_finite(path, own.rows, own.partition.first(ranks.rank()));
}

}  // namespace

template <class V>
void write_rows(const Communicator& communicator, const std::string& path, const OwnRows<V>& own)
{
    struct Shape {
        size_type rows, cols, num_nonzeros;
    };
    const auto& [partition, rows] = own;
    communicator.guard([&] {
        const auto shapes = communicator.all_gather(Shape{partition.num_rows(), rows.size.cols, rows.num_nonzeros()});
        size_type num_nonzeros = 0;
        for (const auto& shape : shapes) {
            num_nonzeros += shape.num_nonzeros;
        }
        const Dim size{shapes.front().rows, shapes.front().cols};
        auto lines = communicator.agree_after([&] {
            if (const Dim here{partition.num_rows(), rows.size.cols}; here != size) {
                throw DimensionMismatch("write_rows", "the matrix on rank 0", size,
                                        "on rank " + std::to_string(communicator.rank()), here);
            }
            check_rows(communicator, path, own);
            return matrix_market::LineBuffer();
        });
        SharedWriter file(communicator, path);
        file.append([&](const SharedWriter::Sink& sink) {
            sink(communicator.rank() == 0 ? matrix_market::head<V>("coordinate", {size.rows, size.cols, num_nonzeros})
                                          : std::string());
            matrix_market::write_entries(lines, rows, partition.first(communicator.rank()), sink);
        });
        file.close();
    });
}

template <class V>
void write_vector(const std::string& path, const Vector<V>& x)
{
    const auto& ranks = x.communicator();
    const auto cols = x.local().size().cols;
    ranks.guard([&] {
        const auto all_cols = ranks.all_gather(cols);
        std::vector<V> values;
        auto lines = ranks.agree_after([&] {
            if (cols != all_cols.front()) {
                throw InvalidParameter("columns", std::to_string(cols),
                                       std::to_string(all_cols.front()) + ", as rank 0 has");
            }
            values = x.local().to_host();
            matrix_market::require_finite(path, values, cols, x.partition().first(ranks.rank()));
            return matrix_market::LineBuffer();
        });
        SharedWriter file(ranks, path);
        file.append([&](const SharedWriter::Sink& sink) {
            sink(ranks.rank() == 0 ? matrix_market::head<V>("array", {x.partition().num_rows(), cols}) : std::string());
        });
        for (size_type col = 0; col < cols; ++col) {
            file.append(
                [&](const SharedWriter::Sink& sink) { matrix_market::write_column(lines, values, cols, col, sink); });
        }
        file.close();
    });
}

}  // namespace linden::distributed
