// Convolutions by products that read the input where it lies, and by the library's.
#include "kernels/cpu/cpu_convolution.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "common/ir/types/element.h"
#include "gtest/gtest.h"
#include "tests/unit/kernels/cpu/cpu_runner.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;

constexpr int kNumDims = ConvolutionShape::kNumDims;

// Two spatial dimensions; sizes of batch, input, kernel and features.
struct Sizes {
  int64_t batch = 2, size = 9, window = 3, features = 5, outputs = 6;
};

int64_t ExtentOf(const Sizes& s, int64_t stride, int64_t low, int64_t high, int64_t lhs_dilation,
                 int64_t rhs_dilation) {
  const int64_t padded = (s.size - 1) * lhs_dilation + 1 + low + high;
  return (padded - (s.window - 1) * rhs_dilation - 1) / stride + 1;
}

struct Options {
  int64_t stride = 1, low = 0, high = 0, lhs_dilation = 1, rhs_dilation = 1;
  bool reversed = false;
  bool features_last = true;    // in input and output
  bool kernel_o_first = false;  // kernel [o][i 0 1] or [o][0 1 i], else [0 1 i][o]
};

ConvolutionShape ShapeOf(const Sizes& s, const Options& o) {
  ConvolutionShape shape;
  const int64_t extent = ExtentOf(s, o.stride, o.low, o.high, o.lhs_dilation, o.rhs_dilation);
  shape.features = s.features;
  shape.outputs = s.outputs;
  const int64_t lhs_unit = o.features_last ? s.features : 1;
  const int64_t out_unit = o.features_last ? s.outputs : 1;
  shape.dims[1] = {.extent = s.batch,
                   .size = s.batch,
                   .lhs_stride = s.size * s.size * s.features,
                   .out_stride = extent * extent * s.outputs};
  for (int d = 2; d < kNumDims; ++d) {
    const bool inner = d == kNumDims - 1;
    shape.dims[d] = {.extent = extent,
                     .window = s.window,
                     .stride = o.stride,
                     .step = o.reversed ? -o.rhs_dilation : o.rhs_dilation,
                     .offset = (o.reversed ? (s.window - 1) * o.rhs_dilation : 0) - o.low,
                     .dilation = o.lhs_dilation,
                     .size = s.size,
                     .lhs_stride = lhs_unit * (inner ? 1 : s.size),
                     .out_stride = out_unit * (inner ? 1 : extent)};
  }
  shape.first_row_dim = o.features_last ? 0 : 2;
  shape.lhs_feature_stride = o.features_last ? 1 : s.size * s.size;
  shape.out_feature_stride = o.features_last ? 1 : extent * extent;
  shape.features_outermost = o.features_last ? 0 : 1;
  const int64_t columns = s.window * s.window * s.features;
  shape.rhs_row_stride = o.kernel_o_first ? 1 : s.outputs;
  shape.rhs_output_stride = o.kernel_o_first ? columns : 1;
  const int64_t cell = shape.rhs_row_stride * (o.features_last ? s.features : 1);
  shape.dims[2].rhs_stride = cell * s.window;
  shape.dims[3].rhs_stride = cell;
  shape.rhs_feature_stride = shape.rhs_row_stride * (o.features_last ? 1 : s.window * s.window);
  return shape;
}

// The gradient of the kernel of a convolution with these sizes: its extent are the kernel's
// elements, its window all extent of the forward one, its features the images.
ConvolutionShape KernelGradientOf(const Sizes& s, const Options& o) {
  ConvolutionShape shape;
  const int64_t extent = ExtentOf(s, o.stride, o.low, o.high, o.lhs_dilation, o.rhs_dilation);
  shape.features = s.batch;
  shape.outputs = s.outputs;
  shape.first_row_dim = 0;
  for (int d = 1; d < 3; ++d) {
    shape.dims[d] = {.extent = s.window,
                     .window = extent,
                     .stride = o.rhs_dilation,
                     .step = o.stride,
                     .offset = -o.low,
                     .dilation = o.lhs_dilation,
                     .size = s.size,
                     .lhs_stride = s.features * (d == 1 ? s.size : 1),
                     .out_stride = s.features * s.outputs * (d == 1 ? s.window : 1),
                     .rhs_stride = s.outputs * (d == 1 ? extent : 1)};
  }
  shape.dims[3] = {
      .extent = s.features, .size = s.features, .lhs_stride = 1, .out_stride = s.outputs};
  shape.lhs_feature_stride = s.size * s.size * s.features;
  shape.rhs_row_stride = s.outputs;
  shape.rhs_feature_stride = extent * extent * s.outputs;
  shape.features_outermost = 1;
  return shape;
}

