#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;

// What XLA gives on the CPU for the state {0x3c6ef3629e3779b1, 0x78dde6c4daa66d13}.
std::vector<Literal> Bits(RngAlgorithm algorithm, DType dtype) {
  const Literal state = Ints(DType::kUI64, {2}, {0x3c6ef3629e3779b1, 0x78dde6c4daa66d13});
  return RunProgram({state},
                    [&](FunctionBuilder& b, const std::vector<ValueId>& p) {
                      const std::vector<Type> declared = {state.type(), TensorType{dtype, {5}}};
                      return b
                          .Add(OpKind::kRngBitGenerator, p, RngBitGeneratorAttributes{algorithm},
                               {}, declared)
                          .value();
                    })
      .value();
}

TEST(InterpreterRandom, ThreeFryAsXlaHasIt) {
  auto results = Bits(RngAlgorithm::kThreeFry, DType::kUI32);
  EXPECT_THAT(IntsOf(results[0]), ElementsAre(0x3c6ef3629e3779b1, 0x78dde6c4daa66d16));
  EXPECT_THAT(IntsOf(results[1]),
              ElementsAre(0x90d524d2, 0x17e0eec, 0x7da80c3e, 0x1085d431, 0x2ff55534));
  results = Bits(RngAlgorithm::kThreeFry, DType::kUI64);
  EXPECT_THAT(IntsOf(results[0]), ElementsAre(0x3c6ef3629e3779b1, 0x78dde6c4daa66d18));
  EXPECT_EQ(IntsOf(results[1])[4], static_cast<int64_t>(0x88221e9f373952d7));
  results = Bits(RngAlgorithm::kThreeFry, DType::kUI8);
  EXPECT_THAT(IntsOf(results[1]), ElementsAre(0xd2, 0xec, 0x3e, 0x31, 0x34));
}

TEST(InterpreterRandom, PhiloxAsXlaHasItAndTheDefault) {
  for (const RngAlgorithm algorithm : {RngAlgorithm::kPhilox, RngAlgorithm::kDefault}) {
    auto results = Bits(algorithm, DType::kUI32);
    EXPECT_THAT(IntsOf(results[0]), ElementsAre(0x3c6ef3629e3779b1, 0x78dde6c4daa66d15));
    EXPECT_THAT(IntsOf(results[1]),
                ElementsAre(0x9a10102f, 0x7df2364d, 0x88a55a8f, 0xb8a433ee, 0x4e8c6376));
    results = Bits(algorithm, DType::kUI64);
    EXPECT_THAT(IntsOf(results[0]), ElementsAre(0x3c6ef3629e3779b1, 0x78dde6c4daa66d16));
    EXPECT_EQ(IntsOf(results[1])[0], 0x7df2364d9a10102f);
    EXPECT_EQ(IntsOf(results[1])[4], static_cast<int64_t>(0x935a697883a261df));
  }
}

}  // namespace
}  // namespace acceld::ir
