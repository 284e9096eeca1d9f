// accelctl cache: what is compiled ahead, and why a program is not found.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "nlohmann/json.hpp"
#include "tests/integration/team/team_fixture.h"

namespace acceld::testing {
namespace {

namespace fs = std::filesystem;
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
  EXPECT_EQ(Differences(Explain(0, {dynamic, "--arg", "f32[5]"}, kNotFound)),
            std::vector<std::string>{"arguments"});
  EXPECT_EQ(Differences(Explain(1, {dynamic, "--arg", "f32[4]"}, kNotFound)),
            std::vector<std::string>{"options"});
  const std::string changed =
      Write("changed.mlir", absl::StrCat(absl::string_view(kDouble).substr(0, 7), "@dynamic",
                                         absl::string_view(kDouble).substr(14)));
  EXPECT_EQ(Differences(Explain(0, {changed}, kNotFound)), std::vector<std::string>{"program"});
  const CommandResult text = Accelctl(0, {"cache", "explain", dynamic, "--arg", "f32[5]"});
  EXPECT_THAT(text.output, HasSubstr("wanted   1 argument: tensor<5xf32>\n"));
  EXPECT_THAT(text.output, HasSubstr("nearest  1 argument: tensor<4xf32>\n"));
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

TEST_F(CacheToolsTest, EntriesOfTheTeamAreListed) {
  AddDaemon();
  AddDaemon();
  const std::string program = Write("dynamic.mlir", kDynamic);
  std::string list;
  for (int i = 1; i <= 20; ++i) absl::StrAppend(&list, "dynamic.mlir f32[", i, "]\n");
  ASSERT_EQ(Accelctl(0, {"cache", "warm", Write("shapes.list", list)}).exit_code, 0);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 20; }));
  const json here = json::parse(Accelctl(1, {"cache", "ls", "--json"}).output);
  EXPECT_TRUE(here["entries"].empty());
  const CommandResult result = Accelctl(1, {"cache", "ls", "--remote", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const json entries = json::parse(result.output)["entries"];
  std::set<std::string> signatures;
  for (const json& entry : entries) {
    EXPECT_EQ(entry["program_name"], "dynamic");
    EXPECT_GT(entry["size_bytes"], 0);
    signatures.insert(entry["signature"]);
  }
  EXPECT_EQ(entries.size(), 20u);
  EXPECT_EQ(signatures.size(), 20u);
  EXPECT_EQ(
      json::parse(
          Accelctl(1, {"cache", "ls", "--remote", "--limit", "7", "--json"}).output)["entries"]
          .size(),
      7u);
  EXPECT_THAT(Accelctl(1, {"cache", "ls", "--remote"}).output,
              HasSubstr("  dynamic  1 argument: tensor<20xf32>; 1 result: "));
  const size_t alone = AddDaemon({"--remote-cache-url", ""});
  const CommandResult none = Accelctl(alone, {"cache", "ls", "--remote"});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_THAT(none.output, HasSubstr("no remote cache"));
}

TEST_F(CacheToolsTest, StatSaysHowEachIdentityFoundItsExecutables) {
  AddDaemon();
  const std::string program = Write("double.mlir", kDouble);
  ASSERT_EQ(Accelctl(0, {"cache", "warm", program}).exit_code, 0);
  ASSERT_EQ(Accelctl(0, {"run", program, "--arg", "f32[4]=1"}).exit_code, 0);
  const json identities =
      json::parse(Accelctl(0, {"cache", "stat", "--json"}).output)["identities"];
  ASSERT_EQ(identities.size(), 1u);
  EXPECT_EQ(identities[0]["misses"], 1);
  EXPECT_EQ(identities[0]["memory"], 1);
  EXPECT_EQ(identities[0]["disk"], 0);
  EXPECT_THAT(Accelctl(0, {"cache", "stat"}).output,
              HasSubstr(identities[0]["identity"].get<std::string>()));
}

TEST_F(CacheToolsTest, WarmSaysWhatItCouldNotCompile) {
  AddDaemon();
  const std::string dynamic = Write("dynamic.mlir", kDynamic), bad = Write("bad.mlir", "nonsense");
  const CommandResult result =
      Accelctl(0, {"cache", "warm", dynamic, bad, Write("double.mlir", kDouble)});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("give all arguments with --arg"));
  EXPECT_THAT(result.output, HasSubstr("bad.mlir:1:1"));
  EXPECT_THAT(result.output, HasSubstr("1 compiled, 0 found, 2 failed"));
  const CommandResult target =
      Accelctl(0, {"cache", "warm", "--target", "abacus", folder_.path() + "/double.mlir"});
  EXPECT_EQ(target.exit_code, 1);
  EXPECT_THAT(target.output, HasSubstr("target 'abacus' is no architecture"));
}