// Three groups of features in every tensor, beside each other. The sizes are those of one group.
ConvolutionShape InGroups(const Sizes& s, const Options& o) {
  ConvolutionShape shape = ShapeOf(s, o);
  shape.groups = 3;
  shape.lhs_group_stride = s.features;
  shape.out_group_stride = shape.rhs_group_stride = s.outputs;
  shape.rhs_row_stride *= 3;
  shape.rhs_feature_stride *= 3;
  for (auto& dim : shape.dims) dim.lhs_stride *= 3, dim.out_stride *= 3, dim.rhs_stride *= 3;
  return shape;
}

struct Tensors {
  int64_t lhs, rhs, out;  // numbers of elements
};

Tensors CountElements(const ConvolutionShape& s) {
  int64_t lhs = 1;
  for (const auto& dim : s.dims) lhs *= dim.size;
  return {lhs * s.features * s.groups, s.num_window_elements() * s.features * s.outputs * s.groups,
          s.num_output_positions() * s.outputs * s.groups};
}

std::string SmallIntegers(DType dtype, int64_t n, int seed) {
  std::string bytes(n * ir::StorageBytesOf(dtype), '\0');
  for (int64_t i = 0; i < n; ++i) {
    const int64_t value = (i * 31 + seed * 17) % 7 - 3;
    if (ir::IsFloat(dtype)) {
      ir::WriteFloat(dtype, bytes.data(), i, static_cast<double>(value));
    } else {
      ir::WriteInt(dtype, bytes.data(), i, value);
    }
  }
  return bytes;
}

double NumberAt(DType dtype, const std::string& bytes, int64_t i) {
  return ir::IsFloat(dtype) ? ir::ReadFloat(dtype, bytes.data(), i)
                            : static_cast<double>(ir::ReadInt(dtype, bytes.data(), i));
}

// The sum at one output element, as ConvolutionShape defines it.
double SumAt(const ConvolutionShape& shape, DType dtype, const std::string& lhs,
             const std::string& rhs, int64_t group, const int64_t* position, int64_t output) {
  double sum = 0;
  const int64_t cells = shape.num_window_elements();
  for (int64_t cell = 0; cell < cells; ++cell) {
    int64_t from = group * shape.lhs_group_stride;
    bool inside = true;
    for (int64_t d = kNumDims, rest = cell; d-- > 0;) {
      const auto& dim = shape.dims[d];
      const int64_t at = position[d] * dim.stride + rest % dim.window * dim.step + dim.offset;
      rest /= dim.window;
      inside &= at >= 0 && at % dim.dilation == 0 && at / dim.dilation < dim.size;
      from += at / dim.dilation * dim.lhs_stride;
    }
    for (int64_t f = 0; f < shape.features && inside; ++f) {
      const int64_t row =
          shape.features_outermost != 0 ? f * cells + cell : cell * shape.features + f;
      sum += NumberAt(dtype, lhs, from + f * shape.lhs_feature_stride) *
             NumberAt(dtype, rhs,
                      group * shape.rhs_group_stride + row * shape.rhs_row_stride +
                          output * shape.rhs_output_stride);
    }
  }
  return sum;
}

