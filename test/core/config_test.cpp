// needs: double int32
#include <linden/config/config.hpp>
#include <linden/error.hpp>
#include <linden/solver/cg.hpp>

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>

#include "core/base/type_lists.hpp"

namespace {

using namespace linden;
using config::parse_factory;
using config::parse_short;

const Cg<double>::Parameters& parameters_of(const FactoryPtr<double>& factory)
{
    return dynamic_cast<const Factory<Cg<double>>&>(*factory).parameters();
}

Cg<double>::Parameters parsed(std::string_view text) { return parameters_of(parse_factory<double>(text, "c.json")); }

Cg<double>::Parameters shortly(std::string_view text) { return parameters_of(parse_short<double>(text)); }

/// The InvalidParameter that `f` throws.
template <class F>
InvalidParameter refusal(F&& f)
{
    try {
        f();
    } catch (const InvalidParameter& error) {
        return error;
    }
    ADD_FAILURE() << "nothing was thrown";
    return {"", "", ""};
}

InvalidParameter json_refusal(std::string_view text)
{
    return refusal([&] { parse_factory<double>(text, "c.json"); });
}

InvalidParameter short_refusal(std::string_view text)
{
    return refusal([&] { parse_short<double>(text); });
}

FileError syntax_error(std::string_view text)
{
    try {
        parse_factory<double>(text, "c.json");
    } catch (const FileError& error) {
        return error;
    }
    ADD_FAILURE() << "nothing was thrown for " << text;
    return {"", 0, ""};
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

TEST(ConfigJson, ReadsEveryTypeOfParameter)
{
    const auto p = parsed(R"({
        "type": "Cg",
        "single_reduction": true,
        "stop": {"max_iterations": 77, "relative_residual": 1e-9, "baseline": "initial_residual", "max_seconds": 2}
    })");

    EXPECT_TRUE(p.single_reduction);
    EXPECT_EQ(p.stop.max_iterations, 77);
    EXPECT_EQ(p.stop.relative_residual, 1e-9);
    EXPECT_EQ(p.stop.baseline, Baseline::initial_residual);
    EXPECT_EQ(p.stop.max_seconds, 2.0);
    EXPECT_EQ(p.preconditioner, nullptr);
}

TEST(ConfigJson, KeepsDefaultsOfWhatIsNotGiven)
{
    const Cg<double>::Parameters defaults;
    for (const char* text : {R"("Cg")", R"({"type": "Cg"})", R"({"type": "Cg", "stop": {}})"}) {
        const auto p = parsed(text);
        EXPECT_EQ(p.stop.max_iterations, defaults.stop.max_iterations) << text;
        EXPECT_EQ(p.stop.relative_residual, defaults.stop.relative_residual) << text;
        EXPECT_EQ(p.single_reduction, defaults.single_reduction) << text;
    }
}

TEST(ConfigJson, NestsFactories)
{
    const auto outer = parsed(R"({"type": "Cg", "preconditioner":
        {"type": "cg", "stop": {"max_iterations": 3}, "preconditioner": "CG"}})");

    ASSERT_NE(outer.preconditioner, nullptr);
    const auto& inner = parameters_of(outer.preconditioner);
    EXPECT_EQ(inner.stop.max_iterations, 3);
    ASSERT_NE(inner.preconditioner, nullptr);
    EXPECT_EQ(parameters_of(inner.preconditioner).preconditioner, nullptr);
}

TEST(ConfigJson, NullAndNoneStandForNoFactory)
{
    EXPECT_EQ(parse_factory<double>("null", "c.json"), nullptr);
    EXPECT_EQ(parsed(R"({"type": "Cg", "preconditioner": null})").preconditioner, nullptr);
    EXPECT_EQ(parsed(R"({"type": "Cg", "preconditioner": "none"})").preconditioner, nullptr);
}

TEST(ConfigJson, AllowsComments)
{
    EXPECT_EQ(parsed("// why\n{\"type\": \"Cg\", /* few */ \"stop\": {\"max_iterations\": 4}}").stop.max_iterations, 4);
}

TEST(ConfigJson, TakesIntegersInAnyNotation)
{
    EXPECT_EQ(parsed(R"({"type": "Cg", "stop": {"max_iterations": 1e6}})").stop.max_iterations, 1'000'000);
    EXPECT_EQ(parsed(R"({"type": "Cg", "stop": {"max_iterations": 9223372036854775807}})").stop.max_iterations,
              std::numeric_limits<size_type>::max());
    for (const char* value : {"0.5", "9223372036854775808", "1e30", "-1e30"}) {
        const auto error = json_refusal(R"({"type": "Cg", "stop": {"max_iterations": )" + std::string(value) + "}}");
        EXPECT_EQ(error.name, "stop.max_iterations") << value;
        EXPECT_TRUE(contains(error.allowed, "expected an integer")) << error.what();
    }
}

