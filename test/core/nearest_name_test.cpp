#include "core/base/nearest_name.hpp"

#include <gtest/gtest.h>

namespace linden {
namespace {

const std::vector<std::string> solvers{"Cg", "BiCgStab", "Gmres", "Minres", "Chebyshev"};

TEST(NearestName, FindsTheSmallestEditDistance)
{
    EXPECT_EQ(nearest_name("Gmrse", solvers), "Gmres");
    EXPECT_EQ(nearest_name("Mimres", solvers), "Minres");
    EXPECT_EQ(nearest_name("bicgstab", solvers), "BiCgStab");
    EXPECT_EQ(nearest_name("Chebychev", solvers), "Chebyshev");
}

TEST(NearestName, CountsInsertionsDeletionsAndSubstitutionsAlike)
{
    EXPECT_EQ(nearest_name("gmre", {"gmres"}), "gmres");
    EXPECT_EQ(nearest_name("gmmres", {"gmres"}), "gmres");
    EXPECT_EQ(nearest_name("gmxes", {"gmres"}), "gmres");
}

TEST(NearestName, TakesTheFirstOfEquallyNear) { EXPECT_EQ(nearest_name("ac", {"ab", "ad"}), "ab"); }

TEST(NearestName, PrefersOfEquallyNearWhatBeginsSo)
{
    EXPECT_EQ(nearest_name("ilu", {"lu", "ilu0", "iluk"}), "ilu0");
    EXPECT_EQ(nearest_name("ILU", {"lu", "ilu0"}), "ilu0");
    EXPECT_EQ(nearest_name("ilu", {"ilu0", "ilu"}), "ilu");
}

TEST(NearestName, TakesWhatIsTheBeginningOfANameAsThat)
{
    EXPECT_EQ(nearest_name("bicg", {"cg", "bicgstabl", "bicgstab"}), "bicgstab");
    EXPECT_EQ(nearest_name("gmr", {"gcr", "gmres"}), "gmres");
    EXPECT_EQ(nearest_name("CHOL", {"cholesky"}), "cholesky");
    EXPECT_EQ(nearest_name("--sol", {"--rtol", "--solution", "--solver"}), "--solver");
    EXPECT_EQ(nearest_name("bi", {"cg", "bicgstab"}), "cg");  // two letters begin too much
}

TEST(NearestName, FindsNothingFarAway)
{
    EXPECT_EQ(nearest_name("multigrid", solvers), "");
    EXPECT_EQ(nearest_name("x", {"abcdef"}), "");
    EXPECT_EQ(nearest_name("anything", {}), "");
}

TEST(NearestName, StandsEmptyNames)
{
    EXPECT_EQ(nearest_name("", {"ab"}), "ab");
    EXPECT_EQ(nearest_name("", {"abcd"}), "");
    EXPECT_EQ(nearest_name("", {""}), "");
}

TEST(ExpectedOneOf, ListsAllAndSuggestsTheNearest)
{
    EXPECT_EQ(expected_one_of("omq", {"omp", "cuda"}), "did you mean 'omp'? expected one of omp, cuda");
    EXPECT_EQ(expected_one_of("something", {"omp", "cuda"}), "expected one of omp, cuda");
}

}  // namespace
}  // namespace linden
