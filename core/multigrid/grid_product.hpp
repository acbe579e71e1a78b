#pragma once

#include <linden/matrix/csr.hpp>

#include <algorithm>
#include <utility>

#include "core/base/executor_state.hpp"
#include "core/kernels/grid_product.hpp"
#include "core/kernels/stencil.hpp"
#include "core/matrix/row_pointers.hpp"

namespace linden::detail {

/// Numbers of rows, of which those with the same number are copies, if *are_valid on the executor is not 0.
struct CopiedRows {
    const std::uint16_t* numbers = nullptr;
    const std::int64_t* are_valid = nullptr;
};

/// The product R A P on a grid whose rows are copies of a few. Nothing waits but `take`; nothing allocates but the
/// constructor and `take`.
template <class V, class I>
class GridProduct {
public:
    /// Whether windows are small enough to be worth it.
    static bool fits(const ProductWindow& window)
    {
        return window.fine_size() <= most_fine && window.coarse_size() <= most_coarse;
    }

    GridProduct(const Executor& exec, const ProductWindow& window)
        : exec_(exec),
          window_(window),
          num_rows_(window.blocks.coarse.size()),
          num_chunk_rows_(std::clamp(chunk_values / window.fine_size(), most_copied, std::max(num_rows_, most_copied))),
          along_x_(exec, size_behind(1)),
          along_y_(exec, size_behind(2)),
          first_signatures_(exec, num_rows_),
          signatures_(exec, num_rows_),
          leaders_(exec, num_signature_tables * slots),
          before_(exec, num_rows_ + 1),
          rows_(exec, most_copied),
          left_(exec, num_chunk_rows_ * window.fine_size()),
          whole_(exec, num_chunk_rows_ * window.coarse_size()),
          is_left_(exec, left_.size()),
          is_whole_(exec, whole_.size()),
          found_(exec, num_copied_answers),
          numbers_(exec, num_rows_),
          ptrs_(exec, most_copied + 1),
          offsets_(exec, most_entries()),
          values_(exec, most_entries()),
          row_ptrs_(exec, num_rows_ + 1)
    {
    }

    /// Looks for the rows that are copies, and multiplies those that lead.  fine: of A's rows.
    void search(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p, const CopiedRows& fine)
    {
        sign(fine, nullptr, first_signatures_);
        multiply_leaders(r, a, p, fine, first_signatures_);
        stencil_count_rows<I>(exec_, num_rows_, numbers_.data(), ptrs_.data(), row_ptrs_.data());
        scan_counts(row_ptrs_, found_.data() + copied_nonzeros);
    }
    /// num_copied_answers numbers on the executor, for `accept`.
    const Array<std::int64_t>& found() const { return found_; }
    bool accept(const std::int64_t* found)
    {
        std::copy_n(found, num_copied_answers, answers_);
        return answers_[copies_are_valid] != 0;
    }
    /// C.
    Csr<V, I> take()
    {
        require_fits<I>(answers_[copied_nonzeros], "the product");
        Array<I> col_idxs(exec_, answers_[copied_nonzeros]);
        Array<V> values(exec_, col_idxs.size());
        stencil_expand<V, I>(exec_, view(), row_ptrs_.data(), col_idxs.data(), values.data());
        return Csr<V, I>(exec_, {num_rows_, num_rows_}, std::move(row_ptrs_), std::move(col_idxs), std::move(values));
    }
    /// Its values for new ones of A, R and P. Rows that were no copies are none. Where there are too many leaders now,
    /// all rows are multiplied.
    void compute(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p, const CopiedRows& fine, Csr<V, I>& c)
    {
        sign(fine, first_signatures_.data(), signatures_);
        multiply_leaders(r, a, p, fine, signatures_);
        const auto* const are_valid = found_.data() + copies_are_valid;
        grid_product_fill<V, I>(exec_, view(), are_valid, c.row_ptrs(), c.values());
        for (size_type first = 0; first < num_rows_; first += num_chunk_rows_) {
            auto rows = chunk(std::min(num_chunk_rows_, num_rows_ - first));
            rows.first = first;
            rows.unless = are_valid;
            multiply(r, a, p, rows);
            grid_product_store<V, I>(exec_, c.view(), window_, rows, c.values());
        }
    }