absl::StatusOr<std::string> Convolve(const ConvolutionShape& shape, DType in, DType out,
                                     const std::string& lhs, const std::string& rhs,
                                     int num_threads) {
  const Tensors count = CountElements(shape);
  Plan plan;
  const ir::TensorType types[] = {{in, {count.lhs}}, {in, {count.rhs}}, {out, {count.out}}};
  PlanFunction main{"main", {types[0], types[1]}, {types[2]}, 0, {}};
  ConvolutionStep step{in, out, shape, {}, {}, {}};
  step.lhs = {Slice::Space::kArgument, 0, 0, types[0].size_bytes()};
  step.rhs = {Slice::Space::kArgument, 1, 0, types[1].size_bytes()};
  step.out = {Slice::Space::kResult, 0, 0, types[2].size_bytes()};
  main.steps = {{step, "convolution"}};
  plan.functions.push_back(main);
  ACCELD_ASSIGN_OR_RETURN(const std::vector<std::string> results,
                          RunPlan(plan, {lhs, rhs}, num_threads));
  return results[0];
}

void Check(const ConvolutionShape& shape, DType in, DType out, const std::string& lhs,
           const std::string& rhs) {
  ASSERT_TRUE(CanConvolve({in, out, shape, {}, {}, {}}));
  const Tensors count = CountElements(shape);
  const auto result = Convolve(shape, in, out, lhs, rhs, 2);
  ASSERT_TRUE(result.ok()) << result.status();
  for (int64_t i = 0; i < count.out; ++i) {
    const int64_t output = i % shape.outputs;
    const int64_t group = i / shape.outputs / shape.num_output_positions();
    int64_t position[kNumDims];
    int64_t at = group * shape.out_group_stride + output * shape.out_feature_stride;
    for (int64_t d = kNumDims, rest = i / shape.outputs % shape.num_output_positions(); d-- > 0;) {
      position[d] = rest % shape.dims[d].extent;
      rest /= shape.dims[d].extent;
      at += position[d] * shape.dims[d].out_stride;
    }
    double expected = SumAt(shape, in, lhs, rhs, group, position, output);
    if (ir::IsFloat(out)) {
      std::string rounded(8, '\0');
      ir::WriteFloat(out, rounded.data(), 0, expected);
      expected = ir::ReadFloat(out, rounded.data(), 0);
    }
    ASSERT_EQ(NumberAt(out, *result, at), expected) << "group " << group << " output " << output;
  }
}

// Small integers, so that every order of summation gives the same floats.
void Check(const ConvolutionShape& shape, DType in = DType::kF32, DType out = DType::kF32) {
  const Tensors count = CountElements(shape);
  Check(shape, in, out, SmallIntegers(in, count.lhs, 1), SmallIntegers(in, count.rhs, 2));
}

TEST(CpuConvolutionTest, MatchesTheSumForAllWindowsAndLayouts) {
  for (const bool features_last : {true, false}) {
    for (const bool kernel_o_first : {true, false}) {
      const auto with = [&](Options options, const Sizes& sizes = {}) {
        options.features_last = features_last;
        options.kernel_o_first = kernel_o_first;
        SCOPED_TRACE(testing::Message() << features_last << kernel_o_first << " stride "
                                        << options.stride << " low " << options.low);
        Check(ShapeOf(sizes, options));
      };
      with({});
      with({.low = 1, .high = 1});
      with({.stride = 2, .low = 1});
      with({.stride = 3, .low = -2, .high = 5});
      with({.low = 8, .high = -6});
      with({.low = 2, .rhs_dilation = 2});
      with({.low = 1, .high = 2, .lhs_dilation = 2});
      with({.stride = 2,
            .low = 4,
            .high = 1,
            .lhs_dilation = 3,
            .rhs_dilation = 2,
            .reversed = true});
      with({.low = 1, .reversed = true});
      with({}, {.window = 1, .features = 40, .outputs = 24});
      with({.stride = 2}, {.window = 1});
      // Several blocks of rows, and several chunks of columns.
      with({.low = 1, .high = 1}, {.batch = 1, .size = 10, .features = 300});
      with({}, {.batch = 1, .size = 22, .window = 20, .features = 7});
    }
  }
}

