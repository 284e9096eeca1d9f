#include "server/compiler/plan/constants.h"

#include "gtest/gtest.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::Literal;

Literal Counted(int32_t first, int64_t count) {
  std::vector<int32_t> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(first + static_cast<int32_t>(i));
  return Literal::FromValues<int32_t>({DType::kI32, {count}}, values);
}

std::string BytesAt(const std::string& block, const kernels::Slice& slice) {
  return block.substr(static_cast<size_t>(slice.offset_bytes),
                      static_cast<size_t>(slice.size_bytes));
}

TEST(ConstantBlockTest, EachConstantIsWhereItsSliceSays) {
  const Literal values[] = {Counted(1, 3), Literal::Filled({DType::kI32, {5}}, 7), Counted(9, 40),
                            Literal::Filled({DType::kI8, {}}, 4)};
  ConstantBlock constants;
  std::vector<kernels::Slice> slices;
  for (const Literal& value : values) slices.push_back(constants.Add(value));
  const std::string block = constants.Take();
  for (size_t i = 0; i < slices.size(); ++i) {
    EXPECT_EQ(slices[i].space, kernels::Slice::Space::kConstant);
    EXPECT_EQ(slices[i].offset_bytes % kernels::kBufferAlignment, 0);
    EXPECT_EQ(BytesAt(block, slices[i]), values[i].DenseBytes()) << i;
  }
  EXPECT_EQ(static_cast<int64_t>(block.size()),
            slices.back().offset_bytes + slices.back().size_bytes);
}

TEST(ConstantBlockTest, EqualBytesAreStoredOnceHoweverTheyAreStored) {
  ConstantBlock constants;
  const kernels::Slice splat = constants.Add(Literal::Filled({DType::kI32, {4}}, 7));
  const kernels::Slice dense =
      constants.Add(Literal::FromValues<int32_t>({DType::kI32, {2, 2}}, {7, 7, 7, 7}));
  EXPECT_EQ(splat, dense);
  EXPECT_EQ(constants.Take().size(), 16u);
}

TEST(ConstantBlockTest, WithoutConstantsTheBlockIsEmpty) {
  ConstantBlock constants;
  EXPECT_EQ(constants.Take(), "");
}

}  // namespace
}  // namespace acceld::compiler
