#include "gmock/gmock.h"
#include "tests/unit/ir/interpreter/interpreter_test_util.h"

namespace acceld::ir {
namespace {

using ::testing::ElementsAre;

std::vector<int64_t> IntsOfOp(OpKind kind, const std::vector<Literal>& operands,
                              const OpAttributes& attributes) {
  const auto results =
      RunProgram(operands, [&](FunctionBuilder& b, const std::vector<ValueId>& parameters) {
        return b.Add(kind, parameters, attributes).value();
      });
  return IntsOf(results.value()[0]);
}

Literal I32s(Dims dims, const std::vector<int64_t>& values) {
  return Ints(DType::kI32, std::move(dims), values);
}

TEST(InterpreterEinsum, ProductsOfEqualLabelsAreSummed) {
  const Literal x = I32s({2, 3}, {1, 2, 3, 4, 5, 6}), y = I32s({3, 2}, {1, 0, 0, 1, 2, 2});
  const auto einsum = [&](const char* config) {
    return IntsOfOp(OpKind::kEinsum, {x, y}, EinsumAttributes{config});
  };
  EXPECT_THAT(einsum("ab,bc->ac"), ElementsAre(7, 8, 16, 17));
  EXPECT_THAT(einsum("ab,bc->ca"), ElementsAre(7, 16, 8, 17));
  EXPECT_THAT(einsum("ab,ba->a"), ElementsAre(7, 17));                    // a batch of products
  EXPECT_THAT(einsum("ab,cd->bd"), ElementsAre(15, 15, 21, 21, 27, 27));  // sums before products
}

TEST(InterpreterEinsum, ARepeatedLabelIsADiagonal) {
  const Literal x = I32s({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  const auto einsum = [&](const char* config) {
    return IntsOfOp(OpKind::kUnaryEinsum, {x}, EinsumAttributes{config});
  };
  EXPECT_THAT(einsum("aaa->a"), ElementsAre(1, 8));
  EXPECT_THAT(einsum("aaa->"), ElementsAre(9));
  EXPECT_THAT(einsum("aba->ba"), ElementsAre(1, 6, 3, 8));
  EXPECT_THAT(einsum("a...->..."), ElementsAre(6, 8, 10, 12));
}

// Each of the two constants is one number in memory.
TEST(InterpreterEinsum, MoreProductsThanCanBeCountedAreRefused) {
  const Literal x = Literal::Zeros({DType::kI8, {1 << 20, 1 << 20}});
  const auto results =
      RunProgram({x, x}, [&](FunctionBuilder& b, const std::vector<ValueId>& parameters) {
        return b.Add(OpKind::kEinsum, parameters, EinsumAttributes{"ab,cd->"}).value();
      });
  EXPECT_EQ(results.status().code(), absl::StatusCode::kResourceExhausted) << results.status();
}

TEST(InterpreterEinsum, IndicesSelectAndAreClamped) {
  const Literal x = I32s({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(
      IntsOfOp(OpKind::kTorchIndexSelect, {x, I32s({2}, {2, 0})}, TorchIndexSelectAttributes{1}),
      ElementsAre(3, 1, 6, 4));
  EXPECT_THAT(IntsOfOp(OpKind::kTorchIndexSelect, {x, I32s({2}, {-1, 7})},
                       TorchIndexSelectAttributes{1, 1}),
              ElementsAre(1, 6));
  EXPECT_THAT(
      IntsOfOp(OpKind::kTorchIndexSelect, {x, I32s({}, {1})}, TorchIndexSelectAttributes{0}),
      ElementsAre(4, 5, 6));
}

}  // namespace
}  // namespace acceld::ir
