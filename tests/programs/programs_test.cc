// Every program of the suite, through `accelctl run` against a daemon of its own process, compared
// with what JAX computed (see export_programs.py).

#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/support/daemon/daemon_process.h"
#include "tests/support/source_path.h"

namespace acceld {
namespace {

using Json = nlohmann::json;

std::string ProgramsDir() { return testing::SourcePath("tests/programs"); }

Json Manifest() { return Json::parse(std::ifstream(ProgramsDir() + "/manifest.json"))["programs"]; }

ir::Literal Load(const std::string& path) {
  absl::StatusOr<ir::Literal> literal = client::ReadNpy(path);
  EXPECT_TRUE(literal.ok()) << literal.status();
  return literal.ok() ? *literal : ir::Literal();
}

ir::Dims ShapeOf(const Json& json) {
  ir::Dims dims;
  for (const Json& size : json["shape"]) dims.push_back(size.get<int64_t>());
  return dims;
}

// The formula of export_programs.py.
ir::Literal HashUniform(uint32_t seed, const ir::Dims& dims) {
  const ir::TensorType type{ir::DType::kF32, dims};
  std::vector<float> values(type.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    uint32_t x = static_cast<uint32_t>(i) + seed * 0x9E3779B9u;
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    x ^= x >> 16;
    values[i] = static_cast<float>(x >> 8) * 0x1p-23f - 1.0f;
  }
  return ir::Literal::FromValues<float>(type, values);
}

double ElementAt(const ir::Literal& literal, const std::string& bytes, int64_t index) {
  const ir::DType dtype = literal.type().dtype;
  return ir::IsFloat(dtype) ? ir::ReadFloat(dtype, bytes.data(), index)
                            : static_cast<double>(ir::ReadInt(dtype, bytes.data(), index));
}

void ExpectClose(const ir::Literal& actual, const Json& output, const Json& program) {
  const bool sampled = output.contains("positions");
  const ir::Literal expected =
      Load(ProgramsDir() + "/" + output[sampled ? "values" : "npy"].get<std::string>());
  EXPECT_EQ(actual.type().dtype, expected.type().dtype);
  EXPECT_EQ(actual.type().dims, sampled ? ShapeOf(output) : expected.type().dims);
  if (::testing::Test::HasFailure()) return;

  const std::string actual_bytes = actual.DenseBytes(), expected_bytes = expected.DenseBytes();
  std::string positions;
  if (sampled)
    positions = Load(ProgramsDir() + "/" + output["positions"].get<std::string>()).DenseBytes();
  const double atol = program["atol"], rtol = program["rtol"];
  int64_t different = 0;
  std::string first;
  for (int64_t i = 0; i < expected.type().num_elements(); ++i) {
    const int64_t at = sampled ? ir::ReadInt(ir::DType::kI64, positions.data(), i) : i;
    const double want = ElementAt(expected, expected_bytes, i),
                 got = ElementAt(actual, actual_bytes, at);
    const bool close = std::abs(got - want) <= atol + rtol * std::abs(want) ||
                       (std::isnan(got) && std::isnan(want));
    if (!close && different++ == 0)
      first = absl::StrCat("element ", at, ": ", got, " instead of ", want);
  }
  EXPECT_EQ(different, 0) << first;
}

class ProgramsTest : public ::testing::TestWithParam<Json> {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<testing::TempDir>();
    absl::StatusOr<testing::Daemon> daemon = testing::StartDaemon(folder_->path());
    ASSERT_TRUE(daemon.ok()) << daemon.status();
    daemon_ = std::make_unique<testing::Daemon>(*std::move(daemon));
  }
  static void TearDownTestSuite() {
    daemon_.reset();
    folder_.reset();
  }

  static std::unique_ptr<testing::TempDir> folder_;
  static std::unique_ptr<testing::Daemon> daemon_;
};

std::unique_ptr<testing::TempDir> ProgramsTest::folder_;
std::unique_ptr<testing::Daemon> ProgramsTest::daemon_;

TEST_P(ProgramsTest, MatchesJax) {
  ASSERT_NE(daemon_, nullptr);
  const Json& program = GetParam();
  const std::string name = program["name"];
  const testing::TempDir work;
  std::vector<std::string> command = {
      testing::BinDir() + "/accelctl",      "--address", daemon_->address, "run",
      ProgramsDir() + "/" + name + ".mlir", "--out",     work.path(),      "--json"};
  int number = 0;
  for (const Json& input : program["inputs"]) {
    std::string path;
    if (input.contains("npy")) {
      path = ProgramsDir() + "/" + input["npy"].get<std::string>();
    } else {
      path = absl::StrCat(work.path(), "/in", number, ".npy");
      ASSERT_TRUE(client::WriteNpy(path, HashUniform(input["hash_uniform"], ShapeOf(input))).ok());
    }
    command.push_back("--arg");
    command.push_back(path);
    ++number;
  }
  const testing::CommandResult result = testing::RunCommand(command);
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json report = Json::parse(result.output);
  EXPECT_EQ(report["cache_verdict"], "miss");
  ASSERT_EQ(report["outputs"].size(), program["outputs"].size());
  for (size_t i = 0; i < program["outputs"].size(); ++i) {
    SCOPED_TRACE(absl::StrCat("output ", i));
    ExpectClose(Load(report["outputs"][i]["file"]), program["outputs"][i], program);
  }
}

INSTANTIATE_TEST_SUITE_P(Suite, ProgramsTest,
                         ::testing::ValuesIn(Manifest().get<std::vector<Json>>()),
                         [](const auto& info) {
                           return info.param["name"].template get<std::string>();
                         });

}  // namespace
}  // namespace acceld
