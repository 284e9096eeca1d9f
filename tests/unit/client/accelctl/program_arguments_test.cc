#include "client/tools/accelctl/program_arguments.h"

#include "client/npy.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/process.h"

namespace acceld::tools {
namespace {

using ::acceld::testing::TempDir;
using ::testing::HasSubstr;

constexpr char kProgram[] =
    "func.func @main(%x: tensor<?xf32>, %y: tensor<2xbf16>) -> tensor<2xbf16> {\n"
    "  return %y : tensor<2xbf16>\n}\n";

client::Program Parse(absl::string_view text) {
  absl::StatusOr<client::Program> program = client::Program::FromText(text);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

std::string TypesOf(const std::vector<std::string>& texts, const client::Program& program) {
  const auto types = ParseArgumentTypes(texts, program);
  if (!types.ok()) return std::string(types.status().message());
  std::string out;
  for (const ir::TensorType& type : *types) out += type.ToString() + " ";
  return out;
}

TEST(ProgramArgumentsTest, TypesAreThoseOfTheValuesThatRunWouldGet) {
  const TempDir folder;
  const std::string file = folder.path() + "/y.npy";
  ASSERT_TRUE(client::WriteNpy(file, ir::Literal::Filled({ir::DType::kBF16, {2}}, 1)).ok());
  const client::Program program = Parse(kProgram);
  EXPECT_EQ(TypesOf({"f32[3]", file}, program), "tensor<3xf32> tensor<2xbf16> ");
  EXPECT_EQ(TypesOf({"f32[1000,1000,100]=random", "bf16[2]=1"}, program),
            "tensor<1000x1000x100xf32> tensor<2xbf16> ");
  const auto values = ParseArguments({"f32[3]=iota", file}, program);
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ((*values)[1].type().ToString(), "tensor<2xbf16>");
}

TEST(ProgramArgumentsTest, WithoutArgumentsTheProgramSaysItsTypes) {
  EXPECT_THAT(TypesOf({}, Parse(kProgram)), HasSubstr("argument 0 is tensor<?xf32>: give all"));
  EXPECT_EQ(TypesOf({}, Parse("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
                              "  return %x : tensor<2xf32>\n}\n")),
            "tensor<2xf32> ");
}

TEST(ProgramArgumentsTest, WhatDoesNotFitIsRefusedAsByRun) {
  const client::Program program = Parse(kProgram);
  for (const std::vector<std::string>& texts :
       {std::vector<std::string>{"f32[3]"}, {"f32[3]", "bf16[2]", "f32"}}) {
    const std::string refusal = TypesOf(texts, program);
    EXPECT_EQ(refusal, ParseArguments(texts, program).status().message());
    EXPECT_THAT(refusal, HasSubstr("'main' takes 2 arguments: tensor<?xf32>, tensor<2xbf16>; "));
  }
  EXPECT_THAT(TypesOf({"f32[3]", "bf16[2]=nonsense"}, program),
              HasSubstr("'nonsense' is no content"));
  EXPECT_THAT(TypesOf({"f32[3]", "no/such/file.npy"}, program), HasSubstr("no/such/file.npy"));
  EXPECT_THAT(ParseArguments({"f32[3]", "bf16[2]=1"}, program).status().message(),
              HasSubstr("argument 'f32[3]': '=' and a content are missing"));
}

}  // namespace
}  // namespace acceld::tools
