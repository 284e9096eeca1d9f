#include "kernels/cuda/emit/convolution.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/emit/analysis/cancellation_polls.h"
#include "kernels/cuda/emit/convolution_tiling.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {
namespace {

using ir::DType;

constexpr int64_t kMaxGridBlocks = (int64_t{1} << 31) - 1;
constexpr double kMaxIndex = static_cast<double>(int64_t{1} << 60);
// Added to the rows of tiles in shared memory, so that rows begin in different banks, at multiples
// of the size of vectors.
constexpr int64_t kPadding = 4;

bool IsInput(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kBF16 || dtype == DType::kF32 ||
         dtype == DType::kF64;
}

// Whether the kernel must poll for cancellation. Inputs may be mostly padding and dilation, so even
// small tensors can need very much work.
bool IsLong(const ConvolutionShape& shape) {
  return shape.num_multiplications() >= kMinPolledIterations;
}

// Prints the struct that is the template parameter C in device/convolution.cuh.
class StructPrinter {
 public:
  StructPrinter(const ConvolutionStep& step, const ConvolutionTiling& tiling)
      : step_(step), tiling_(tiling) {}

  std::string Print(const std::string& name) && {
    const ConvolutionShape& shape = step_.shape;
    absl::StrAppend(&out_, "struct ", name, " {\n");
    Alias("Index", tiling_.is_wide ? "i64" : "i32");
    Alias("In", RegisterType(step_.input_dtype));
    Alias("Out", RegisterType(step_.output_dtype));
    const DType sum = ConvolutionSumType(step_.input_dtype);
    Alias("Sum", RegisterType(sum));
    Conversion("Sum Decoded(In x)", step_.input_dtype, sum);
    Conversion("Out Encoded(Sum x)", sum, step_.output_dtype);
    Number("int", "kThreads", ConvolutionTiling::kThreads);
    Number("int", "kTileM", tiling_.tile_m);
    Number("int", "kTileN", tiling_.tile_n);
    Number("int", "kTileK", tiling_.tile_k);
    Number("int", "kThreadM", tiling_.thread_m);
    Number("int", "kThreadN", tiling_.thread_n);
    Number("int", "kPitchM", tiling_.tile_m + kPadding);
    Number("int", "kPitchN", tiling_.tile_n + kPadding);
    Number("int", "kTileElements",
           tiling_.tile_k * (tiling_.tile_m + tiling_.tile_n + 2 * kPadding));
    Number("int", "kLhsLanes", tiling_.lhs_lanes);
    Number("int", "kRhsLanes", tiling_.rhs_lanes);
    Number("bool", "kLhsAlongProducts", tiling_.lhs_along_products);
    Number("bool", "kRhsAlongProducts", tiling_.rhs_along_products);
    Number("bool", "kFeaturesOutermost", tiling_.features_outermost);
    Number("bool", "kOutputPositionsInnermost", tiling_.output_positions_innermost);
    Number("bool", "kPolls", IsLong(shape));
    Number("Index", "kTilesM", tiling_.tiles_m);
    Number("Index", "kTilesN", tiling_.tiles_n);
    Number("Index", "kParts", tiling_.parts);
    Number("Index", "kPartProducts", tiling_.part_products);
    Number("Index", "kGroups", shape.groups);
    Number("Index", "kOutputPositions", shape.num_output_positions());
    Number("Index", "kOutputs", shape.outputs);
    Number("Index", "kFeatures", shape.features);
    Number("Index", "kProducts", shape.num_window_elements() * shape.features);
    Number("Index", "kLhsGroupStride", shape.lhs_group_stride);
    Number("Index", "kRhsGroupStride", shape.rhs_group_stride);
    Number("Index", "kOutGroupStride", shape.out_group_stride);
    Number("Index", "kLhsFeatureStride", shape.lhs_feature_stride);
    Number("Index", "kRhsFeatureStride", shape.rhs_feature_stride);
    Number("Index", "kRhsOutputStride", shape.rhs_output_stride);
    Number("Index", "kOutFeatureStride", shape.out_feature_stride);
    PrintDims();
    absl::StrAppend(&out_, "};\n");
    return std::move(out_);
  }

 private:
  void Alias(absl::string_view name, absl::string_view type) {
    absl::StrAppend(&out_, "  using ", name, " = ", type, ";\n");
  }
  void Number(absl::string_view type, absl::string_view name, int64_t value) {
    absl::StrAppend(&out_, "  static constexpr ", type, " ", name, " = ", Literal(value), ";\n");
  }
  static std::string Literal(int64_t value) { return absl::StrCat(value, "ll"); }
  void Conversion(absl::string_view head, DType from, DType to) {
    absl::StrAppend(&out_, "  __device__ static ", head, " { return ",
                    ScalarText(ScalarOp::kConvert, from, to, {"x"}), "; }\n");
  }