TEST(ConfigJson, UnknownKeyNamesItsPathLineAndTheNearest)
{
    const auto error = json_refusal(
        "{\"type\": \"Cg\",\n \"preconditioner\": {\"type\": \"Cg\",\n \"stop\":\n"
        "   {\"max_iteration\": 5}}}");

    EXPECT_EQ(error.name, "preconditioner.stop.max_iteration");
    EXPECT_EQ(error.value, "5");
    EXPECT_TRUE(contains(error.allowed, "did you mean 'max_iterations'?")) << error.what();
    EXPECT_TRUE(contains(error.allowed, "(c.json:4)")) << error.what();
}

TEST(ConfigJson, UnknownTypeNamesTheNearest)
{
    EXPECT_EQ(json_refusal(R"("Cgg")").value, "Cgg");
    const auto nested = json_refusal(R"({"type": "Cg", "preconditioner": {"type": "Cgg"}})");
    EXPECT_EQ(nested.name, "preconditioner.type");
    EXPECT_TRUE(contains(nested.allowed, "did you mean 'cg'?")) << nested.what();
    EXPECT_EQ(json_refusal(R"({"type": "Cg", "preconditioner": "Cgg"})").name, "preconditioner");
}

TEST(ConfigJson, MissingTypeIsNamed)
{
    const auto error = json_refusal(R"({"type": "Cg", "preconditioner": {"stop": {}}})");
    EXPECT_EQ(error.name, "preconditioner.type");
    EXPECT_TRUE(contains(error.allowed, "missing")) << error.what();
    EXPECT_EQ(json_refusal("{}").name, "type");
}

TEST(ConfigJson, WrongTypesSayWhatIsExpected)
{
    const struct {
        const char* members;
        const char* path;
        const char* expected;
    } cases[] = {
        {R"("single_reduction": 1)", "single_reduction", "expected true or false"},
        {R"("single_reduction": "true")", "single_reduction", "expected true or false"},
        {R"("stop": {"max_iterations": "5"})", "stop.max_iterations", "expected an integer"},
        {R"("stop": {"relative_residual": "1e-8"})", "stop.relative_residual", "expected a number"},
        {R"("stop": {"relative_residual": null})", "stop.relative_residual", "expected a number"},
        {R"("stop": {"baseline": "rhss"})", "stop.baseline", "did you mean 'rhs'? expected one of rhs"},
        {R"("stop": {"baseline": 0})", "stop.baseline", "expected one of rhs, initial_residual"},
        {R"("stop": [1])", "stop", "expected an object"},
        {R"("preconditioner": 5)", "preconditioner", "expected an object with a type, or the name of one"},
        {R"("preconditioner": [{"type": "Cg"}])", "preconditioner", "expected an object with a type"},
        {R"("preconditioner": {"type": 5})", "preconditioner.type", "expected the name of a type"},
    };
    for (const auto& c : cases) {
        const auto error = json_refusal(R"({"type": "Cg", )" + std::string(c.members) + "}");
        EXPECT_EQ(error.name, c.path) << c.members;
        EXPECT_TRUE(contains(error.allowed, c.expected)) << error.what();
    }
}

TEST(ConfigJson, ErrorsAtTheTopHaveAName) { EXPECT_EQ(json_refusal("[]").name, "configuration"); }

TEST(ConfigJson, LinesOfNumbersAtTheEndOfALineAreRight)
{
    const auto error = json_refusal("{\"type\": \"Cg\",\n\"stop\": {\"max_iterations\": 0.5\n}\n}");
    EXPECT_TRUE(contains(error.allowed, "(c.json:2)")) << error.what();
}

