#pragma once

#include <linden/views.hpp>

#include <vector>

namespace linden::detail {

/// The graph that is left while vertices are eliminated. A vertex that was eliminated becomes an element: the set of
/// vertices that it has coupled. So the fill is never stored, and no list grows. [AmestoyEtAl96, 2]
///
/// A supervariable is a set of vertices with the same neighbours, named by one of them; they are eliminated together.
template <class I>
class QuotientGraph {
public:
    /// A symmetric graph in host memory; loops are ignored.
    explicit QuotientGraph(PatternView<I> graph);
    /// The graph of A^T A for a matrix A of `num_rows` rows, whose columns these are: its rows are elements from the
    /// start. [DavisEtAl04, 3]
    static QuotientGraph of_columns(const std::vector<I>& col_ptrs, const std::vector<I>& row_idxs, I num_rows);

    /// All vertices, in the order of their elimination.
    std::vector<I> eliminate();
    /// Entries of the Cholesky factor that this order leaves, with the diagonal; dense vertices are not counted.
    size_type fill() const { return fill_; }
    /// Entries of its columns in this order, with the diagonal; there are none of dense vertices.
    const std::vector<I>& counts() const { return counts_; }

private:
    static constexpr I none = -1;

    /// Vertices without buckets; element e >= n is not made of a vertex.
    QuotientGraph(PatternView<I> lists, std::size_t num_elements);
    void set_dense(I i);
    /// Makes room for so many more members at the end of all.
    void reserve_members(std::size_t count);

    I take_least_degree();
    void form_element(I pivot);
    void measure_elements(I pivot);
    /// Updates the lists and the degree of a vertex of the element; eliminates it with the pivot where it has no
    /// neighbour outside.
    void update_vertex(I pivot, I i);
    void merge_equal(I pivot);
    bool are_equal(I i, I j);
    void finish_element(I pivot);

    void add_to_bucket(I i, I degree);
    void remove_from_bucket(I i);
    void join(I i, I j);
    I list_end(I i) const { return begin_[i] + length_[i]; }
    I member(I element, I m) const { return members_[first_member_[element] + static_cast<std::size_t>(m)]; }
    bool is_live(I i) const { return weight_[i] != 0; }

    I n_;
    std::size_t hash_mask_;
    std::vector<I> lists_;                          ///< of each vertex: its elements, then its neighbours
    std::vector<I> begin_, num_elements_, length_;  ///< of these lists
    std::vector<I> weight_;   ///< of supervariables: vertices, negative in the pivot's element; 0: eliminated or joined
    std::vector<I> degree_;   ///< bound of the number of neighbours outside of the pivot's
    std::vector<I> members_;  ///< of elements, one after the other
    std::vector<std::size_t> first_member_;  ///< of each element
    std::vector<I> num_members_;
    std::vector<I> elements_;  ///< in the order of their members; some are no more
    std::size_t end_of_members_ = 0;
    std::vector<I> element_weight_;                ///< vertices of an element; 0: no element, or absorbed
    std::vector<I> outside_;                       ///< vertices of an element that are not of the pivot's; -1: new
    std::vector<I> bucket_, next_, before_;        ///< vertices by degree
    std::vector<I> hash_head_, hash_next_, hash_;  ///< vertices of the pivot's element by their lists
    std::vector<I> first_joined_, last_joined_, sibling_;  ///< the vertices that go with another one
    std::vector<size_type> mark_;                          ///< the last round that came to a vertex or element
    std::vector<I> touched_, dense_, counts_;
    size_type round_ = 0, fill_ = 0;
    I num_eliminated_ = 0, least_ = 0;
};

}  // namespace linden::detail
