#include <linden/executor.hpp>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/base/kernel.hpp"

#include "test/tools/program.hpp"

namespace {

using namespace linden;
using namespace linden::test;

TEST(Info, JsonListsEveryKernelAndBackend)
{
    const auto outcome = run_linden({"info", "--kernels", "--json", "-"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.err, "");
    const auto info = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(info["version"].is_string());
    EXPECT_TRUE(info["compiler"].is_string());
    ASSERT_EQ(info["backends"].size(), static_cast<std::size_t>(num_backends));
    for (int b = 0; b < num_backends; ++b) {
        const auto expected = backend_info(static_cast<Backend>(b));
        const auto& shown = info["backends"][static_cast<std::size_t>(b)];
        EXPECT_EQ(shown["name"], name(expected.backend));
        EXPECT_EQ(shown["built"], expected.built);
        EXPECT_EQ(shown["available"], expected.why_not.empty());
        EXPECT_EQ(shown["devices"].size(), expected.devices.size());
    }
    const auto all = KernelEntry::all();
    ASSERT_EQ(info["kernels"].size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto& shown = info["kernels"][i];
        EXPECT_EQ(shown["name"], all[i]->name());
        EXPECT_GE(shown["types"].size(), 1u);
        for (int b = 0; b < num_backends; ++b) {
            const auto backend = static_cast<Backend>(b);
            EXPECT_EQ(shown["backends"][std::string(name(backend))], all[i]->available(backend));
        }
    }
}

TEST(Info, TextSaysWhyABackendCannotBeUsed)
{
    const auto outcome = run_linden({"info"});
    EXPECT_EQ(outcome.code, 0);
    for (int b = 0; b < num_backends; ++b) {
        const auto backend = backend_info(static_cast<Backend>(b));
        EXPECT_NE(outcome.out.find(name(backend.backend)), std::string::npos);
        EXPECT_NE(outcome.out.find(backend.why_not), std::string::npos);
    }
    EXPECT_EQ(outcome.out.find("csr::spmv"), std::string::npos);
}

TEST(Info, TableOfKernels)
{
    const auto lines = lines_of(run_linden({"info", "--kernels"}).out);
    const auto row = std::find_if(lines.begin(), lines.end(), [](auto& l) { return l.starts_with("csr::spmv "); });
    ASSERT_NE(row, lines.end());
    EXPECT_NE(row->find(" yes"), std::string::npos) << *row;
}

TEST(Info, JsonToAFile)
{
    const ScratchFolder folder;
    EXPECT_EQ(run_linden({"info", "--json", folder.path("i.json")}).code, 0);
    EXPECT_TRUE(nlohmann::json::parse(read_file(folder.path("i.json")))["kernels"].is_array());
}

/// An arrow in a Rutherford-Boeing file: natural order fills all, others nothing.
TEST(Info, ComparesOrderings)
{
    const ScratchFolder folder;
    const auto file = folder.write("arrow.rb",
                                   "An arrow                                                                key\n"
                                   " 3 1 1 1\n"
                                   "rsa            4 4 7 0\n"
                                   "(5I3)           (7I3)           (7F4.1)\n"
                                   "  1  5  6  7  8\n"
                                   "  1  2  3  4  2  3  4\n"
                                   " 4.0-1.0-1.0-1.0 4.0 4.0 4.0\n");
    const auto outcome = run_linden({"info", file, "--orderings", "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto matrix = nlohmann::json::parse(outcome.out)["matrix"];
    EXPECT_EQ(matrix["orderings"][0]["ordering"], "natural");
    EXPECT_EQ(matrix["orderings"][0]["bandwidth"], 3);
    EXPECT_EQ(matrix["orderings"][0]["profile"], 6);
    EXPECT_EQ(matrix["orderings"][0]["cholesky_entries"], 10);
    EXPECT_GE(matrix["orderings"][0]["lu_bytes"], 16 * 12);
    EXPECT_EQ(matrix["orderings"][2]["ordering"], "amd");
    EXPECT_EQ(matrix["orderings"][2]["lu_entries"], 10);
    EXPECT_EQ(matrix["block_triangular"]["block_sizes"], nlohmann::json::array({4}));
    EXPECT_EQ(run_linden({"info", file, "--orderings", "--matching", "approximate"}).code, 0);
    EXPECT_EQ(run_linden({"info", file, "--orderings", "--matching", "exact"}).code, 2);
    EXPECT_EQ(run_linden({"info", file, "--matching", "approximate"}).code, 2);
    const auto text = run_linden({"info", file, "--orderings"}).out;
    EXPECT_LT(text.find("\nrcm "), text.find("\nadvice ")) << "advice comes last\n" << text;
    EXPECT_NE(text.find("\nadvice "), std::string::npos);
    EXPECT_EQ(run_linden({"info", "--orderings"}).code, 2);
}

TEST(Info, DescribesAMatrix)
{
    const ScratchFolder folder;
    const auto file = folder.write("a.mtx",
                                   "%%MatrixMarket matrix coordinate real general\n"
                                   "3 3 5\n1 1 4\n1 3 -1\n2 1 1\n3 1 -1\n3 3 1\n");
    const auto text = run_linden({"info", file});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_EQ(lines_of(text.out).front(), "size                3 x 3, 5 nonzeros");
    EXPECT_NE(text.out.find("rows by length      1: 1, 2-3: 2"), std::string::npos) << text.out;

    EXPECT_NE(text.out.find("colours             2, of 1 to 2 rows (greedy)"), std::string::npos) << text.out;

    const auto outcome = run_linden({"info", file, "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto info = nlohmann::json::parse(outcome.out);
    EXPECT_TRUE(info["kernels"].is_array());
    const auto& matrix = info["matrix"];
    EXPECT_EQ(matrix["colour_sizes"], (std::vector<int>{1, 2}));
    EXPECT_EQ(matrix["file"], file);
    EXPECT_EQ(matrix["rows"], 3);
    EXPECT_EQ(matrix["cols"], 3);
    EXPECT_EQ(matrix["nnz"], 5);
    EXPECT_EQ(matrix["min_row_length"], 1);
    EXPECT_EQ(matrix["max_row_length"], 2);
    EXPECT_EQ(matrix["empty_rows"], 0);
    EXPECT_EQ(matrix["row_length_histogram"], (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(matrix["lower_bandwidth"], 2);
    EXPECT_EQ(matrix["upper_bandwidth"], 2);
    EXPECT_EQ(matrix["diagonal_entries"], 2);
    EXPECT_EQ(matrix["pattern_symmetric"], false);
    EXPECT_EQ(matrix["symmetric"], false);
    EXPECT_EQ(matrix["hermitian"], false);
    EXPECT_EQ(matrix["dominant_rows"], 2);
    EXPECT_EQ(matrix["strictly_dominant_rows"], 1);
}

/// An asymmetry of one rounding error used to read as none: "symmetry no".
TEST(Info, SymmetryUpToRounding)
{
    const ScratchFolder folder;
    const auto text = [&](const std::string& below) {
        return run_linden({"info", folder.write("a.mtx",
                                                "%%MatrixMarket matrix coordinate real general\n2 2 4\n"
                                                "1 1 2\n1 2 -1\n2 1 " +
                                                    below + "\n2 2 2\n")})
            .out;
    };
    EXPECT_NE(text("-1.0000000000000002").find("\nsymmetry            Hermitian up to rounding\n"), std::string::npos);
    EXPECT_NE(text("-1.0000000000000002").find("--solver cg"), std::string::npos);
    EXPECT_NE(text("-1.00001").find("\nsymmetry            no, but the pattern is symmetric\n"), std::string::npos);
}

TEST(Info, TellsSkewSymmetricMatrices)
{
    const ScratchFolder folder;
    const auto asymmetry_of = [&](const std::string& symmetry, const std::string& entries) {
        const auto file =
            folder.write("a.mtx", "%%MatrixMarket matrix coordinate real " + symmetry + "\n2 2 " + entries);
        const auto text = run_linden({"info", file}).out;
        const auto at = text.find("\nasymmetry");
        return text.substr(at, text.find('\n', at + 1) - at);
    };
    const auto skew = asymmetry_of("skew-symmetric", "1\n2 1 3\n");
    EXPECT_NE(skew.find("= 2 ||A||"), std::string::npos) << skew;
    EXPECT_NE(skew.find(": skew-"), std::string::npos) << skew;
    EXPECT_EQ(asymmetry_of("general", "3\n1 1 1\n2 1 3\n1 2 -3\n").find("skew"), std::string::npos);
    EXPECT_EQ(asymmetry_of("symmetric", "1\n2 1 3\n").find("skew"), std::string::npos);
}

TEST(Info, EstimatesTheCondition)
{
    const ScratchFolder folder;
    const std::string header = "%%MatrixMarket matrix coordinate real general\n";
    const auto file = folder.write("a.mtx", header + "3 3 4\n1 1 1e-3\n2 2 1\n2 3 1\n3 3 2\n");
    const auto outcome = run_linden({"info", file, "--condition", "--json", "-"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const auto matrix = nlohmann::json::parse(outcome.out)["matrix"];
    EXPECT_NEAR(matrix["condition_estimate"].get<double>(), 3 * 1e3, 1e-6);  // of the norms, 3 and 1000
    EXPECT_FALSE(
        nlohmann::json::parse(run_linden({"info", file, "--json", "-"}).out)["matrix"].contains("condition_estimate"));
    EXPECT_NE(run_linden({"info", file, "--condition"}).out.find("\ncondition           3e+03 in the 1-norm"),
              std::string::npos);
    const auto singular = folder.write("s.mtx", header + "2 2 4\n1 1 1\n1 2 2\n2 1 2\n2 2 4\n");
    EXPECT_NE(run_linden({"info", singular, "--condition"}).out.find("A is singular up to rounding"),
              std::string::npos);
    const auto wide = folder.write("w.mtx", header + "1 2 1\n1 1 1\n");
    for (const auto& arguments : {std::vector<std::string>{"info", "--condition"}, {"info", wide, "--condition"}}) {
        const auto refused = run_linden(arguments);
        EXPECT_EQ(refused.code, 2);
        EXPECT_NE(refused.err.find("--condition needs a"), std::string::npos) << refused.err;
    }
}

TEST(Info, WithoutAMatrixThereIsNone)
{
    EXPECT_FALSE(nlohmann::json::parse(run_linden({"info", "--json", "-"}).out).contains("matrix"));
}

TEST(Info, SaysWhichFileCannotBeRead)
{
    const auto outcome = run_linden({"info", "nowhere.mtx"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("nowhere.mtx"), std::string::npos);
}

TEST(Version, IsPrinted)
{
    const auto outcome = run_linden({"--version"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out.rfind("linden ", 0), 0u);
}

}  // namespace