TEST_F(CacheToolsTest, VerifyFindsAndRemovesWhatIsDamaged) {
  AddDaemon();
  const std::string program = Write("double.mlir", kDouble);
  ASSERT_EQ(Accelctl(0, {"cache", "warm", program}).exit_code, 0);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 1; }));
  CommandResult result = Accelctl(0, {"cache", "verify", "--remote"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_THAT(result.output, HasSubstr("disk    1 good"));
  EXPECT_THAT(result.output, HasSubstr("remote  1 good"));
  for (const fs::directory_entry& file :
       fs::recursive_directory_iterator(folder_.path() + "/0/cache")) {
    if (file.path().extension() != ".exe") continue;
    std::fstream bytes(file.path(), std::ios::in | std::ios::out | std::ios::binary);
    bytes.seekp(-1, std::ios::end);
    bytes.put('!');
  }
  result = Accelctl(0, {"cache", "verify"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.output, HasSubstr("disk    0 good (0 B), 1 bad"));
  EXPECT_EQ(Accelctl(0, {"cache", "verify"}).exit_code, 0);
}

TEST_F(CacheToolsTest, PurgeRemovesEntriesFromEveryTier) {
  AddDaemon();
  const std::string program = Write("double.mlir", kDouble);
  ASSERT_EQ(Accelctl(0, {"cache", "warm", program}).exit_code, 0);
  ASSERT_TRUE(Eventually([&] { return Count(0, "saved") == 1; }));
  EXPECT_NE(Accelctl(0, {"cache", "purge"}).exit_code, 0);
  EXPECT_THAT(Accelctl(0, {"cache", "purge", "nonsense"}).output,
              HasSubstr("'nonsense' is no key of a cache entry"));
  const CommandResult purged = Accelctl(0, {"cache", "purge", "--all", "--remote"});
  EXPECT_THAT(purged.output, HasSubstr("removed 1 from memory, 1 from disk, 1 remote"));
  EXPECT_THAT(Accelctl(0, {"cache", "warm", program}).output, HasSubstr("1 compiled"));
  const json entries = json::parse(Accelctl(0, {"cache", "ls", "--json"}).output);
  const std::string key = entries["entries"][0]["key"];
  EXPECT_THAT(Accelctl(0, {"cache", "purge", key}).output, HasSubstr("1 from memory, 1 from disk"));
}

TEST_F(CacheToolsTest, BundlesCarryEntriesToSitesWithoutANetworkPath) {
  AddDaemon();
  const std::string program = Write("double.mlir", kDouble), bundle = folder_.path() + "/bundle";
  ASSERT_EQ(
      Accelctl(0, {"cache", "warm", program, Write("dynamic.mlir", kDynamic), "--arg", "f32[4]"})
          .exit_code,
      0);
  ASSERT_TRUE(Eventually([&] { return Stats(0).cache_disk_entries == 2; }));
  const CommandResult exported = Accelctl(0, {"cache", "export", bundle});
  EXPECT_EQ(exported.exit_code, 0) << exported.output;
  EXPECT_THAT(exported.output, HasSubstr("2 entries"));
  // Without Redis.
  const size_t far_away = AddDaemon({"--remote-cache-url", ""});
  const CommandResult imported = Accelctl(far_away, {"cache", "import", bundle});
  EXPECT_EQ(imported.exit_code, 0) << imported.output;
  EXPECT_THAT(imported.output, HasSubstr("2 added, 0 present, 0 refused"));
  EXPECT_THAT(Accelctl(far_away, {"cache", "import", bundle}).output, HasSubstr("2 present"));
  EXPECT_EQ(Accelctl(far_away, {"run", program, "--arg", "f32[4]=1"}).exit_code, 0);
  EXPECT_EQ(Stats(far_away).cache_hits_disk, 1u);
  EXPECT_EQ(Stats(far_away).compiles, 0u);
}

TEST_F(CacheToolsTest, EntriesLargerThanAMessageMayBeAreCarried) {
  const std::vector<std::string> small_messages = {"--max-message-size", "2MiB"};
  AddDaemon(small_messages);
  // Bytes that Zstandard makes no fewer.
  std::mt19937 random(1);
  std::string digits(size_t{8} << 20, '0');
  for (char& digit : digits) digit = "0123456789ABCDEF"[random() % 16];
  const std::string program =
      Write("weights.mlir",
            absl::StrCat("module @weights {\n  func.func @main(%x: tensor<1048576xi32>) -> "
                         "tensor<1048576xi32> {\n    %w = stablehlo.constant dense<\"0x",
                         digits,
                         "\"> : tensor<1048576xi32>\n    %y = stablehlo.add %x, %w : "
                         "tensor<1048576xi32>\n    return %y : tensor<1048576xi32>\n  }\n}\n"));
  const std::string bundle = folder_.path() + "/bundle";
  ASSERT_EQ(Accelctl(0, {"cache", "warm", program}).exit_code, 0);
  ASSERT_TRUE(Eventually([&] { return Stats(0).cache_disk_entries == 1; }));
  const CommandResult exported = Accelctl(0, {"cache", "export", bundle});
  ASSERT_EQ(exported.exit_code, 0) << exported.output;
  EXPECT_GT(fs::file_size(bundle), size_t{4} << 20);
  const size_t far_away =
      AddDaemon({small_messages[0], small_messages[1], "--remote-cache-url", ""});
  const CommandResult imported = Accelctl(far_away, {"cache", "import", bundle});
  EXPECT_THAT(imported.output, HasSubstr("1 added, 0 present, 0 refused"));
  EXPECT_EQ(Stats(far_away).cache_disk_entries, 1u);
}

TEST_F(CacheToolsTest, ForeignAndDamagedBundlesAreRefused) {
  AddDaemon();
  const std::string bundle = folder_.path() + "/bundle";
  ASSERT_EQ(Accelctl(0, {"cache", "warm", Write("double.mlir", kDouble)}).exit_code, 0);
  ASSERT_TRUE(Eventually([&] { return Stats(0).cache_disk_entries == 1; }));
  ASSERT_EQ(Accelctl(0, {"cache", "export", bundle}).exit_code, 0);
  const std::string good = ReadText(bundle);
  const std::string key = Write("other.key", std::string(64, '8') + "\n");
  ASSERT_EQ(RunCommand({"/bin/chmod", "600", key}).exit_code, 0);
  const size_t foreign = AddDaemon({"--remote-cache-url", "", "--remote-cache-key-file", key});
  const CommandResult refused = Accelctl(foreign, {"cache", "import", bundle});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.output, HasSubstr("0 added, 0 present, 1 refused"));
  std::string bad = good;
  bad.back() ^= 1;
  EXPECT_THAT(Accelctl(0, {"cache", "import", Write("bad", bad)}).output, HasSubstr("1 refused"));
  EXPECT_THAT(
      Accelctl(0, {"cache", "import", Write("cut", good.substr(0, good.size() / 2))}).output,
      HasSubstr("cut short"));
  EXPECT_THAT(Accelctl(0, {"cache", "import", Write("text", "hello world")}).output,
              HasSubstr("is no bundle"));
  const size_t without = AddDaemon({"--remote-cache-url", "", "--remote-cache-key-file", ""});
  EXPECT_THAT(Accelctl(without, {"cache", "import", bundle}).output,
              HasSubstr("set remote-cache-key-file"));
  EXPECT_EQ(Stats(without).compiles + Stats(foreign).compiles, 0u);
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
  const std::vector<std::string> parts = absl::StrSplit(architecture, '-');
  ASSERT_GT(parts.size(), 3u) << architecture;
  const std::string& short_name = parts[1];  // sm_90
  // With kernels, libraries (and an epilogue and convolutions, which a device might give to them),
  // routines and loops.
  const std::string programs = folder_.path() + "/programs";
  ASSERT_TRUE(fs::create_directory(programs));
  for (const auto& [name, body] : std::vector<std::pair<std::string, std::string>>{
           {"add", "%y = stablehlo.add %x, %x : tensor<4x4xf32>"},
           {"matmul",
            "%y = stablehlo.dot %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
            "tensor<4x4xf32>"},
           {"epilogue",
            "%p = stablehlo.dot %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> "
            "tensor<4x4xf32>\n"
            "%b = stablehlo.constant dense<1.0> : tensor<4xf32>\n"
            "%c = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> "
            "tensor<4x4xf32>\n"
            "%s = stablehlo.add %p, %c : tensor<4x4xf32>\n"
            "%z = stablehlo.constant dense<0.0> : tensor<4x4xf32>\n"
            "%y = stablehlo.maximum %s, %z : tensor<4x4xf32>"},
           {"convolution",
            "%i = stablehlo.reshape %x : (tensor<4x4xf32>) -> tensor<1x4x4x1xf32>\n"
            "%w = stablehlo.constant dense<1.0> : tensor<3x3x1x1xf32>\n"
            "%o = stablehlo.convolution(%i, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->"
            "[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
            "feature_group_count = 1 : i64} : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>) -> "
            "tensor<1x4x4x1xf32>\n"
            "%y = stablehlo.reshape %o : (tensor<1x4x4x1xf32>) -> tensor<4x4xf32>"},
           {"fft",
            "%f = stablehlo.fft %x, type = RFFT, length = [4] : (tensor<4x4xf32>) -> "
            "tensor<4x3xcomplex<f32>>\n"
            "%y = stablehlo.fft %f, type = IRFFT, length = [4] : "
            "(tensor<4x3xcomplex<f32>>) -> tensor<4x4xf32>"},
           {"sort",
            "%y = \"stablehlo.sort\"(%x) ({\n^bb0(%l: tensor<f32>, %r: tensor<f32>):\n"
            "%t = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> "
            "tensor<i1>\nstablehlo.return %t : tensor<i1>\n}) {dimension = 1 : i64, "
            "is_stable = true} : (tensor<4x4xf32>) -> tensor<4x4xf32>"},
           {"loop",
            "%n = stablehlo.constant dense<0> : tensor<i32>\n"
            "%o:2 = stablehlo.while(%i = %n, %v = %x) : tensor<i32>, tensor<4x4xf32>\n"
            "cond {\n%e = stablehlo.constant dense<3> : tensor<i32>\n"
            "%t = stablehlo.compare LT, %i, %e : (tensor<i32>, tensor<i32>) -> "
            "tensor<i1>\nstablehlo.return %t : tensor<i1>\n} do {\n"
            "%k = stablehlo.constant dense<1> : tensor<i32>\n"
            "%j = stablehlo.add %i, %k : tensor<i32>\n"
            "%w = stablehlo.add %v, %v : tensor<4x4xf32>\n"
            "stablehlo.return %j, %w : tensor<i32>, tensor<4x4xf32>\n}\n"
            "%y = stablehlo.add %o#1, %x : tensor<4x4xf32>"}}) {
    Write(absl::StrCat("programs/", name, ".mlir"),
          absl::StrCat("module @", name,
                       " {\nfunc.func @main(%x: tensor<4x4xf32>) -> "
                       "tensor<4x4xf32> {\n",
                       body, "\nreturn %y : tensor<4x4xf32>\n}\n}\n"));
  }
  const CommandResult warmed =
      Accelctl(builder, {"cache", "warm", "--target", architecture, programs});
  EXPECT_EQ(warmed.exit_code, 0) << warmed.output;
  ASSERT_TRUE(Eventually([&] { return Count(builder, "saved") == 7; }));
  uint64_t hits = 0;
  for (const fs::directory_entry& program : fs::directory_iterator(programs)) {
    SCOPED_TRACE(program.path());
    // The builder has the GPU's libraries, so that the short name means the same.
    for (const std::string& target : {architecture, short_name}) {
      EXPECT_EQ(Explain(builder, {program.path(), "--target", target}, 0)["tier"], "disk");
    }
    const CommandResult run =
        Accelctl(gpu_node, {"--device", "cuda:0", "run", program.path(), "--arg", "f32[4,4]=1"});
    EXPECT_EQ(run.exit_code, 0) << run.output;
    EXPECT_EQ(Stats(gpu_node).cache_hits_remote, ++hits);
  }
  EXPECT_EQ(Stats(gpu_node).compiles, 0u);
}

}  // namespace
}  // namespace acceld::testing
