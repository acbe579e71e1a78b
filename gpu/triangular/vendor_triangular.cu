#include "core/kernels/vendor_triangular.hpp"

#include "gpu/triangular/sparse_library.hpp"
#include "gpu/vector/elements.cuh"

/// Triangular solves by cuSPARSE or hipSPARSE: SpSV for one right-hand side, SpSM for several in row-major blocks.
namespace linden::LINDEN_GPU_NAMESPACE {
namespace {

using Context = sparse::Owned<sparse::Context, sparse::destroy_context>;
using SparseMatrix = sparse::Owned<sparse::Csr, sparse::destroy_csr>;
using Vector = sparse::Owned<sparse::Vector, sparse::destroy_vector>;
using Block = sparse::Owned<sparse::Block, sparse::destroy_block>;

template <class V>
constexpr sparse::DataType data_type()
{
    if constexpr (is_complex<V>) {
        return sizeof(V) == 16 ? sparse::complex128 : sparse::complex64;
    } else {
        return sizeof(V) == 8 ? sparse::float64 : sparse::float32;
    }
}

template <class I>
constexpr sparse::IndexType index_type()
{
    return sizeof(I) == 8 ? sparse::int64 : sparse::int32;
}

template <class V, class I>
SparseMatrix describe(const VendorTriangleView<V, I>& t)
{
    const auto& p = t.pattern;
    auto matrix = sparse::made<SparseMatrix>("CreateCsr", [&](sparse::Csr* made) {
        return sparse::create_csr(made, p.rows, p.cols, p.num_nonzeros, const_cast<I*>(p.row_ptrs),
                                  const_cast<I*>(p.col_idxs), t.values, index_type<I>(), index_type<I>(),
                                  sparse::zero_based, data_type<V>());
    });
    auto side = t.side == Side::lower ? sparse::lower : sparse::upper;
    auto diagonal = t.unit_diagonal ? sparse::unit : sparse::non_unit;
    sparse::check(sparse::set_attribute(matrix.get(), sparse::fill_mode, &side, sizeof side), "SpMatSetAttribute");
    sparse::check(sparse::set_attribute(matrix.get(), sparse::diagonal_type, &diagonal, sizeof diagonal),
                  "SpMatSetAttribute");
    return matrix;
}

/// What both kinds of plans have in common. Each has a context of its own, so that plans may be used side by side.
template <class V>
class Plan : public VendorPlan {
public:
    template <class I>
    Plan(const Executor& exec, const VendorTriangleView<V, I>& triangle)
        : device_(gpu(exec).device()),
          context_(sparse::made<Context>("Create", sparse::create_context)),
          matrix_(describe(triangle))
    {
        use_stream_of(exec);
    }
    ~Plan() override
    {
        const DeviceScope scope(device_, std::nothrow);
        context_.reset();
    }

    size_type workspace_bytes() const final { return static_cast<size_type>(workspace_bytes_); }

    virtual void analyse(std::byte* workspace) = 0;
    virtual void update() = 0;
    virtual void solve(const V* b, V* x) = 0;

    /// That of the executor, or the one that records a loop's body.
    void use_stream_of(const Executor& exec)
    {
        sparse::check(sparse::set_stream(context_.get(), gpu(exec).stream()), "SetStream");
    }

protected:
    int device_;
    Context context_;
    SparseMatrix matrix_;
    V one_{1};
    std::size_t workspace_bytes_ = 0;
    std::byte* workspace_ = nullptr;
};

template <class V>
class VectorPlan final : public Plan<V> {
public:
    /// Until the first solve the vectors stand for shapes only; the library wants addresses that are not null.
    template <class I>
    VectorPlan(const Executor& exec, const VendorTriangleView<V, I>& triangle)
        : Plan<V>(exec, triangle),
          b_(vector(triangle)),
          x_(vector(triangle)),
          state_(sparse::made<State>("SpSV_createDescr", sparse::create_vector_solve))
    {
        sparse::check(
            sparse::vector_solve_bytes(this->context_.get(), sparse::as_is, &this->one_, this->matrix_.get(), b_.get(),
                                       x_.get(), data_type<V>(), algorithm, state_.get(), &this->workspace_bytes_),
            "SpSV_bufferSize");
    }
    ~VectorPlan() override
    {
        const DeviceScope scope(this->device_, std::nothrow);
        state_.reset();
    }

    void analyse(std::byte* workspace) override
    {
        this->workspace_ = workspace;
        run(sparse::analyse_vector_solve, "SpSV_analysis");
    }
    void update() override { run(sparse::update_vector_solve, sparse::vector_update_call); }
    void solve(const V* b, V* x) override
    {
        sparse::check(sparse::set_vector_values(b_.get(), const_cast<V*>(b)), "DnVecSetValues");
        sparse::check(sparse::set_vector_values(x_.get(), x), "DnVecSetValues");
        run(sparse::solve_vector, "SpSV_solve");
    }

private:
    using State = sparse::Owned<sparse::VectorSolve, sparse::destroy_vector_solve>;
    static constexpr auto algorithm = sparse::vector_algorithm;

    template <class F>
    void run(F f, std::string_view call)
    {
        sparse::check(f(this->context_.get(), sparse::as_is, &this->one_, this->matrix_.get(), b_.get(), x_.get(),
                        data_type<V>(), algorithm, state_.get(), this->workspace_),
                      call);
    }

