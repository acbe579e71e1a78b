#include <linden/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace linden {
namespace {

template <class E>
void expect_text(const E& error, const std::string& expected)
{
    EXPECT_EQ(std::string(static_cast<const std::exception&>(error).what()), expected);
    EXPECT_NO_THROW(try { throw error; } catch (const Error&){});
}

TEST(Error, DimensionMismatchNamesBothOperands)
{
    const DimensionMismatch e("Csr::apply", "the operator", {5, 4}, "b", {5, 1});
    EXPECT_EQ(e.op, "Csr::apply");
    EXPECT_EQ(e.a, "the operator");
    EXPECT_EQ(e.b, "b");
    EXPECT_EQ(e.size_a, (Dim{5, 4}));
    EXPECT_EQ(e.size_b, (Dim{5, 1}));
    expect_text(e, "Csr::apply: the operator is 5 x 4, b is 5 x 1");
}

TEST(Error, InvalidParameterSaysWhatIsAllowed)
{
    const InvalidParameter e("stride", "1", "at least 2");
    EXPECT_EQ(e.name, "stride");
    EXPECT_EQ(e.value, "1");
    EXPECT_EQ(e.allowed, "at least 2");
    expect_text(e, "stride = '1' is not allowed: at least 2");
}

TEST(Error, OutOfMemoryHoldsBytesAndExecutor)
{
    const OutOfMemory e(1'000'000'000'000, "cuda:1");
    EXPECT_EQ(e.bytes, 1'000'000'000'000u);
    EXPECT_EQ(e.executor, "cuda:1");
    expect_text(e, "out of memory: 1000000000000 bytes on cuda:1");
}

TEST(Error, VendorErrorHoldsTheCallAndItsCode)
{
    const VendorError e("cuSPARSE", "cusparseSpMV", 7, "internal error");
    EXPECT_EQ(e.library, "cuSPARSE");
    EXPECT_EQ(e.call, "cusparseSpMV");
    EXPECT_EQ(e.code, 7);
    expect_text(e, "cuSPARSE: cusparseSpMV failed with code 7 (internal error)");
    expect_text(VendorError("hip", "hipMalloc", -2), "hip: hipMalloc failed with code -2");
}

TEST(Error, FileErrorNamesTheLineWhereOneIsToBlame)
{
    const FileError e("a.mtx", 12, "expected two integers");
    EXPECT_EQ(e.path, "a.mtx");
    EXPECT_EQ(e.line, 12);
    EXPECT_EQ(e.problem, "expected two integers");
    expect_text(e, "a.mtx:12: expected two integers");
    expect_text(FileError("a.mtx", 0, "cannot be opened"), "a.mtx: cannot be opened");
}

TEST(Error, KernelNotAvailableNamesKernelTypesAndBackend)
{
    const KernelNotAvailable e("csr::spmv", Backend::hip, "float, int64");
    EXPECT_EQ(e.kernel, "csr::spmv");
    EXPECT_EQ(e.types, "float, int64");
    EXPECT_EQ(e.backend, Backend::hip);
    expect_text(e, "kernel csr::spmv<float, int64> is not available on hip");
}

TEST(Error, BackendNotAvailableSaysWhy)
{
    const BackendNotAvailable e(Backend::cuda, "no device");
    EXPECT_EQ(e.backend, Backend::cuda);
    EXPECT_EQ(e.why, "no device");
    expect_text(e, "executor cuda is not available: no device");
}

TEST(Error, NotSupportedSaysWhy)
{
    const NotSupported e("Cg::clone", "it cannot move");
    EXPECT_EQ(e.op, "Cg::clone");
    EXPECT_EQ(e.why, "it cannot move");
    expect_text(e, "Cg::clone is not supported: it cannot move");
}

}  // namespace
}  // namespace linden
