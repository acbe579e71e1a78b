#include "core/factorization/row_panels.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/factorization/subtree_tasks.hpp"

// instantiate: detail::RowPanels<I> detail::make_row_panels<I>(const HostPattern<I>&, const std::vector<I>&, bool)

namespace linden::detail {
namespace {

/// In multiples of what it takes to add a value times a value to one in memory: a step, and an entry of it.
constexpr double step_cost = 12, entry_cost = 1, product_cost = 0.5;
/// Rows are a panel if that takes less than so much of what they take one by one.
constexpr double worth_a_panel = 0.9;

template <class I>
class PanelBuilder {
public:
    PanelBuilder(const HostPattern<I>& f, bool has_steps) : f_(f), n_(static_cast<I>(f.rows())), has_steps_(has_steps)
    {
        result_.diagonal.resize(f.rows());
        for (I i = 0; i < n_; ++i) {
            const auto row = f.col_idxs.begin();
            const auto before = std::count_if(row + f.row_ptrs[i], row + f.row_ptrs[i + 1], [i](I j) { return j < i; });
            result_.diagonal[i] = f.row_ptrs[i] + static_cast<I>(before);
        }
        if (!has_steps) {
            return;
        }
        alone_.assign(f.rows(), -1.0);
        like_end_.resize(f.rows());
        for (I i = n_; i-- > 0;) {
            like_end_[i] = is_like_next(i) ? like_end_[i + 1] : i + 1;
        }
    }

    RowPanels<I> build(const std::vector<I>& tree)
    {
        has_steps_ ? make_panels() : make_rows();
        if (!tree.empty()) {
            find_forest(tree);
            auto tasks = cut_into_tasks(work_, parent_);
            result_.order = std::move(tasks.order);
            result_.task_ptrs = std::move(tasks.task_ptrs);
        } else {
            result_.order.resize(result_.panel_ptrs.size() - 1);
            std::iota(result_.order.begin(), result_.order.end(), I{0});
            result_.task_ptrs.push_back(static_cast<I>(result_.order.size()));
        }
        return std::move(result_);
    }

private:
    void make_rows()
    {
        result_.panel_ptrs.resize(f_.row_ptrs.size());
        std::iota(result_.panel_ptrs.begin(), result_.panel_ptrs.end(), I{0});
        result_.step_ptrs.assign(f_.row_ptrs.size(), 0);
        work_.resize(f_.row_ptrs.size() - 1);
        std::transform(f_.row_ptrs.begin() + 1, f_.row_ptrs.end(), f_.row_ptrs.begin(), work_.begin(),
                       [](I end, I begin) { return step_cost + entry_cost * (end - begin); });
    }

    void make_panels()
    {
        for (I i = 0; i < n_;) {
            const I end = end_of_panel(i);
            work_.push_back(cost(i, end, &result_.steps) + entry_cost * (f_.row_ptrs[end] - f_.row_ptrs[i]));
            result_.step_ptrs.push_back(static_cast<I>(result_.steps.size() / 2));
            result_.panel_ptrs.push_back(end);
            i = end;
        }
    }

    bool is_like_next(I k) const
    {
        const auto &ptrs = f_.row_ptrs, &cols = f_.col_idxs, &diagonal = result_.diagonal;
        if (k + 1 >= n_) {
            return false;
        }
        const I at = diagonal[k], next = diagonal[k + 1];
        return at + 1 < ptrs[k + 1] && cols[at + 1] == k + 1 && next > ptrs[k + 1] && cols[next - 1] == k &&
               ptrs[k + 1] - at == ptrs[k + 2] - next + 1;
    }

    /// Of `rows` rows as one panel, besides what they do to each other; appends its steps to `steps`. A row with an
    /// entry in one of like rows has entries in all that follow, since the pattern is closed.
    template <int rows>
    double cost(I begin, std::vector<I>* steps = nullptr) const
    {
        const I* const cols = f_.col_idxs.data();
        std::array<const I*, rows> at{};
        for (int i = 0; i < rows; ++i) {
            at[i] = cols + f_.row_ptrs[begin + i];
        }
        double sum = 0;
        for (;;) {
            I k = *at[0];
            for (int i = 1; i < rows; ++i) {
                k = std::min(k, *at[i]);
            }
            if (k >= begin) {
                return sum;
            }
            const I limit = std::min({like_end_[k], begin, static_cast<I>(k + panel_rows)});
            for (auto& e : at) {
                e += std::max(limit - *e, I{0});
            }
            if (steps != nullptr) {
                steps->insert(steps->end(), {k, limit});
            }
            sum += step_cost + static_cast<double>(f_.row_ptrs[limit] - result_.diagonal[limit - 1] - 1) *
                                   (entry_cost + product_cost * static_cast<double>(limit - k));
        }
    }
    double cost(I begin, I end, std::vector<I>* steps = nullptr) const
    {
        static_assert(panel_rows == 4);
        return end - begin == 1   ? cost<1>(begin, steps)
               : end - begin == 2 ? cost<2>(begin, steps)
                                  : cost<4>(begin, steps);
    }

    double cost_alone(I row)
    {
        if (alone_[row] < 0) {
            alone_[row] = cost<1>(row);
        }
        return alone_[row];
    }

    I end_of_panel(I begin)
    {
        for (I rows = panel_rows; rows > 1; rows /= 2) {
            const I end = begin + rows;
            if (end > like_end_[begin]) {
                continue;
            }
            double apart = 0;
            for (I i = begin; i < end; ++i) {
                apart += cost_alone(i);
            }
            if (apart > 0 && cost(begin, end) < worth_a_panel * apart) {
                return end;
            }
        }
        return begin + 1;
    }

    /// parent_: the panel of the first row above the last one. Like rows are a path of the tree.
    void find_forest(const std::vector<I>& tree)
    {
        const auto count = static_cast<I>(work_.size());
        std::vector<I> panel_of(f_.rows());
        for (I p = 0; p < count; ++p) {
            std::fill(panel_of.begin() + result_.panel_ptrs[p], panel_of.begin() + result_.panel_ptrs[p + 1], p);
        }
        parent_.assign(work_.size(), -1);
        for (I p = 0; p < count; ++p) {
            const I above = tree[result_.panel_ptrs[p + 1] - 1];
            parent_[p] = above < 0 ? I{-1} : panel_of[above];
        }
    }

    const HostPattern<I>& f_;
    I n_;
    bool has_steps_;
    std::vector<I> like_end_;    ///< the end of the rows from here on that are alike
    std::vector<double> alone_;  ///< cost of each row as a panel, -1: not known yet
    std::vector<double> work_;   ///< of each panel
    std::vector<I> parent_;
    RowPanels<I> result_;
};

}  // namespace

template <class I>
RowPanels<I> make_row_panels(const HostPattern<I>& f, const std::vector<I>& tree, bool has_steps)
{
    return PanelBuilder<I>(f, has_steps).build(tree);
}

}  // namespace linden::detail