TEST(ConfigJson, SyntaxErrorsHaveLines)
{
    const struct {
        const char* text;
        int line;
    } cases[] = {
        {"", 1},
        {"{", 1},
        {"{\"type\": \"Cg\",\n\"stop\" {}}", 2},
        {"{\"type\": \"Cg\",\n\n\"stop\": {}\n", 4},
        {"{\"type\": \"Cg\",\n\"stop\": nul}", 2},
        {"\"Cg\" \"Cg\"", 1},
        {"{\"type\": \"Cg\",\n\"stop\": {\"max_seconds\": 1e999}}", 2},
        {"{\"type\": \"Cg\",\n\"type\": \"Cg\"}", 2},
    };
    for (const auto& c : cases) {
        const auto error = syntax_error(c.text);
        EXPECT_EQ(error.path, "c.json");
        EXPECT_EQ(error.line, c.line) << c.text << ": " << error.what();
        EXPECT_FALSE(contains(error.what(), "json.exception")) << error.what();
        EXPECT_FALSE(contains(error.what(), "\n")) << error.what();
    }
    EXPECT_TRUE(contains(syntax_error("{\"a\": 1, \"a\": 1}").what(), "'a' is given twice"));
    EXPECT_TRUE(contains(syntax_error(std::string(100'000, '[')).what(), "nested deeper than 64 levels"));
}

TEST(ConfigJson, RoundTripKeepsEveryParameter)
{
    Cg<double>::Parameters p;
    p.stop = {.max_iterations = 12345678901,
              .relative_residual = 0.1 + 0.2,
              .absolute_residual = std::numeric_limits<double>::denorm_min(),
              .baseline = Baseline::initial_residual,
              .max_seconds = 1.0 / 3,
              .divergence = std::numeric_limits<double>::infinity(),
              .stagnation_iterations = 7};
    p.single_reduction = true;
    p.preconditioner = Cg<double>::factory({.stop = {.max_iterations = 2}});
    const auto text = config::to_json<double>(Cg<double>::factory(p));

    const auto q = parsed(text);
    EXPECT_EQ(q.stop.max_iterations, p.stop.max_iterations);
    EXPECT_EQ(q.stop.relative_residual, p.stop.relative_residual);
    EXPECT_EQ(q.stop.absolute_residual, p.stop.absolute_residual);
    EXPECT_EQ(q.stop.baseline, p.stop.baseline);
    EXPECT_EQ(q.stop.max_seconds, p.stop.max_seconds);
    EXPECT_EQ(q.stop.divergence, p.stop.divergence);
    EXPECT_EQ(q.stop.stagnation_iterations, p.stop.stagnation_iterations);
    EXPECT_EQ(q.single_reduction, p.single_reduction);
    EXPECT_EQ(parameters_of(q.preconditioner).stop.max_iterations, 2);
    EXPECT_EQ(config::to_json<double>(parse_factory<double>(text, "c.json")), text);
    EXPECT_EQ(config::to_json<double>(nullptr), "null");
}

TEST(ConfigJson, DefaultsOfEveryTypeRoundTrip)
{
    for (const auto kind : {config::Kind::solver, config::Kind::preconditioner}) {
        for (const auto& type : config::registered_types<double>(kind)) {
            const auto factory = parse_short<double>(type);
            const auto text = config::to_json<double>(factory);
            EXPECT_EQ(config::to_json<double>(parse_factory<double>(text, type)), text);
            EXPECT_EQ(factory->type(), type);
            EXPECT_EQ(config::kind_of<double>(type), kind);
        }
    }
}

TEST(ConfigShort, ReadsParametersAndMembersOfStop)
{
    const auto p = shortly("cg:single_reduction=true,max_iterations=50,stop.relative_residual=1e-3,baseline=rhs");

    EXPECT_TRUE(p.single_reduction);
    EXPECT_EQ(p.stop.max_iterations, 50);
    EXPECT_EQ(p.stop.relative_residual, 1e-3);
    EXPECT_EQ(p.stop.baseline, Baseline::rhs);
}

TEST(ConfigShort, ReachesNestedFactories)
{
    for (const char* text : {"cg:preconditioner=cg,preconditioner.stop.max_iterations=4",
                             "cg:preconditioner.stop.max_iterations=4,preconditioner=cg",
                             "cg:preconditioner.type=cg,preconditioner.stop.max_iterations=4"}) {
        const auto p = shortly(text);
        ASSERT_NE(p.preconditioner, nullptr) << text;
        EXPECT_EQ(parameters_of(p.preconditioner).stop.max_iterations, 4) << text;
    }
    EXPECT_EQ(shortly("cg:preconditioner=none").preconditioner, nullptr);
    EXPECT_EQ(parse_short<double>("none"), nullptr);
}

TEST(ConfigShort, TakesThePreconditionerApart)
{
    const auto p = parameters_of(parse_short<double>("cg:max_iterations=9", "cg:max_iterations=4"));
    EXPECT_EQ(p.stop.max_iterations, 9);
    EXPECT_EQ(parameters_of(p.preconditioner).stop.max_iterations, 4);
    EXPECT_EQ(parameters_of(parse_short<double>("cg", "none")).preconditioner, nullptr);
    EXPECT_EQ(refusal([] { parse_short<double>("cg:preconditioner=cg", "cg"); }).name, "preconditioner");
    EXPECT_EQ(refusal([] { parse_short<double>("cg", "cgg"); }).value, "cgg");
}

TEST(ConfigShort, RefusesWhatItDoesNotKnow)
{
    const auto key = short_refusal("cg:max_iteration=5");
    EXPECT_EQ(key.name, "max_iteration");
    EXPECT_EQ(key.value, "5");
    EXPECT_TRUE(contains(key.allowed, "did you mean 'max_iterations'?")) << key.what();
    EXPECT_EQ(short_refusal("cg:stop.max_iteration=5").name, "stop.max_iteration");
    EXPECT_EQ(short_refusal("cg:preconditioner=cg,preconditioner.rate=5").name, "preconditioner.rate");
    EXPECT_TRUE(contains(short_refusal("cgg").allowed, "did you mean 'cg'?"));
    EXPECT_EQ(short_refusal("cg:max_iterations=many").name, "stop.max_iterations");
    EXPECT_EQ(short_refusal("cg:max_iterations=").name, "stop.max_iterations");
    EXPECT_EQ(short_refusal("cg:max_iterations=5x").value, "5x");
    EXPECT_EQ(short_refusal("cg:single_reduction=yes").name, "single_reduction");
}

TEST(ConfigShort, RefusesBadForms)
{
    for (const char* text : {"cg:max_iterations", "cg:=5", "cg:max_iterations=5,", "cg:,max_iterations=5", "cg:"}) {
        EXPECT_TRUE(contains(short_refusal(text).allowed, "expected key=value")) << text;
    }
    EXPECT_TRUE(contains(short_refusal("cg:max_iterations=5,max_iterations=6").allowed, "twice"));
    EXPECT_TRUE(contains(short_refusal("cg:max_iterations=5,stop.max_iterations=6").allowed, "twice"));
    short_refusal("");
    short_refusal(":max_iterations=5");
}

TEST(ConfigShort, RoundTripNamesOnlyWhatDiffers)
{
    for (const char* text : {"cg", "cg:max_iterations=50", "cg:max_iterations=50,single_reduction=true"}) {
        for (const char* preconditioner : {"none", "cg", "cg:max_iterations=3,preconditioner=cg",
                                           "cg:preconditioner=cg,preconditioner.stop.max_iterations=2"}) {
            const auto form = config::to_short(*parse_short<double>(text, preconditioner));
            EXPECT_EQ(form.text, text);
            EXPECT_EQ(form.preconditioner, preconditioner);
        }
    }
}

TEST(ConfigShort, NamesOfTypes)
{
    EXPECT_EQ(config::to_short(*parse_short<double>("BiCgStab", "BlockJacobi")).text, "bicgstab");
    EXPECT_EQ(config::to_short(*parse_short<double>("BICGSTAB", "block_jacobi")).preconditioner, "block-jacobi");
    EXPECT_EQ(config::to_short(*parse_short<double>("fgmres")).text, "fgmres");
}

TEST(ConfigChange, ChangesACopyOnly)
{
    class Never final : public StoppingCriterion {
        SolveStatus check(const IterationInfo&) override { return SolveStatus::running; }
    };
    const auto factory = Cg<double>::factory({.stop = {.max_iterations = 7, .custom = {std::make_shared<Never>()}},
                                              .preconditioner = Cg<double>::factory()});
    const auto changed = config::with_parameters<double>(factory, "relative_residual=0.25");

    EXPECT_EQ(parameters_of(changed).stop.relative_residual, 0.25);
    EXPECT_EQ(parameters_of(changed).stop.max_iterations, 7);
    EXPECT_EQ(parameters_of(changed).stop.custom.size(), 1u);
    EXPECT_EQ(parameters_of(changed).preconditioner, factory.parameters().preconditioner);
    EXPECT_EQ(factory.parameters().stop.relative_residual, Stop{}.relative_residual);
    EXPECT_EQ(refusal([&] { config::with_parameters<double>(factory, "rtol=1"); }).name, "rtol");
}

TEST(ConfigHelp, ShowsEveryParameterOfEveryType)
{
    const auto text = config::help<double>("cg");
    for (const char* part : {"stop.max_iterations", "1000", "iteration limit", "rhs|initial_residual", "preconditioner",
                             "single_reduction", "true|false", "stop.stagnation_iterations", "factory"}) {
        EXPECT_TRUE(contains(text, part)) << part << " in\n" << text;
    }
    for (const auto kind : {config::Kind::solver, config::Kind::preconditioner}) {
        for (const auto& type : config::registered_types<double>(kind)) {
            const auto own = config::help<double>(type);
            EXPECT_TRUE(contains(config::help_text(), own.substr(0, own.find('\n')))) << type;
        }
    }
    EXPECT_EQ(refusal([] { config::help<double>("cgg"); }).value, "cgg");
}

TEST(ConfigTypes, AreTheSameForEveryValueType)
{
    for (const auto kind : {config::Kind::solver, config::Kind::preconditioner}) {
        const auto types = config::registered_types<double>(kind);
        for_each_value([&]<class V>() { EXPECT_EQ(config::registered_types<V>(kind), types); });
    }
}

}  // namespace