    template <class I>
    static Vector vector(const VendorTriangleView<V, I>& t)
    {
        return sparse::made<Vector>("CreateDnVec", [&](sparse::Vector* made) {
            return sparse::create_vector(made, t.pattern.rows, t.values, data_type<V>());
        });
    }

    Vector b_, x_;
    State state_;
};

template <class V>
class BlockPlan final : public Plan<V> {
public:
    /// As above, with blocks of `num_cols` columns.
    template <class I>
    BlockPlan(const Executor& exec, const VendorTriangleView<V, I>& triangle, size_type num_cols)
        : Plan<V>(exec, triangle),
          b_(block(triangle, num_cols)),
          x_(block(triangle, num_cols)),
          state_(sparse::made<State>("SpSM_createDescr", sparse::create_block_solve))
    {
        sparse::check(sparse::block_solve_bytes(this->context_.get(), sparse::as_is, sparse::as_is, &this->one_,
                                                this->matrix_.get(), b_.get(), x_.get(), data_type<V>(), algorithm,
                                                state_.get(), &this->workspace_bytes_),
                      "SpSM_bufferSize");
    }
    ~BlockPlan() override
    {
        const DeviceScope scope(this->device_, std::nothrow);
        state_.reset();
    }

    void analyse(std::byte* workspace) override
    {
        this->workspace_ = workspace;
        run(sparse::analyse_block_solve, "SpSM_analysis");
    }
    void update() override { run(sparse::update_block_solve, sparse::block_update_call); }
    void solve(const V* b, V* x) override
    {
        sparse::check(sparse::set_block_values(b_.get(), const_cast<V*>(b)), "DnMatSetValues");
        sparse::check(sparse::set_block_values(x_.get(), x), "DnMatSetValues");
        run(sparse::solve_block, "SpSM_solve");
    }

private:
    using State = sparse::Owned<sparse::BlockSolve, sparse::destroy_block_solve>;
    static constexpr auto algorithm = sparse::block_algorithm;

    template <class F>
    void run(F f, std::string_view call)
    {
        sparse::check(f(this->context_.get(), sparse::as_is, sparse::as_is, &this->one_, this->matrix_.get(), b_.get(),
                        x_.get(), data_type<V>(), algorithm, state_.get(), this->workspace_),
                      call);
    }

    template <class I>
    static Block block(const VendorTriangleView<V, I>& t, size_type num_cols)
    {
        return sparse::made<Block>("CreateDnMat", [&](sparse::Block* made) {
            return sparse::create_block(made, t.pattern.rows, num_cols, num_cols, t.values, data_type<V>(),
                                        sparse::row_major);
        });
    }

    Block b_, x_;
    State state_;
};

template <class V, class I>
struct ReplaceZeros : NothingToPrepare {
    const I* row_ptrs;
    bool is_lower;
    V* values;
    size_type* num_zeros;

    __device__ void operator()(Place<1> at, Nothing) const
    {
        V& d = values[is_lower ? row_ptrs[at.row + 1] - 1 : row_ptrs[at.row]];
        if (d == V{}) {
            d = V{1};
            atomic_add(num_zeros, 1);
        }
    }
};

template <class V, class I>
void replace_zeros(const Executor& exec, VendorTriangleView<V, I> t, size_type* num_zeros)
{
    exec.state().fill_zero(num_zeros, sizeof *num_zeros);
    map_elements(
        exec, t.pattern.rows, 1,
        ReplaceZeros<device_type<V>, I>{{}, t.pattern.row_ptrs, t.side == Side::lower, as_device(t.values), num_zeros});
}

template <class V, class I>
void create(const Executor& exec, VendorTriangleView<V, I> triangle, size_type num_rhs,
            std::unique_ptr<VendorPlan>* plan)
{
    const DeviceScope scope(gpu(exec).device());
    if (num_rhs == 1) {
        *plan = std::make_unique<VectorPlan<V>>(exec, triangle);
    } else {
        *plan = std::make_unique<BlockPlan<V>>(exec, triangle, num_rhs);
    }
}

/// Calls f(plan) on the executor's device and stream.
template <class V, class F>
void with_plan(const Executor& exec, VendorPlan* plan, F f)
{
    const DeviceScope scope(gpu(exec).device());
    auto& here = static_cast<Plan<V>&>(*plan);
    here.use_stream_of(exec);
    f(here);
    gpu(exec).count_launches(1);
}

template <class V, class I>
void analyse(const Executor& exec, VendorPlan* plan, WorkspaceView workspace)
{
    with_plan<V>(exec, plan, [&](auto& here) { here.analyse(workspace.data); });
}

template <class V, class I>
void update(const Executor& exec, VendorPlan* plan)
{
    with_plan<V>(exec, plan, [](auto& here) { here.update(); });
}

template <class V, class I>
void solve(const Executor& exec, VendorPlan* plan, DenseView<const V> b, DenseView<V> x)
{
    with_plan<V>(exec, plan, [&](auto& here) { here.solve(b.values, x.values); });
}

}  // namespace

void register_vendor_triangular()
{
    for_each_value_index([]<class V, class I>() {
        vendor_triangular_replace_zeros<V, I>.bind(this_backend, replace_zeros<V, I>);
        vendor_triangular_create<V, I>.bind(this_backend, create<V, I>);
        vendor_triangular_analyse<V, I>.bind(this_backend, analyse<V, I>);
        vendor_triangular_update<V, I>.bind(this_backend, update<V, I>);
        vendor_triangular_solve<V, I>.bind(this_backend, solve<V, I>);
    });
}

}  // namespace linden::LINDEN_GPU_NAMESPACE