TEST(CpuConvolutionTest, AnyNumberOfOutputsFillsVectors) {
  for (const int64_t outputs : {4, 7, 8, 11, 16, 19, 33, 64, 71, 97}) {
    SCOPED_TRACE(outputs);
    const Sizes sizes = {.outputs = outputs};
    Check(ShapeOf(sizes, {.low = 1, .high = 1}));
    Check(ShapeOf(sizes, {.stride = 2, .low = 1, .high = 2}));
    Check(KernelGradientOf(sizes, {.low = 1, .high = 1}));
  }
}

// The library adds two terms of bf16 at once, and an odd number of terms leaves one over.
TEST(CpuConvolutionTest, AnInfinityInAnOddNumberOfTermsIsTheSum) {
  const auto check = [](const ConvolutionShape& shape, DType out) {
    const Tensors count = CountElements(shape);
    std::string lhs = SmallIntegers(DType::kBF16, count.lhs, 1);
    std::string rhs(count.rhs * 2, '\0');
    for (int64_t i = 0; i < count.rhs; ++i) ir::WriteFloat(DType::kBF16, rhs.data(), i, 1);
    for (int64_t i = 0; i < count.lhs; i += 64) {
      ir::WriteFloat(DType::kBF16, lhs.data(), i, std::numeric_limits<double>::infinity());
    }
    Check(shape, DType::kBF16, out, lhs, rhs);
  };
  for (const DType out : {DType::kF32, DType::kBF16}) {
    if (!CanConvolve({DType::kBF16, out, ShapeOf({}, {}), {}, {}, {}})) {
      GTEST_SKIP() << "this processor has no convolutions of bf16";
    }
    for (int layout = 0; layout < 4; ++layout) {
      SCOPED_TRACE(testing::Message() << ir::DTypeName(out) << " layout " << layout);
      const Options options = {.features_last = layout % 2 != 0, .kernel_o_first = layout / 2 != 0};
      check(ShapeOf({.features = 3}, options), out);
      check(ShapeOf({.window = 1, .features = 3}, options), out);
    }
    check(InGroups({.features = 3}, {}), out);
    check(InGroups({.window = 1, .features = 3}, {}), out);
  }
}

TEST(CpuConvolutionTest, DilatedInputsAreReadByPhases) {
  const Sizes kSizes[] = {{}, {.outputs = 32}, {.window = 1, .features = 9}, {.window = 2}};
  for (const Sizes& sizes : kSizes) {
    for (const int64_t dilation : {2, 3, 9}) {
      SCOPED_TRACE(testing::Message() << sizes.window << " dilation " << dilation);
      Check(ShapeOf(sizes, {.lhs_dilation = dilation}));
      Check(ShapeOf(sizes, {.low = 2, .high = 3, .lhs_dilation = dilation}));
      Check(ShapeOf(sizes, {.low = 1, .lhs_dilation = dilation, .rhs_dilation = 2}));
      Check(ShapeOf(sizes, {.low = 1, .lhs_dilation = dilation, .rhs_dilation = 3}));
      Check(ShapeOf(sizes, {.low = 1, .lhs_dilation = dilation, .reversed = true}));
    }
  }
}

TEST(CpuConvolutionTest, GradientsOfTheKernelAreSumsInParts) {
  const Sizes kSizes[] = {{},
                          {.batch = 1, .size = 40, .features = 3, .outputs = 16},
                          {.batch = 9, .size = 16, .features = 4, .outputs = 20},
                          {.batch = 40, .size = 8, .window = 1, .features = 16, .outputs = 16}};
  for (const Sizes& sizes : kSizes) {
    SCOPED_TRACE(sizes.size);
    Check(KernelGradientOf(sizes, {}));
    Check(KernelGradientOf(sizes, {.low = 1, .high = 1}));
    Check(KernelGradientOf(sizes, {.stride = 2, .low = 1, .high = 1}));
    Check(KernelGradientOf(sizes, {.low = 2, .high = 1, .lhs_dilation = 2, .rhs_dilation = 2}));
  }
}

