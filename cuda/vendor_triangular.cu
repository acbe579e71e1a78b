#include "core/kernels/vendor_triangular.hpp"

#include <cusparse.h>

#include "gpu/elements.cuh"

/// Triangular solves by cuSPARSE: SpSV for one right-hand side, SpSM for several in row-major blocks.
namespace linden::cuda {
namespace {

void check_sparse(cusparseStatus_t status, std::string_view call)
{
    if (status != CUSPARSE_STATUS_SUCCESS) {
        throw VendorError("cuSPARSE", call, status, cusparseGetErrorString(status));
    }
}

/// Owns what cuSPARSE creates and `destroy` ends.
template <auto destroy>
struct Destroy {
    template <class T>
    void operator()(T* object) const noexcept
    {
        (void)destroy(object);
    }
};
template <class Handle, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy<destroy>>;

/// What `create(&handle)` makes.
template <class Owner, class Create>
Owner made(std::string_view call, Create create)
{
    typename Owner::pointer handle = nullptr;
    check_sparse(create(&handle), call);
    return Owner(handle);
}

using Context = Owned<cusparseHandle_t, cusparseDestroy>;
using SparseMatrix = Owned<cusparseSpMatDescr_t, cusparseDestroySpMat>;
using Vector = Owned<cusparseDnVecDescr_t, cusparseDestroyDnVec>;
using Block = Owned<cusparseDnMatDescr_t, cusparseDestroyDnMat>;

constexpr auto as_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

template <class V>
constexpr cudaDataType data_type()
{
    if constexpr (is_complex<V>) {
        return sizeof(V) == 16 ? CUDA_C_64F : CUDA_C_32F;
    } else {
        return sizeof(V) == 8 ? CUDA_R_64F : CUDA_R_32F;
    }
}

template <class I>
constexpr cusparseIndexType_t index_type()
{
    return sizeof(I) == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

template <class V, class I>
SparseMatrix describe(const VendorTriangleView<V, I>& t)
{
    const auto& p = t.pattern;
    auto matrix = made<SparseMatrix>("cusparseCreateCsr", [&](cusparseSpMatDescr_t* handle) {
        return cusparseCreateCsr(handle, p.rows, p.cols, p.num_nonzeros, const_cast<I*>(p.row_ptrs),
                                 const_cast<I*>(p.col_idxs), t.values, index_type<I>(), index_type<I>(),
                                 CUSPARSE_INDEX_BASE_ZERO, data_type<V>());
    });
    auto side = t.side == Side::lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    auto diagonal = t.unit_diagonal ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    check_sparse(cusparseSpMatSetAttribute(matrix.get(), CUSPARSE_SPMAT_FILL_MODE, &side, sizeof side),
                 "cusparseSpMatSetAttribute");
    check_sparse(cusparseSpMatSetAttribute(matrix.get(), CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
                 "cusparseSpMatSetAttribute");
    return matrix;
}

/// What both kinds of plans have in common. Each has a context of its own, so that plans may be used side by side.
template <class V>
class Plan : public VendorPlan {
public:
    template <class I>
    Plan(const Executor& exec, const VendorTriangleView<V, I>& triangle)
        : device_(gpu(exec).device()),
          context_(made<Context>("cusparseCreate", cusparseCreate)),
          matrix_(describe(triangle)),
          values_(triangle.values)
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
        check_sparse(cusparseSetStream(context_.get(), gpu(exec).stream()), "cusparseSetStream");
    }

protected:
    int device_;
    Context context_;
    SparseMatrix matrix_;
    V* values_;
    V one_{1};
    std::size_t workspace_bytes_ = 0;
};

template <class V>
class VectorPlan final : public Plan<V> {
public:
    /// Until the first solve the vectors stand for shapes only; cuSPARSE wants addresses that are not null.
    template <class I>
    VectorPlan(const Executor& exec, const VendorTriangleView<V, I>& triangle)
        : Plan<V>(exec, triangle),
          b_(vector(triangle)),
          x_(vector(triangle)),
          state_(made<State>("cusparseSpSV_createDescr", cusparseSpSV_createDescr))
    {
        check_sparse(
            cusparseSpSV_bufferSize(this->context_.get(), as_is, &this->one_, this->matrix_.get(), b_.get(), x_.get(),
                                    data_type<V>(), algorithm, state_.get(), &this->workspace_bytes_),
            "cusparseSpSV_bufferSize");
    }
    ~VectorPlan() override
    {
        const DeviceScope scope(this->device_, std::nothrow);
        state_.reset();
    }

    void analyse(std::byte* workspace) override
    {
        check_sparse(cusparseSpSV_analysis(this->context_.get(), as_is, &this->one_, this->matrix_.get(), b_.get(),
                                           x_.get(), data_type<V>(), algorithm, state_.get(), workspace),
                     "cusparseSpSV_analysis");
    }
    void update() override
    {
        check_sparse(
            cusparseSpSV_updateMatrix(this->context_.get(), state_.get(), this->values_, CUSPARSE_SPSV_UPDATE_GENERAL),
            "cusparseSpSV_updateMatrix");
    }
    void solve(const V* b, V* x) override
    {
        check_sparse(cusparseDnVecSetValues(b_.get(), const_cast<V*>(b)), "cusparseDnVecSetValues");
        check_sparse(cusparseDnVecSetValues(x_.get(), x), "cusparseDnVecSetValues");
        check_sparse(cusparseSpSV_solve(this->context_.get(), as_is, &this->one_, this->matrix_.get(), b_.get(),
                                        x_.get(), data_type<V>(), algorithm, state_.get()),
                     "cusparseSpSV_solve");
    }

private:
    using State = Owned<cusparseSpSVDescr_t, cusparseSpSV_destroyDescr>;
    static constexpr auto algorithm = CUSPARSE_SPSV_ALG_DEFAULT;

    template <class I>
    static Vector vector(const VendorTriangleView<V, I>& t)
    {
        return made<Vector>("cusparseCreateDnVec", [&](cusparseDnVecDescr_t* handle) {
            return cusparseCreateDnVec(handle, t.pattern.rows, t.values, data_type<V>());
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
          state_(made<State>("cusparseSpSM_createDescr", cusparseSpSM_createDescr))
    {
        check_sparse(
            cusparseSpSM_bufferSize(this->context_.get(), as_is, as_is, &this->one_, this->matrix_.get(), b_.get(),
                                    x_.get(), data_type<V>(), algorithm, state_.get(), &this->workspace_bytes_),
            "cusparseSpSM_bufferSize");
    }
    ~BlockPlan() override
    {
        const DeviceScope scope(this->device_, std::nothrow);
        state_.reset();
    }

    void analyse(std::byte* workspace) override
    {
        check_sparse(cusparseSpSM_analysis(this->context_.get(), as_is, as_is, &this->one_, this->matrix_.get(),
                                           b_.get(), x_.get(), data_type<V>(), algorithm, state_.get(), workspace),
                     "cusparseSpSM_analysis");
    }
    void update() override
    {
        check_sparse(
            cusparseSpSM_updateMatrix(this->context_.get(), state_.get(), this->values_, CUSPARSE_SPSM_UPDATE_GENERAL),
            "cusparseSpSM_updateMatrix");
    }
    void solve(const V* b, V* x) override
    {
        check_sparse(cusparseDnMatSetValues(b_.get(), const_cast<V*>(b)), "cusparseDnMatSetValues");
        check_sparse(cusparseDnMatSetValues(x_.get(), x), "cusparseDnMatSetValues");
        check_sparse(cusparseSpSM_solve(this->context_.get(), as_is, as_is, &this->one_, this->matrix_.get(), b_.get(),
                                        x_.get(), data_type<V>(), algorithm, state_.get()),
                     "cusparseSpSM_solve");
    }

private:
    using State = Owned<cusparseSpSMDescr_t, cusparseSpSM_destroyDescr>;
    static constexpr auto algorithm = CUSPARSE_SPSM_ALG_DEFAULT;

    template <class I>
    static Block block(const VendorTriangleView<V, I>& t, size_type num_cols)
    {
        return made<Block>("cusparseCreateDnMat", [&](cusparseDnMatDescr_t* handle) {
            return cusparseCreateDnMat(handle, t.pattern.rows, num_cols, num_cols, t.values, data_type<V>(),
                                       CUSPARSE_ORDER_ROW);
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
        vendor_triangular_replace_zeros<V, I>.bind(Backend::cuda, replace_zeros<V, I>);
        vendor_triangular_create<V, I>.bind(Backend::cuda, create<V, I>);
        vendor_triangular_analyse<V, I>.bind(Backend::cuda, analyse<V, I>);
        vendor_triangular_update<V, I>.bind(Backend::cuda, update<V, I>);
        vendor_triangular_solve<V, I>.bind(Backend::cuda, solve<V, I>);
    });
}

}  // namespace linden::cuda
