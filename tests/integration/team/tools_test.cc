// accelctl cache: what is compiled ahead, and why a program is not found.

#include <cstdlib>
#include <fstream>

#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "tests/integration/team/team_fixture.h"

namespace acceld::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kDouble[] = R"(module @double {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %y = stablehlo.add %x, %x : tensor<4xf32>
    return %y : tensor<4xf32>
  }
})";
constexpr char kDynamic[] = R"(module @dynamic {
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %y = stablehlo.multiply %x, %x : tensor<?xf32>
    return %y : tensor<?xf32>
  }
})";

class CacheToolsTest : public TeamTest {
 protected:
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_.path() + "/" + name;
    std::ofstream(path) << text;
    return path;
  }
  // What `accelctl cache explain --json` says.
  json Explain(size_t daemon, std::vector<std::string> arguments, int exit_code) {
    arguments.insert(arguments.begin(), {"cache", "explain", "--json"});
    const CommandResult result = Accelctl(daemon, arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.output;
    return json::parse(result.output, nullptr, /*allow_exceptions=*/false);
  }
  static std::vector<std::string> Differences(const json& explanation) {
    std::vector<std::string> names;
    for (const json& component : explanation["components"]) {
      if (component["differs"]) names.push_back(component["name"]);
    }
    return names;
  }
  static constexpr int kNotFound = 3;
};

TEST_F(CacheToolsTest, ExplainSaysWhereAProgramIsFound) {
  AddDaemon();
  AddDaemon();
  const std::string program = Write("double.mlir", kDouble);
  const json before = Explain(0, {program}, kNotFound);
  EXPECT_EQ(before["tier"], "");
  EXPECT_TRUE(before["nearest"].is_null());
  ASSERT_EQ(Accelctl(0, {"run", program, "--arg", "f32[4]=1"}).exit_code, 0);
  EXPECT_EQ(Explain(0, {program}, 0)["tier"], "memory");
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 1; }));
  EXPECT_EQ(Explain(1, {program}, 0)["tier"], "remote");
  EXPECT_EQ(Stats(1).compiles, 0u);
}

TEST_F(CacheToolsTest, ExplainNamesTheComponentThatDiffers) {
  AddDaemon();
  AddDaemon({"--disable-pass", "fuse"});
  const std::string dynamic = Write("dynamic.mlir", kDynamic);
  ASSERT_EQ(Accelctl(0, {"run", dynamic, "--arg", "f32[4]=1"}).exit_code, 0);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 1; }));
  EXPECT_EQ(Differences(Explain(0, {dynamic, "--type", "f32[5]"}, kNotFound)),
            std::vector<std::string>{"arguments"});
  EXPECT_EQ(Differences(Explain(1, {dynamic, "--type", "f32[4]"}, kNotFound)),
            std::vector<std::string>{"options"});
  const std::string changed =
      Write("changed.mlir", absl::StrCat(absl::string_view(kDouble).substr(0, 7), "@dynamic",
                                         absl::string_view(kDouble).substr(14)));
  EXPECT_EQ(Differences(Explain(0, {changed}, kNotFound)), std::vector<std::string>{"program"});
  const CommandResult text = Accelctl(0, {"cache", "explain", dynamic, "--type", "f32[5]"});
  EXPECT_THAT(text.output, HasSubstr("wanted   (tensor<5xf32>)"));
  EXPECT_THAT(text.output, HasSubstr("nearest  (tensor<4xf32>)"));
  EXPECT_THAT(text.output, Not(HasSubstr("architecture")));
}

TEST_F(CacheToolsTest, WarmFillsTheTeamsCacheFromFilesFoldersAndLists) {
  AddDaemon();
  AddDaemon();
  ASSERT_EQ(RunCommand({"/bin/mkdir", folder_.path() + "/programs"}).exit_code, 0);
  Write("programs/double.mlir", kDouble);
  Write("dynamic.mlir", kDynamic);
  const std::string list =
      Write("shapes.list", "# squares\ndynamic.mlir f32[8]\ndynamic.mlir f32[9] # and nine\n");
  const CommandResult warmed = Accelctl(0, {"cache", "warm", folder_.path() + "/programs", list});
  EXPECT_EQ(warmed.exit_code, 0) << warmed.output;
  EXPECT_THAT(warmed.output, HasSubstr("3 compiled, 0 found, 0 failed"));
  EXPECT_THAT(Accelctl(0, {"cache", "warm", list}).output, HasSubstr("0 compiled, 2 found"));
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 3; }));
  const std::string dynamic = folder_.path() + "/dynamic.mlir";
  EXPECT_EQ(Accelctl(1, {"run", dynamic, "--arg", "f32[9]=3"}).exit_code, 0);
  EXPECT_EQ(Stats(1).cache_hits_remote, 1u);
  EXPECT_EQ(Stats(1).compiles, 0u);
}

TEST_F(CacheToolsTest, WarmSaysWhatItCouldNotCompile) {
  AddDaemon();
  const std::string dynamic = Write("dynamic.mlir", kDynamic), bad = Write("bad.mlir", "nonsense");
  const CommandResult result =
      Accelctl(0, {"cache", "warm", dynamic, bad, Write("double.mlir", kDouble)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("give the types of all arguments"));
  EXPECT_THAT(result.output, HasSubstr("bad.mlir:1:1"));
  EXPECT_THAT(result.output, HasSubstr("1 compiled, 0 found, 2 failed"));
  const CommandResult target =
      Accelctl(0, {"cache", "warm", "--target", "abacus", folder_.path() + "/double.mlir"});
  EXPECT_EQ(target.exit_code, 1);
  EXPECT_THAT(target.output, HasSubstr("target 'abacus' is no architecture"));
}

TEST_F(CacheToolsTest, ANodeWithoutAGpuCompilesForNodesWithOne) {
  const char* libraries = getenv("ACCELD_FAKE_CUDA_DIR");
  ASSERT_NE(libraries, nullptr);  // set by the build
  setenv("LD_LIBRARY_PATH", libraries, /*replace=*/1);
  const size_t builder = AddDaemon({"--cuda-devices", "none"});
  const size_t gpu_node = AddDaemon({"--cuda-devices", "all"});
  unsetenv("LD_LIBRARY_PATH");
  const json devices = json::parse(Accelctl(gpu_node, {"devices", "--json"}).output);
  ASSERT_EQ(devices["devices"][0]["kind"], "cuda");
  const std::string architecture = devices["devices"][0]["architecture"];
  const std::string program = Write("double.mlir", kDouble);
  const CommandResult warmed =
      Accelctl(builder, {"cache", "warm", "--target", architecture, program});
  EXPECT_EQ(warmed.exit_code, 0) << warmed.output;
  ASSERT_TRUE(Eventually([&] { return Count(builder, "saved") == 1; }));
  EXPECT_EQ(Explain(builder, {program, "--target", architecture}, 0)["tier"], "disk");
  const CommandResult run =
      Accelctl(gpu_node, {"--device", "cuda:0", "run", program, "--arg", "f32[4]=1"});
  EXPECT_EQ(run.exit_code, 0) << run.output;
  EXPECT_EQ(Stats(gpu_node).cache_hits_remote, 1u);
  EXPECT_EQ(Stats(gpu_node).compiles, 0u);
}

}  // namespace
}  // namespace acceld::testing
