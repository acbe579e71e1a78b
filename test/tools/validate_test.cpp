#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "test/tools/program.hpp"

namespace {

using namespace linden::test;
using Json = nlohmann::json;

bool has_type(const Json& value, const std::string& type)
{
    return type == "object"    ? value.is_object()
           : type == "array"   ? value.is_array()
           : type == "string"  ? value.is_string()
           : type == "integer" ? value.is_number_integer()
           : type == "number"  ? value.is_number()
           : type == "boolean" ? value.is_boolean()
                               : value.is_null();
}

/// The first place where `value` breaks `rule`, of the keywords that the schema uses; empty if there is none.
std::string problem(const Json& value, const Json& rule, const Json& schema, const std::string& at)
{
    if (rule.contains("$ref")) {
        const Json::json_pointer target(rule["$ref"].get<std::string>().substr(1));
        return problem(value, schema.at(target), schema, at);
    }
    if (rule.contains("const") && value != rule["const"]) {
        return at + " is not " + rule["const"].dump();
    }
    if (rule.contains("enum") && std::find(rule["enum"].begin(), rule["enum"].end(), value) == rule["enum"].end()) {
        return at + " is none of " + rule["enum"].dump();
    }
    if (rule.contains("type")) {
        const Json types = rule["type"].is_array() ? rule["type"] : Json::array({rule["type"]});
        if (std::none_of(types.begin(), types.end(), [&](const Json& t) { return has_type(value, t); })) {
            return at + " is no " + types.dump();
        }
    }
    const auto required = rule.value("required", Json::array());
    for (const auto& name : required) {
        if (!value.contains(name.get<std::string>())) {
            return at + " has no " + name.dump();
        }
    }
    std::string found;
    const auto properties = rule.value("properties", Json::object());
    for (const auto& [name, inner] : properties.items()) {
        if (found.empty() && value.contains(name)) {
            found = problem(value[name], inner, schema, at + "." + name);
        }
    }
    for (std::size_t i = 0; rule.contains("items") && i < value.size() && found.empty(); ++i) {
        found = problem(value[i], rule["items"], schema, at + "[" + std::to_string(i) + "]");
    }
    return found;
}

Json schema() { return Json::parse(read_file(LINDEN_SOURCE_DIR "/doc/schemas/validate.json")); }

TEST(Validate, ReportFollowsTheSchema)
{
    const ScratchFolder folder;
    const auto run = run_linden({"validate", "--level", "1", "--backends", "reference", "--json", folder.path("r.json"),
                                 "--report", folder.path("r.html")});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    EXPECT_TRUE(run.out.ends_with("PASS\n")) << run.out;
    const auto report = Json::parse(read_file(folder.path("r.json")));
    EXPECT_EQ(problem(report, schema(), schema(), "report"), "");
    auto broken = report;
    broken["backends"][0].erase("kernels");
    EXPECT_EQ(problem(broken, schema(), schema(), "report"), "report.backends[0] has no \"kernels\"");

    const auto again = run_linden({"validate", "--level", "1", "--backends", "reference", "--compare",
                                   folder.path("r.json"), "--report", folder.path("c.html")});
    const auto num = std::to_string(report["backends"][0]["solves"].size());
    EXPECT_NE(again.out.find("solves in both: " + num + ", with the same bits: " + num), std::string::npos)
        << again.out;
    const auto page = read_file(folder.path("c.html"));
    EXPECT_NE(page.find("<h2 id=\"comparison\">Comparison</h2>"), std::string::npos);
    for (const char* outside : {"<script", "src=", "@import", "url("}) {
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    }
    EXPECT_LT(page.size(), std::size_t{2} << 20);
    for (auto at = page.find("href=\"#"); at != std::string::npos; at = page.find("href=\"#", at + 1)) {
        const auto name = page.substr(at + 7, page.find('"', at + 7) - at - 7);
        EXPECT_NE(page.find("id=\"" + name + "\""), std::string::npos) << name;
    }
}

TEST(Validate, WhatIsNotHereIsIncomplete)
{
    const auto run = run_linden({"validate", "--level", "1", "--backends", "reference", "--case", "0"});
    EXPECT_EQ(run.code, 4) << run.out << run.err;
    EXPECT_TRUE(run.out.ends_with("missing: all cases but 0 (--case)\nINCOMPLETE\n")) << run.out;
    const auto none = run_linden({"validate", "--level", "1", "--backends", "reference", "--case", "999999"});
    EXPECT_EQ(none.code, 2) << none.out;
    EXPECT_NE(none.err.find("--case: level 1 has no case 999999"), std::string::npos) << none.err;
    const auto kernel =
        run_linden({"validate", "--level", "1", "--backends", "reference", "--only", "ilut::factorize"});
    EXPECT_EQ(kernel.code, 4);
    EXPECT_EQ(kernel.out.find("not inspected: csr::"), std::string::npos) << kernel.out;
}

/// Tools that follow kernels see them one by one; what was left out for that is not green.
TEST(Validate, HostLoopsRecordNothing)
{
    const ScratchFolder folder;
    const auto run = run_linden(
        {"validate", "--level", "1", "--backends", "reference", "--host-loops", "--json", folder.path("r.json")});
    EXPECT_EQ(run.code, 4) << run.out << run.err;
    const auto report = Json::parse(read_file(folder.path("r.json")));
    EXPECT_TRUE(report["backends"][0]["limits"].empty());
    EXPECT_GT(report["backends"][0]["solves"].size(), 50);
    for (const auto& solve : report["backends"][0]["solves"]) {
        EXPECT_EQ(solve["launches"], 0) << solve;
        EXPECT_TRUE(solve["faults"].empty()) << solve;
    }
}

TEST(Validate, RefusesWhatItDoesNotKnow)
{
    const auto kernel = run_linden({"validate", "--only", "csr::spmw"});
    EXPECT_EQ(kernel.code, 2);
    EXPECT_NE(kernel.err.find("did you mean 'csr::spmv'"), std::string::npos) << kernel.err;
    EXPECT_EQ(run_linden({"validate", "--backends", "omq"}).code, 2);
    EXPECT_EQ(run_linden({"validate", "--level", "7"}).code, 2);
    const ScratchFolder folder;
    const auto file = folder.write("other.json", "{\"format\": \"linden validate\", \"version\": 99}");
    EXPECT_EQ(run_linden({"validate", "--level", "1", "--compare", file}).code, 2);
    const auto refused = [](const std::vector<std::string>& options, const std::string& message) {
        std::vector<std::string> line{"validate"};
        line.insert(line.end(), options.begin(), options.end());
        const auto run = run_linden(line);
        EXPECT_EQ(run.code, 2) << run.out;
        EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    };
    refused({"--level", "1", "--time", "5"}, "--time: level 1 ends by itself; it is for --level 4");
    refused({"--level", "4", "--time", "-5"}, "--time: expected a positive number");
    refused({"--threads", "-1"}, "--threads: expected an integer of at least 0, not '-1'");
    refused({"--seed", "-1"}, "--seed: expected an integer of at least 0, not '-1'");
    refused({"--level", "0"}, "--level: expected an integer from 1 to 4, not '0'");
    refused({"--from", file, "--level", "2"}, "--level excludes --from");
    refused({"--from", folder.path("none.json")}, "cannot read");
    refused({"--from", folder.write("cut.json", "{\"format\": \"linden val")}, "is no JSON, or ends too early");
}

TEST(Validate, SelfTestFindsWhatItPlants)
{
    const ScratchFolder folder;
    const auto run = run_linden(
        {"validate", "--level", "1", "--backends", "reference", "--self-test", "--json", folder.path("r.json")});
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    const auto report = Json::parse(read_file(folder.path("r.json")));
    int planted = 0, found = 0;
    for (const auto& k : report["backends"][0]["kernels"]) {
        planted += k.value("planted", 0);
        found += k.value("found", 0);
    }
    EXPECT_GT(planted, 200);
    EXPECT_EQ(found, planted);
}

/// A report as JSON, so that nothing depends on times: a kernel of `kernel` GB/s, where copies have 20 GB/s times
/// `machine`. Texts are as long as they come.
Json report_of(double kernel, double machine = 1)
{
    const std::string where =
        "case 31: Cg:variant=single_reduction,stop.relative_residual=0.000001 with BlockJacobi on "
        "random:597:7:1, complex128 (597, 597, 3582, 1)";
    const std::string path(120, 'x');  // nothing to break a line at
    Json of_kernel{{"kernel", "csr::spmv"}, {"types", "complex128, int64"}, {"calls", 400}, {"inspected", 8}};
    of_kernel.update({{"fraction", 0.4}, {"ulps", 3.0}, {"same_bits", false}, {"decided_by_rounding", 0}});
    of_kernel.update({{"worst", where}, {"bytes", kernel * 1e9}, {"seconds", 1.0}});
    Json gap{{"kernel", "deflation::add_prolonged"}, {"types", "double, uint16"}, {"calls", 0}, {"inspected", 0}};
    gap.update({{"gap", "no case calls it"}, {"gap_is_named", true}});
    Json solve{{"method", where}, {"problem", "lap2d:24"}, {"type", "double"}, {"status", "converged"}};
    solve.update({{"iterations", 30}, {"reference_iterations", 30}, {"relative_residual", 1e-7}});
    solve.update({{"hash", "0123456789abcdef"}, {"probes", {"0x1p+0"}}, {"launches", 1}, {"synchronizations", 2}});
    solve.update({{"allocations", 0}, {"faults", Json::array()}});
    Json backend{{"backend", "omp"}, {"device", path}, {"units", 2}, {"memory_bytes", 1}, {"verdict", "PASS"}};
    backend.update({{"cases", 1}, {"seconds", 1.0}, {"kernels", {of_kernel, gap}}, {"solves", {solve}}});
    backend["limits"] = {{{"name", "copy"}, {"value", 20 * machine}, {"unit", "GB/s"}},
                         {{"name", "kernel after kernel"}, {"value", 3.0 / machine}, {"unit", "us"}}};
    backend["refusals"] = {{{"case", where}, {"message", path}}, {{"case", "case 32: b"}, {"message", path}}};
    backend["faults"] = Json::array();
    Json machine_of{{"processor", path}, {"threads", 2}, {"memory", ""}, {"architecture", ""}, {"system", ""}};
    machine_of.update({{"version", ""}, {"compiler", "GCC"}, {"optimised", true}, {"value_types", {"double"}}});
    machine_of.update({{"index_types", {"int32"}}, {"environment", {{"OMP_PLACES", path}}}});
    return {{"format", "linden validate"},
            {"version", 2},
            {"verdict", "PASS"},
            {"level", 2},
            {"seed", 1},
            {"machine", machine_of},
            {"missing", Json::array()},
            {"backends", {backend}}};
}

TEST(Validate, SlowIsWhatHasASmallerFractionThanTheBaseline)
{
    const ScratchFolder folder;
    const auto baseline = folder.write("baseline.json", report_of(10).dump());
    EXPECT_EQ(problem(report_of(10), schema(), schema(), "report"), "");
    const auto judged = [&](const Json& report) {
        return run_linden({"validate", "--from", folder.write("r.json", report.dump()), "--baseline", baseline});
    };
    const auto slower = judged(report_of(7));  // 30 %
    EXPECT_EQ(slower.code, 3) << slower.out << slower.err;
    EXPECT_NE(slower.out.find("slower: omp csr::spmv<complex128, int64>: 0.35 of the largest bandwidth, before 0.50"),
              std::string::npos)
        << slower.out;
    EXPECT_TRUE(slower.out.ends_with("SLOW\n")) << slower.out;
    EXPECT_EQ(judged(report_of(9)).code, 0);       // 10 %
    EXPECT_EQ(judged(report_of(9, 0.9)).code, 0);  // the machine has a tenth less
    const auto brief = [&](double seconds) {
        auto report = report_of(7);
        auto& kernel = report["backends"][0]["kernels"][0];
        kernel["bytes"] = 7e9 * seconds;
        kernel["seconds"] = seconds;
        return judged(report).code;
    };
    EXPECT_EQ(brief(12e-6), 0);  // 3.6 us
    EXPECT_EQ(brief(30e-6), 3);  // 9 us
    const auto machine = judged(report_of(7, 0.7));
    EXPECT_EQ(machine.code, 3);
    EXPECT_NE(machine.out.find("slower: limit omp copy: 14, before 20 GB/s"), std::string::npos) << machine.out;
    EXPECT_EQ(machine.out.find("slower: omp csr::spmv"), std::string::npos) << "the kernel keeps its fraction";
    auto wrong = report_of(7);
    wrong["verdict"] = "FAIL";
    EXPECT_EQ(judged(wrong).code, 1) << "wrong is worse than slow";
}

/// A file that was cut or edited is refused with what it lacks, not followed into memory.
TEST(Validate, ReportsThatLackSomethingAreRefused)
{
    const ScratchFolder folder;
    const auto refused = [&](const Json& report, const std::string& message) {
        const auto run = run_linden({"validate", "--from", folder.write("r.json", report.dump())});
        EXPECT_EQ(run.code, 2) << run.out;
        EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
    };
    auto report = report_of(10);
    report.erase("backends");
    refused(report, "has no 'backends'");
    report = report_of(10);
    report["backends"] = "omp";
    refused(report, "backends is no list");
    report = report_of(10);
    report["backends"][0]["kernels"][1].erase("gap");
    refused(report, "backends[0], kernels[1] has no 'gap'");
    report = report_of(10);
    report["backends"][0]["solves"][0] = 3;
    refused(report, "solves[0] has no 'method'");
}

/// What is not judged is not green.
TEST(Validate, ABaselineOfSomethingElseIsNoBaseline)
{
    const ScratchFolder folder;
    const auto mine = folder.write("mine.json", report_of(10).dump());
    auto other = report_of(10);
    other["backends"][0]["backend"] = "cuda";
    const auto run = run_linden({"validate", "--from", mine, "--baseline", folder.write("other.json", other.dump())});
    EXPECT_EQ(run.code, 4) << run.out << run.err;
    other = report_of(10);
    other["level"] = 1;
    const auto level = run_linden({"validate", "--from", mine, "--baseline", folder.write("other.json", other.dump())});
    EXPECT_EQ(level.code, 2) << level.out;
    EXPECT_NE(level.err.find("is of level 1, whose bandwidths"), std::string::npos) << level.err;
}

TEST(Validate, ReportsOfTwoBackendsAreCompared)
{
    const ScratchFolder folder;
    auto other = report_of(10);
    other["backends"][0]["backend"] = "reference";
    other["backends"][0]["solves"][0].update({{"hash", "0"}, {"probes", {"0x1.0000000000002p+0"}}, {"iterations", 31}});
    const auto run = run_linden({"validate", "--from", folder.write("mine.json", report_of(10).dump()), "--compare",
                                 folder.write("other.json", other.dump())});
    EXPECT_NE(run.out.find("omp here, reference there\n"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("solves in both: 1, with the same bits: 0\n"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("30 and 31 iterations, converged and converged, solutions differ by 4 eps"),
              std::string::npos)
        << run.out;
    EXPECT_EQ(run.out.find("only "), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("kernels timed in both: 1"), std::string::npos) << run.out;
    auto elsewhere = report_of(10);
    elsewhere["seed"] = 2;
    const auto seeds = run_linden(
        {"validate", "--from", folder.path("mine.json"), "--compare", folder.write("seed.json", elsewhere.dump())});
    EXPECT_NE(seeds.out.find("seed 1 here, 2 there"), std::string::npos) << seeds.out;
}

TEST(Validate, RefusalsAreCountedWithTheirMessages)
{
    const ScratchFolder folder;
    auto report = report_of(10);
    report["backends"][0]["refusals"][0]["message"] = "block_size: 0 is not 1 to 32";
    report["backends"][0]["refusals"][1]["message"] = "block_size: 0 is not 1 to 32";
    const auto mine = folder.write("mine.json", report.dump());
    const auto shown = run_linden({"validate", "--from", mine, "--report", folder.path("r.html")});
    EXPECT_NE(shown.out.find("refused: 2 cases, with 1 messages"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("2: block_size: 0 is not 1 to 32 (case 31: "), std::string::npos) << shown.out;
    EXPECT_NE(read_file(folder.path("r.html")).find("block_size: 0 is not 1 to 32 (2 cases"), std::string::npos);
    report["backends"][0]["refusals"].erase(1);
    const auto other = folder.write("other.json", report.dump());
    const auto compared = run_linden({"validate", "--from", mine, "--compare", other});
    EXPECT_NE(compared.out.find("only here: omp refuses b"), std::string::npos) << compared.out;
}

/// What can make a page wider than a window of 400 px: widths that are fixed, tables and pictures outside a box that
/// scrolls, lines that cannot break. Where: the text from there on, or empty.
std::string wide_part(const std::string& page)
{
    const auto body = page.substr(page.find("<body>"));
    std::size_t depth = 0;  // of boxes that scroll, and the boxes in them
    for (auto at = body.find('<'); at != std::string::npos; at = body.find('<', at + 1)) {
        const auto tag = body.substr(at, body.find('>', at) - at);
        const bool is_picture = tag.starts_with("<svg") || tag.starts_with("<table");
        if (tag.starts_with("<div class=\"wide\"") || (depth > 0 && tag.starts_with("<div"))) {
            ++depth;
        } else if (depth > 0 && tag == "</div") {
            --depth;
        }
        const bool is_fixed = !tag.starts_with("<svg") && !tag.starts_with("<rect") &&
                              (tag.find(" width=") != std::string::npos || tag.find("style=") != std::string::npos);
        if ((is_picture && depth == 0) || is_fixed || tag.starts_with("<pre") ||
            tag.find("nowrap") != std::string::npos) {
            return body.substr(at, 200);
        }
    }
    return depth == 0 ? "" : "a box that scrolls does not end";
}

TEST(Validate, ThePageFitsIntoNarrowWindows)
{
    const ScratchFolder folder;
    const auto mine = folder.write("mine.json", report_of(7).dump());
    const auto other = folder.write("other.json", report_of(10).dump());
    ASSERT_EQ(run_linden({"validate", "--from", mine, "--compare", other, "--baseline", other, "--report",
                          folder.path("r.html")})
                  .code,
              3);
    const auto page = read_file(folder.path("r.html"));
    EXPECT_NE(page.find("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"), std::string::npos);
    const auto style = page.substr(page.find("<style>"), page.find("</style>") - page.find("<style>"));
    for (const char* rule :
         {".wide{overflow-x:auto}", "li{overflow-wrap:anywhere}", "summary{cursor:pointer;overflow-wrap:anywhere}"}) {
        EXPECT_NE(style.find(rule), std::string::npos) << rule;
    }
    EXPECT_EQ(style.find("{width:"), style.find("{width:100%")) << "a fixed width";
    EXPECT_EQ(style.find(";width:"), std::string::npos) << "a fixed width";
    EXPECT_EQ(wide_part(page), "");
    // The test sees what it is for.
    EXPECT_NE(wide_part("<body><table></table>"), "");
    EXPECT_NE(wide_part("<body><div class=\"wide\"></div><svg></svg>"), "");
    EXPECT_NE(wide_part("<body><p style=\"width:900px\">"), "");
    EXPECT_NE(wide_part("<body><div class=\"wide\"><table></table>"), "");
    EXPECT_EQ(wide_part("<body><div class=\"wide\"><div><table></table></div><svg></svg></div>"), "");
}

}  // namespace
