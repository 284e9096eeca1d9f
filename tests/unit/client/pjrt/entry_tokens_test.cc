#include "client/pjrt/run/entry_tokens.h"

#include <string>

#include "client/program.h"
#include "common/ir/text.h"
#include "common/ir/verify/verifier.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

ir::Module Parsed(const std::string& text) {
  auto module = ir::ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

TEST(EntryTokens, BecomeArraysWithoutElements) {
  const ir::Module module = ReplaceEntryTokens(Parsed(R"(
      func.func public @main(%t: !stablehlo.token, %x: tensor<f32>)
          -> (!stablehlo.token, tensor<f32>) {
        %u = stablehlo.custom_call @acceld.host_callback(%t, %x)
            {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true}
            : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
        return %u, %x : !stablehlo.token, tensor<f32>
      })"),
                                               "main");
  EXPECT_TRUE(ir::Verify(module).ok()) << ir::Verify(module);
  const auto program = client::Program::FromModule(module);
  ASSERT_TRUE(program.ok()) << program.status();
  const ir::TensorType none{ir::DType::kI1, {0}}, scalar{ir::DType::kF32, {}};
  EXPECT_THAT(program->parameter_types(), ::testing::ElementsAre(none, scalar));
  EXPECT_THAT(program->result_types(), ::testing::ElementsAre(none, scalar));
  EXPECT_THAT(program->host_callbacks(), ::testing::ElementsAre(0));
}

TEST(EntryTokens, OfEachParticipantBecomeSuchArrays) {
  const ir::Module module = ReplaceEntryTokens(Parsed(R"(
      module attributes {mhlo.num_partitions = 4 : i32} {
        sdy.mesh @mesh = <["x"=4]>
        func.func public @main(%t: !stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>},
                               %x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
            -> (!stablehlo.token {sdy.sharding = #sdy.sharding<@mesh, []>}, tensor<8xf32>) {
          return %t, %x : !stablehlo.token, tensor<8xf32>
        }
      })"),
                                               "main");
  EXPECT_TRUE(ir::Verify(module).ok()) << ir::Verify(module);
  const ir::Function& main = *module.Find("main");
  for (const auto* shardings : {&main.parameter_shardings, &main.result_shardings}) {
    ASSERT_EQ(shardings->size(), 2u);
    EXPECT_THAT((*shardings)[0]->dimensions, ::testing::ElementsAre(ir::DimensionSharding()));
  }
}

TEST(EntryTokens, OfOtherFunctionsStay) {
  const ir::Module module = Parsed(R"(
      func.func private @f(%t: !stablehlo.token) -> !stablehlo.token {
        return %t : !stablehlo.token
      }
      func.func public @main(%x: tensor<f32>) -> tensor<f32> {
        %t = stablehlo.create_token : !stablehlo.token
        %u = func.call @f(%t) : (!stablehlo.token) -> !stablehlo.token
        return %x : tensor<f32>
      })");
  EXPECT_EQ(ReplaceEntryTokens(module, "main"), module);
}

TEST(EntryTokens, MayBeResultsAsTheyCome) {
  const ir::Module module = ReplaceEntryTokens(
      Parsed("func.func public @main(%t: !stablehlo.token) -> (!stablehlo.token, !stablehlo.token) "
             "{ return %t, %t : !stablehlo.token, !stablehlo.token }"),
      "main");
  EXPECT_TRUE(ir::Verify(module).ok()) << ir::Verify(module);
  EXPECT_TRUE(client::Program::FromModule(module).ok());
}

}  // namespace
}  // namespace acceld::pjrt