TEST(CpuConvolutionTest, MuchPaddingBetweenCellsTakesNoMemory) {
  for (const int64_t far : {int64_t{1'000}, int64_t{1'000'000}, int64_t{1} << 40}) {
    SCOPED_TRACE(far);
    const Sizes sizes = {.outputs = 32};
    Check(ShapeOf(sizes, {.low = far, .high = far, .rhs_dilation = far}));
    Check(KernelGradientOf(sizes, {.low = far, .high = far, .rhs_dilation = far}));
  }
}

TEST(CpuConvolutionTest, WindowsOfThreeDimensions) {
  ConvolutionShape shape = ShapeOf({.batch = 6, .outputs = 24}, {.low = 1, .high = 1});
  // Two of six images under each cell, one of them missing at the edge.
  shape.dims[1].window = 2;
  shape.dims[1].offset = -1;
  shape.dims[1].rhs_stride = shape.num_window_elements() / 2 * shape.features * shape.outputs;
  Check(shape);
  // Every second image: no two loops of the sum are one.
  shape.dims[1].step = 2;
  shape.dims[2].step = -2;
  shape.dims[2].offset = 3;
  shape.dims[3].step = 2;
  Check(shape);
}

TEST(CpuConvolutionTest, GroupsStandBesideEachOther) {
  Check(InGroups({.features = 4, .outputs = 5}, {.low = 1}));
}

TEST(CpuConvolutionTest, NarrowTypesAreRoundedOnce) {
  const ConvolutionShape one_chunk = ShapeOf({}, {.low = 1});
  const ConvolutionShape chunks = ShapeOf({.batch = 1, .size = 12, .features = 300}, {});
  const std::pair<DType, DType> kTypes[] = {
      {DType::kBF16, DType::kBF16}, {DType::kBF16, DType::kF32}, {DType::kI8, DType::kI32}};
  for (const auto& [in, out] : kTypes) {
    if (!CanConvolve({in, out, one_chunk, {}, {}, {}})) continue;
    SCOPED_TRACE(std::string(ir::DTypeName(in)));
    Check(one_chunk, in, out);
    Check(chunks, in, out);
  }
}

TEST(CpuConvolutionTest, RefusesTypesThatTheLibraryLacks) {
  const ConvolutionShape shape = ShapeOf({}, {});
  EXPECT_FALSE(CanConvolve({DType::kF64, DType::kF64, shape, {}, {}, {}}));
  EXPECT_FALSE(CanConvolve({DType::kI32, DType::kI32, shape, {}, {}, {}}));
}

TEST(CpuConvolutionTest, ResultsDoNotDependOnTheNumberOfThreads) {
  const Sizes sizes = {.batch = 3, .size = 20, .features = 64, .outputs = 48};
  const Options padded = {.low = 1, .high = 1};
  const auto random = [](int64_t n) {
    std::string bytes(n * 4, '\0');
    uint64_t state = 1;
    for (int64_t i = 0; i < n; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      ir::WriteFloat(DType::kF32, bytes.data(), i, static_cast<double>(state >> 40) / (1 << 24));
    }
    return bytes;
  };
  for (const ConvolutionShape& shape :
       {ShapeOf(sizes, padded), ShapeOf({.batch = 3, .size = 20, .features = 300}, padded),
        KernelGradientOf(sizes, padded)}) {
    const Tensors count = CountElements(shape);
    const std::string lhs = random(count.lhs), rhs = random(count.rhs);
    const auto one = Convolve(shape, DType::kF32, DType::kF32, lhs, rhs, 1);
    const auto four = Convolve(shape, DType::kF32, DType::kF32, lhs, rhs, 4);
    ASSERT_TRUE(one.ok() && four.ok());
    EXPECT_EQ(*one, *four);
  }
}

}  // namespace
}  // namespace acceld::kernels::cpu
