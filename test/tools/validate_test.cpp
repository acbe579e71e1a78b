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
    EXPECT_NE(page.find("<h2>Comparison</h2>"), std::string::npos);
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
    EXPECT_TRUE(run.out.ends_with("INCOMPLETE\n")) << run.out;
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

}  // namespace
