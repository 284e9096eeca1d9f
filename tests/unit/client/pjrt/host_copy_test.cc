#include "client/pjrt/transfer/host_copy.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using ir::DType;
using ir::TensorType;

std::vector<int32_t> Numbers(int count) {
  std::vector<int32_t> numbers(count);
  for (int i = 0; i < count; ++i) numbers[i] = i;
  return numbers;
}

std::vector<int32_t> Gathered(const TensorType& type, const int32_t* from,
                              std::vector<int64_t> strides) {
  std::vector<int32_t> to(static_cast<size_t>(type.num_elements()), -1);
  Gather(type, reinterpret_cast<const char*>(from), strides, reinterpret_cast<char*>(to.data()));
  return to;
}

TEST(HostCopy, GathersInTheOrderOfTheStrides) {
  const std::vector<int32_t> numbers = Numbers(6);  // 2 x 3, row-major
  const TensorType transposed{DType::kI32, {3, 2}};
  EXPECT_EQ(Gathered(transposed, numbers.data(), {4, 12}),
            (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  const TensorType reversed{DType::kI32, {6}};
  EXPECT_EQ(Gathered(reversed, numbers.data() + 5, {-4}), (std::vector<int32_t>{5, 4, 3, 2, 1, 0}));
  const TensorType broadcast{DType::kI32, {2, 2}};
  EXPECT_EQ(Gathered(broadcast, numbers.data(), {0, 4}), (std::vector<int32_t>{0, 1, 0, 1}));
  const TensorType scalar{DType::kI32, {}};
  EXPECT_EQ(Gathered(scalar, numbers.data() + 2, {}), (std::vector<int32_t>{2}));
  const TensorType every_other{DType::kI32, {1, 3}};
  EXPECT_EQ(Gathered(every_other, numbers.data(), {999, 8}), (std::vector<int32_t>{0, 2, 4}));
}

TEST(HostCopy, CopiesNothingOfArraysWithoutElements) {
  const TensorType empty{DType::kI32, {2, 0, 3}};
  EXPECT_TRUE(Gathered(empty, nullptr, {4, 4, 4}).empty());
  EXPECT_TRUE(IsRowMajor(empty, {{1, 2, 3}}));
}

TEST(HostCopy, ScattersWhatItGathers) {
  const TensorType type{DType::kI32, {2, 3, 2}};
  const std::vector<int64_t> strides = {4, 16, 8};
  const std::vector<int32_t> numbers = Numbers(12);
  std::vector<int32_t> scattered(12, -1);
  Scatter(type, reinterpret_cast<const char*>(numbers.data()),
          reinterpret_cast<char*>(scattered.data()), strides);
  EXPECT_EQ(Gathered(type, scattered.data(), strides), numbers);
}

TEST(HostCopy, KnowsRowMajorArraysByTheirStrides) {
  const TensorType type{DType::kF32, {2, 1, 3}};
  EXPECT_TRUE(IsRowMajor(type, {{12, 12, 4}}));
  EXPECT_TRUE(IsRowMajor(type, {{12, 777, 4}}));
  EXPECT_FALSE(IsRowMajor(type, {{16, 12, 4}}));
  EXPECT_FALSE(IsRowMajor(type, {{4, 12, 8}}));
}

PJRT_Buffer_MemoryLayout Tiled(const std::vector<int64_t>& minor_to_major) {
  PJRT_Buffer_MemoryLayout layout{};
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}

TEST(HostCopy, ReadsLayoutsAsStrides) {
  const TensorType type{DType::kF64, {2, 3}};
  const std::vector<int64_t> row_major = {1, 0}, column_major = {0, 1}, twice = {1, 1}, one = {0};
  EXPECT_EQ(*StridesOf(Tiled(row_major), type), (ir::Dims{24, 8}));
  EXPECT_EQ(*StridesOf(Tiled(column_major), type), (ir::Dims{8, 16}));
  EXPECT_EQ(StridesOf(Tiled(twice), type).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(StridesOf(Tiled(one), type).status().code(), absl::StatusCode::kInvalidArgument);
  PJRT_Buffer_MemoryLayout tiles = Tiled(row_major);
  tiles.tiled.num_tiles = 1;
  EXPECT_EQ(StridesOf(tiles, type).status().code(), absl::StatusCode::kUnimplemented);
}

std::string Normalized(DType dtype, std::string bytes) {
  EXPECT_TRUE(NeedsNormalizing(dtype, bytes.data(), bytes.size()));
  Normalize(dtype, absl::MakeSpan(bytes.data(), bytes.size()));
  EXPECT_FALSE(NeedsNormalizing(dtype, bytes.data(), bytes.size()));
  return bytes;
}

TEST(HostCopy, NormalizesElementsBelowAByte) {
  EXPECT_EQ(Normalized(DType::kI1, std::string("\x00\x02\xff", 3)), std::string("\x00\x01\x01", 3));
  EXPECT_EQ(Normalized(DType::kI4, "\x0f\x07"), "\xff\x07");
  EXPECT_EQ(Normalized(DType::kUI4, "\xff\x07"), "\x0f\x07");
  EXPECT_EQ(Normalized(DType::kI2, "\x03"), "\xff");
}

TEST(HostCopy, LeavesOtherElementsAsTheyAre) {
  std::string bytes = "\x01\x02\x03\xff";
  EXPECT_FALSE(NeedsNormalizing(DType::kF32, bytes.data(), bytes.size()));
  Normalize(DType::kF32, absl::MakeSpan(bytes.data(), bytes.size()));
  EXPECT_EQ(bytes, "\x01\x02\x03\xff");
}

}  // namespace
}  // namespace acceld::pjrt