    CopiedRows copied_rows() const { return {numbers_.data(), found_.data() + copies_are_valid}; }
    /// How far entries of C reach.
    std::array<size_type, num_axes> reach() const
    {
        return {answers_[copied_reach_x], answers_[copied_reach_y], answers_[copied_reach_z]};
    }

private:
    static constexpr size_type most_fine = 2048, most_coarse = 343;
    static constexpr size_type most_copied = 1024;  ///< rows that lead
    static constexpr size_type slots = 16 * most_copied;
    static constexpr size_type chunk_values = size_type{1} << 23;  ///< where all rows are multiplied

    size_type most_entries() const { return most_copied * std::min<size_type>(window_.coarse_size(), 64); }
    size_type size_behind(int num_coarse) const
    {
        size_type size = 1;
        for (int axis = 0; axis < num_axes; ++axis) {
            size *= (axis < num_coarse ? window_.blocks.coarse : window_.blocks.fine).points[axis];
        }
        return size;
    }
    void sign(const CopiedRows& fine, const std::uint64_t* seed, Array<std::uint64_t>& signatures)
    {
        grid_product_sign(exec_, window_, 0, fine.are_valid, fine.numbers, nullptr, nullptr, along_x_.data());
        grid_product_sign(exec_, window_, 1, fine.are_valid, nullptr, along_x_.data(), nullptr, along_y_.data());
        grid_product_sign(exec_, window_, 2, fine.are_valid, nullptr, along_y_.data(), seed, signatures.data());
    }
    ProductRows<V, I> chunk(size_type most)
    {
        ProductRows<V, I> rows;
        rows.most = most;
        rows.left = left_.data();
        rows.is_left = is_left_.data();
        rows.whole = whole_.data();
        rows.is_whole = is_whole_.data();
        return rows;
    }
    void multiply(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p, const ProductRows<V, I>& rows)
    {
        grid_product_left<V, I>(exec_, r.view(), a.view(), p.view(), window_, rows, found_.data() + copied_strays);
        grid_product_whole<V, I>(exec_, p.view(), window_, rows);
    }
    void multiply_leaders(const Csr<V, I>& r, const Csr<V, I>& a, const Csr<V, I>& p, const CopiedRows& fine,
                          const Array<std::uint64_t>& signatures)
    {
        exec_.state().fill_zero(leaders_.data(), leaders_.bytes());
        exec_.state().fill_zero(found_.data(), found_.bytes());
        grid_product_enter(exec_, num_rows_, slots, signatures.data(), leaders_.data());
        grid_product_mark<I>(exec_, num_rows_, slots, signatures.data(), leaders_.data(), fine.are_valid,
                             before_.data());
        const WorkspaceView workspace{workspace_.data(), workspace_.size()};
        prefix_sum<I>(exec_, num_rows_, before_.data(), found_.data() + copied_leaders, workspace);
        grid_product_number<I>(exec_, num_rows_, slots, signatures.data(), leaders_.data(),
                               {before_.data(), most_copied, numbers_.data(), rows_.data()});
        auto rows = chunk(most_copied);
        rows.rows = rows_.data();
        rows.num = found_.data() + copied_leaders;
        multiply(r, a, p, rows);
        grid_product_count<V, I>(exec_, window_, rows, ptrs_.data(), found_.data());
        prefix_sum<I>(exec_, most_copied, ptrs_.data(), found_.data() + copied_entries, workspace);
        grid_product_take<V, I>(exec_, window_, rows, ptrs_.data(), most_entries(), offsets_.data(), values_.data());
        grid_product_judge(exec_, most_copied, most_entries(), fine.are_valid, found_.data());
    }
    StencilView<V, I> view() const
    {
        return {num_rows_,
                num_rows_,
                answers_[copied_nonzeros],
                answers_[copied_leaders],
                window_.coarse_size(),
                numbers_.data(),
                ptrs_.data(),
                offsets_.data(),
                values_.data()};
    }

    Executor exec_;
    ProductWindow window_;
    size_type num_rows_, num_chunk_rows_;
    Array<std::uint64_t> along_x_, along_y_, first_signatures_, signatures_, leaders_;
    Array<I> before_, rows_;
    Array<V> left_, whole_;
    Array<std::uint8_t> is_left_, is_whole_;
    Array<std::int64_t> found_;
    std::int64_t answers_[num_copied_answers]{};
    Array<std::uint16_t> numbers_;
    Array<I> ptrs_, offsets_;
    Array<V> values_;
    Array<I> row_ptrs_;
    Array<std::byte> workspace_ = Array<std::byte>(exec_, prefix_sum_workspace_bytes);
};

}  // namespace linden::detail