  void PrintDims() {
    absl::StrAppend(&out_,
                    "  // extent, window, stride, step, offset, dilation, size, lhs, rhs, out\n",
                    "  __device__ static constexpr ConvolutionDim<Index> Dim(int d) {\n");
    std::string plain;
    for (int d = 0; d < ConvolutionShape::kNumDims; ++d) {
      const ConvolutionShape::Dim& dim = step_.shape.dims[d];
      std::string numbers;
      for (const int64_t number :
           {dim.extent, dim.window, dim.stride, dim.step, dim.offset, dim.dilation, dim.size,
            dim.lhs_stride, dim.rhs_stride, dim.out_stride}) {
        absl::StrAppend(&numbers, numbers.empty() ? "" : ", ", Literal(number));
      }
      const bool is_last = d == ConvolutionShape::kNumDims - 1;
      absl::StrAppend(&out_, "    ", is_last ? "" : absl::StrCat("if (d == ", d, ") "), "return {",
                      numbers, "};\n");
      absl::StrAppend(&plain, d == 0 ? "" : " : ", is_last ? "" : absl::StrCat("d == ", d, " ? "),
                      IsPlainDim(dim) ? "true" : "false");
    }
    absl::StrAppend(&out_, "  }\n  __device__ static constexpr bool IsPlain(int d) { return ",
                    plain, "; }\n");
  }

  const ConvolutionStep& step_;
  const ConvolutionTiling& tiling_;
  std::string out_;
};

std::string Head(const std::string& name, const std::string& parameters) {
  return absl::StrCat("extern \"C\" __global__ void __launch_bounds__(",
                      ConvolutionTiling::kThreads, ")\n", name, "(", parameters, ") {\n");
}

}  // namespace

bool CanPrintConvolution(const ConvolutionStep& convolution) {
  if (!IsInput(convolution.input_dtype) || !IsInput(convolution.output_dtype)) return false;
  const ConvolutionShape& shape = convolution.shape;
  return LargestIndexOf(shape) < kMaxIndex &&
         ConvolutionTiling::Of(convolution).blocks(shape) <= kMaxGridBlocks;
}

int64_t PartialSumBytesOf(const ConvolutionStep& convolution) {
  const ConvolutionTiling tiling = ConvolutionTiling::Of(convolution);
  const ConvolutionShape& shape = convolution.shape;
  if (tiling.parts == 1) return 0;
  return tiling.parts * shape.groups * shape.num_output_positions() * shape.outputs *
         ir::StorageBytesOf(ConvolutionSumType(convolution.input_dtype));
}

std::vector<CudaKernel> PrintConvolution(const ConvolutionStep& convolution,
                                         const std::string& name) {
  const ConvolutionShape& shape = convolution.shape;
  const ConvolutionTiling tiling = ConvolutionTiling::Of(convolution);
  const std::string type = absl::StrCat("Shape_", name);
  const absl::string_view in = RegisterType(convolution.input_dtype);
  const absl::string_view out = RegisterType(convolution.output_dtype);
  const absl::string_view sum = RegisterType(ConvolutionSumType(convolution.input_dtype));
  const bool has_parts = tiling.parts > 1, polls = IsLong(shape);
  std::vector<CudaKernel> kernels;
  kernels.push_back(
      {.source = absl::StrCat(
           StructPrinter(convolution, tiling).Print(type),
           Head(name,
                absl::StrCat("const ", in, "* lhs, const ", in, "* rhs, ",
                             has_parts ? absl::StrCat(sum, "* parts") : absl::StrCat(out, "* out"),
                             polls ? ", const volatile int* cancelled" : "")),
           "  alignas(32) __shared__ ", sum, " tiles[2][", type, "::kTileElements];\n  Convolve<",
           type, ">(ResolvePointer(lhs), ResolvePointer(rhs), ",
           has_parts ? "nullptr, ResolvePointer(parts)" : "ResolvePointer(out), nullptr",
           ", tiles, ", polls ? "ResolvePointer(cancelled)" : "nullptr", ");\n}\n"),
       .blocks = tiling.blocks(shape),
       .threads = ConvolutionTiling::kThreads,
       .polls = polls,
       .has_barriers = true});
  if (has_parts) {
    const int64_t elements = shape.groups * shape.num_output_positions() * shape.outputs;
    kernels.push_back(
        {.source = absl::StrCat(Head(absl::StrCat(name, "_sum"),
                                     absl::StrCat("const ", sum, "* parts, ", out, "* out")),
                                "  AddParts<", type,
                                ">(ResolvePointer(parts), ResolvePointer(out));\n}\n"),
         .blocks = (elements + ConvolutionTiling::kThreads - 1) / ConvolutionTiling::kThreads,
         .threads = ConvolutionTiling::kThreads});
  }
  return kernels;
}

}  // namespace acceld::kernels::cuda
