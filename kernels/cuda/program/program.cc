#include "kernels/cuda/program/program.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "kernels/cuda/collectives/collective_kernels.h"
#include "kernels/cuda/cublas/matmul.h"
#include "kernels/cuda/cudnn/convolution.h"
#include "kernels/cuda/cudnn/convolution_form.h"
#include "kernels/cuda/emit/convolution_tiling.h"
#include "kernels/cuda/program/segments.h"

namespace acceld::kernels::cuda {
namespace {

class Checker {
 public:
  Checker(const CudaProgram& program, const SpaceSizes& sizes) : program_(program), sizes_(sizes) {}

  absl::Status Check(const Steps& steps) const {
    for (const Step& step : steps) {
      const absl::Status status =
          std::visit([this](const auto& value) { return Check(value); }, step.value);
      if (!status.ok()) return Annotate(status, step.comment);
    }
    return absl::OkStatus();
  }

 private:
  static absl::Status Bad(absl::string_view what) {
    return absl::InternalError(absl::StrCat("cuda program: ", what));
  }

  absl::Status CheckSlice(const Slice& slice, bool is_written) const {
    int64_t size = -1;
    switch (slice.space) {
      case Slice::Space::kArgument:
        if (slice.index < sizes_.arguments.size()) size = sizes_.arguments[slice.index];
        break;
      case Slice::Space::kResult:
        if (slice.index < sizes_.results.size()) size = sizes_.results[slice.index];
        break;
      case Slice::Space::kArena:
        if (slice.index == 0) size = sizes_.arena;
        break;
      case Slice::Space::kConstant:
        if (slice.index == 0) size = sizes_.constants;
        break;
    }
    if (slice.offset_bytes < 0 || slice.offset_bytes % kBufferAlignment != 0 ||
        slice.size_bytes < 0 || slice.offset_bytes > size - slice.size_bytes) {
      return Bad(absl::StrCat("no such slice: ", kernels::ToString(slice), " of ", size, " bytes"));
    }
    if (is_written &&
        (slice.space == Slice::Space::kArgument || slice.space == Slice::Space::kConstant)) {
      return Bad(absl::StrCat("a read-only slice is written: ", kernels::ToString(slice)));
    }
    return absl::OkStatus();
  }

  absl::Status Check(const LaunchStep& launch) const {
    if (launch.kernel >= program_.kernels.size()) return Bad("no such kernel");
    const CudaEntry& kernel = program_.kernels[launch.kernel];
    if (launch.buffers.size() != static_cast<size_t>(kernel.buffers)) {
      return Bad(absl::StrCat(kernel.name, " takes ", kernel.buffers, " buffers, not ",
                              launch.buffers.size()));
    }
    for (uint32_t i = 0; i < launch.buffers.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(
          CheckSlice(launch.buffers[i], absl::c_binary_search(kernel.written, i)));
    }
    return absl::OkStatus();
  }

  absl::Status Check(const CopyStep& copy) const {
    ACCELD_RETURN_IF_ERROR(CheckSlice(copy.from, /*is_written=*/false));
    ACCELD_RETURN_IF_ERROR(CheckSlice(copy.to, /*is_written=*/true));
    if (copy.from.size_bytes != copy.to.size_bytes) return Bad("a copy between unequal sizes");
    return absl::OkStatus();
  }

  absl::Status Check(const WhileStep& loop) const {
    ACCELD_RETURN_IF_ERROR(CheckSlice(loop.predicate, /*is_written=*/false));
    if (loop.predicate.size_bytes != 1) return Bad("a predicate is not one byte");
    ACCELD_RETURN_IF_ERROR(Check(loop.condition));
    return Check(loop.body);
  }

  absl::Status Check(const SwitchStep& step) const {
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.index, /*is_written=*/false));
    if (step.index.size_bytes != (step.index_is_predicate ? 1 : 4)) {
      return Bad("an index is not one number");
    }
    if (step.branches.empty()) return Bad("a switch has no branches");
    if (step.index_is_predicate && step.branches.size() != 2) {
      return Bad("an if has not two branches");
    }
    for (const Steps& branch : step.branches) ACCELD_RETURN_IF_ERROR(Check(branch));
    return absl::OkStatus();
  }

  absl::Status Check(const MatmulStep& step) const {
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.lhs, /*is_written=*/false));
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.rhs, /*is_written=*/false));
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.out, /*is_written=*/true));
    if (!CanMatmul(step)) return Bad("a product of a wrong shape");
    const int64_t lhs_sizes[] = {step.batch, step.m, step.k};
    const int64_t rhs_sizes[] = {step.batch, step.k, step.n};
    const int64_t out_strides[] = {step.m * step.n, step.n, 1};
    const int64_t out_sizes[] = {step.batch, step.m, step.n};
    if (!Holds(step.lhs, lhs_sizes, step.lhs_strides, step.input_dtype) ||
        !Holds(step.rhs, rhs_sizes, step.rhs_strides, step.input_dtype) ||
        !Holds(step.out, out_sizes, out_strides, step.output_dtype)) {
      return Bad("a product of a wrong shape");
    }
    if (!step.algorithm.empty() && step.algorithm.size() != Matmul::kAlgorithmBytes) {
      return Bad("an algorithm of a wrong size");
    }
    return CheckEpilogue(step);
  }

  // Checks the epilogue of a product whose other fields are valid.
  absl::Status CheckEpilogue(const MatmulStep& step) const {
    const MatmulEpilogue& epilogue = step.epilogue;
    const int64_t element_bytes = ir::StorageBytesOf(step.output_dtype);
    if (epilogue.has_bias) {
      ACCELD_RETURN_IF_ERROR(CheckSlice(epilogue.bias, /*is_written=*/false));
      if (epilogue.bias.size_bytes != step.n * element_bytes) return Bad("a bias of a wrong size");
    }
    if (epilogue.has_addend()) {
      const Slice& addend = epilogue.addend;
      ACCELD_RETURN_IF_ERROR(CheckSlice(addend, /*is_written=*/false));
      if (addend.size_bytes != step.out.size_bytes) return Bad("an addend of a wrong size");
      const bool is_disjoint = addend.space != step.out.space || addend.index != step.out.index ||
                               addend.offset_bytes >= step.out.offset_bytes + step.out.size_bytes ||
                               step.out.offset_bytes >= addend.offset_bytes + addend.size_bytes;
      if (!is_disjoint && !(addend == step.out)) return Bad("an addend that the product runs into");
    }
    return absl::OkStatus();
  }

  // Whether the slice contains all elements. Sizes must be at least 1, and strides not negative.
  static bool Holds(const Slice& slice, const int64_t (&sizes)[3], const int64_t (&strides)[3],
                    ir::DType dtype) {
    int64_t elements = slice.size_bytes / ir::StorageBytesOf(dtype) - 1;
    for (int i = 0; i < 3; ++i) {
      if (strides[i] > 0 && sizes[i] - 1 > elements / strides[i]) return false;
      elements -= (sizes[i] - 1) * strides[i];
    }
    return elements >= 0;
  }

  absl::Status Check(const ConvolutionStep& step) const {
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.lhs, /*is_written=*/false));
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.rhs, /*is_written=*/false));
    ACCELD_RETURN_IF_ERROR(CheckSlice(step.out, /*is_written=*/true));
    const ConvolutionShape& shape = step.shape;
    if (!IsSane(shape)) return Bad("a convolution of a wrong shape");
    const absl::optional<CudnnForm> form = CudnnFormOf(step);
    if (!form.has_value() || !form->HasPackedFilter()) {
      return Bad("a convolution that is not cuDNN's");
    }
    int64_t lhs = 1 + (shape.groups - 1) * shape.lhs_group_stride +
                  (shape.features - 1) * shape.lhs_feature_stride;
    int64_t rhs = 1 + (shape.groups - 1) * shape.rhs_group_stride +
                  (shape.features - 1) * shape.rhs_feature_stride +
                  (shape.outputs - 1) * shape.rhs_output_stride;
    int64_t out = 1 + (shape.groups - 1) * shape.out_group_stride +
                  (shape.outputs - 1) * shape.out_feature_stride;
    for (const ConvolutionShape::Dim& dim : shape.dims) {
      lhs += (dim.size - 1) * dim.lhs_stride;
      rhs += (dim.window - 1) * dim.rhs_stride;
      out += (dim.extent - 1) * dim.out_stride;
    }
    const int64_t bytes = ir::StorageBytesOf(step.input_dtype);
    if (lhs * bytes > step.lhs.size_bytes || rhs * bytes > step.rhs.size_bytes ||
        out * bytes > step.out.size_bytes) {
      return Bad("a convolution of a wrong shape");
    }
    if (step.algorithm.size() > CudnnConvolution::kMaxAlgorithmBytes) {
      return Bad("an algorithm of a wrong size");
    }
    return absl::OkStatus();
  }

  // Whether all sizes and strides are valid, and small enough that index arithmetic cannot
  // overflow.
  static bool IsSane(const ConvolutionShape& shape) {
    constexpr double kMaxIndex = static_cast<double>(int64_t{1} << 48);
    bool sane = shape.groups >= 1 && shape.features >= 1 && shape.outputs >= 1 &&
                std::min({shape.lhs_group_stride, shape.rhs_group_stride, shape.out_group_stride,
                          shape.lhs_feature_stride, shape.rhs_feature_stride,
                          shape.rhs_output_stride, shape.out_feature_stride}) >= 0;
    for (const ConvolutionShape::Dim& dim : shape.dims) {
      sane &= std::min({dim.extent, dim.window, dim.dilation, dim.size}) >= 1 &&
              std::min({dim.stride, dim.lhs_stride, dim.rhs_stride, dim.out_stride}) >= 0;
    }
    return sane && LargestIndexOf(shape) < kMaxIndex;
  }

  absl::Status Check(const RoutineStep& step) const {
    const RoutineCall& call = step.call;
    ACCELD_RETURN_IF_ERROR(CheckRoutine(call));
    if (call.operands.size() != step.operands.size() ||
        call.results.size() != step.results.size()) {
      return Bad(absl::StrCat(kernels::ToString(call), " has other slices"));
    }
    for (size_t i = 0; i < step.operands.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(CheckSlice(step.operands[i], /*is_written=*/false));
      if (step.operands[i].size_bytes != call.operands[i].size_bytes()) return Bad("a wrong size");
    }
    for (size_t i = 0; i < step.results.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(CheckSlice(step.results[i], /*is_written=*/true));
      if (step.results[i].size_bytes != call.results[i].size_bytes()) return Bad("a wrong size");
    }
    return absl::OkStatus();
  }

  absl::Status Check(const HostCallStep& step) const {
    if (step.call.callback < 0) return Bad("a callback of a negative number");
    ACCELD_RETURN_IF_ERROR(CheckSlices(step.call.operands, step.operands, /*is_written=*/false));
    return CheckSlices(step.call.results, step.results, /*is_written=*/true);
  }

  absl::Status Check(const CollectiveStep& step) const {
    const Collective& collective = step.collective;
    ACCELD_RETURN_IF_ERROR(CheckCollective(collective));
    if (collective.factor.has_value()) return Bad("a collective with a factor");
    ACCELD_RETURN_IF_ERROR(CheckSlices(collective.operands, step.operands, /*is_written=*/false));
    ACCELD_RETURN_IF_ERROR(CheckSlices(collective.results, step.results, /*is_written=*/true));
    for (const std::string& name : CollectiveKernelsOf(collective)) {
      if (absl::c_none_of(program_.kernels,
                          [&](const CudaEntry& kernel) { return kernel.name == name; })) {
        return Bad(absl::StrCat("a collective without its kernel ", name));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckSlices(const std::vector<ir::TensorType>& types,
                           const std::vector<Slice>& slices, bool is_written) const {
    if (types.size() != slices.size()) return Bad("a step has other slices than types");
    for (size_t i = 0; i < slices.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(CheckSlice(slices[i], is_written));
      if (!types[i].IsStatic() || !ir::ValidateType(types[i]).ok() ||
          slices[i].size_bytes != types[i].size_bytes()) {
        return Bad("a wrong size");
      }
    }
    return absl::OkStatus();
  }

  template <typename Other>
  absl::Status Check(const Other&) const {
    return Bad("a step of an unknown kind");
  }

  const CudaProgram& program_;
  const SpaceSizes& sizes_;
};

class Printer {
 public:
  explicit Printer(const CudaProgram& program) : program_(program) {}

  std::string Print() && {
    PrintSteps(program_.steps);
    return std::move(out_);
  }

 private:
  void Line(absl::string_view text) {
    absl::StrAppend(&out_, std::string(static_cast<size_t>(2 * depth_), ' '), text, "\n");
  }

  void PrintSteps(const Steps& steps) {
    ++depth_;
    const bool is_in_graph = is_in_graph_;
    for (const Segment& segment : SegmentsOf(steps, /*graphs=*/!is_in_graph)) {
      if (segment.is_graph) {
        Line(segment.pieces.empty()
                 ? "as a graph, if the driver can:"
                 : "as a graph, if the driver can, when buffers are where they were in the last "
                   "run:");
        is_in_graph_ = true;
        ++depth_;
      }
      for (size_t i = segment.begin; i < segment.end; ++i) {
        std::visit([&](const auto& value) { Print(value, steps[i].comment); }, steps[i].value);
      }
      if (segment.is_graph) --depth_;
      is_in_graph_ = is_in_graph;
    }
    --depth_;
  }

  void Print(const LaunchStep& launch, const std::string& comment) {
    const CudaEntry& kernel = program_.kernels[launch.kernel];
    std::string buffers;
    for (const Slice& slice : launch.buffers) {
      absl::StrAppend(&buffers, buffers.empty() ? "" : ", ", kernels::ToString(slice));
    }
    Line(absl::StrCat(kernel.name, "<<<", kernel.blocks, ", ", kernel.threads, ">>>(", buffers,
                      ")  // ", comment));
  }

  void Print(const CopyStep& copy, const std::string& comment) {
    Line(absl::StrCat("copy ", kernels::ToString(copy.from), " -> ", kernels::ToString(copy.to),
                      "  // ", comment));
  }

  void Print(const WhileStep& loop, const std::string& comment) {
    Line(absl::StrCat("while  // ", comment));
    PrintSteps(loop.condition);
    Line(absl::StrCat("do if ", kernels::ToString(loop.predicate)));
    PrintSteps(loop.body);
  }

  void Print(const SwitchStep& step, const std::string& comment) {
    Line(absl::StrCat("switch ", kernels::ToString(step.index), "  // ", comment));
    for (size_t i = 0; i < step.branches.size(); ++i) {
      Line(absl::StrCat("branch ", i));
      PrintSteps(step.branches[i]);
    }
  }

  void Print(const MatmulStep& step, const std::string& comment) {
    Line(absl::StrCat("matmul ", ir::DTypeName(step.input_dtype), " ", step.batch, " x [", step.m,
                      ", ", step.k, "] [", step.k, ", ", step.n, "] ", kernels::ToString(step.lhs),
                      " ", kernels::ToString(step.rhs), " -> ", kernels::ToString(step.out),
                      step.allow_tf32 ? " tf32" : "", kernels::ToString(step.epilogue),
                      step.algorithm.empty() ? "" : " measured", "  // ", comment));
  }

  void Print(const ConvolutionStep& step, const std::string& comment) {
    Line(
        absl::StrCat("convolution ", ir::DTypeName(step.input_dtype), " groups=", step.shape.groups,
                     " positions=", step.shape.num_output_positions(),
                     " cells=", step.shape.num_window_elements(), " features=", step.shape.features,
                     " outputs=", step.shape.outputs, " ", kernels::ToString(step.lhs), " ",
                     kernels::ToString(step.rhs), " -> ", kernels::ToString(step.out),
                     step.algorithm.empty() ? "" : " measured", "  // ", comment));
  }

  void Print(const RoutineStep& step, const std::string& comment) {
    std::string text;
    for (const auto* slices : {&step.operands, &step.results}) {
      for (const Slice& slice : *slices) absl::StrAppend(&text, " ", kernels::ToString(slice));
    }
    Line(absl::StrCat(kernels::ToString(step.call), " on", text, "  // ", comment));
  }

  void Print(const HostCallStep& step, const std::string& comment) {
    std::string text;
    for (const auto* slices : {&step.operands, &step.results}) {
      for (const Slice& slice : *slices) absl::StrAppend(&text, " ", kernels::ToString(slice));
    }
    Line(absl::StrCat(kernels::ToString(step.call), " on", text, "  // ", comment));
  }

  void Print(const CollectiveStep& step, const std::string& comment) {
    std::string text;
    for (const auto* slices : {&step.operands, &step.results}) {
      for (const Slice& slice : *slices) absl::StrAppend(&text, " ", kernels::ToString(slice));
    }
    Line(absl::StrCat(kernels::ToString(step.collective), " on", text, "  // ", comment));
  }

  template <typename Other>
  void Print(const Other&, const std::string& comment) {
    Line(absl::StrCat("?  // ", comment));
  }

  const CudaProgram& program_;
  std::string out_;
  int depth_ = -1;
  bool is_in_graph_ = false;
};

}  // namespace

absl::Status CheckProgram(const CudaProgram& program, const SpaceSizes& sizes) {
  for (const CudaEntry& kernel : program.kernels) {
    if (kernel.blocks < 1 || kernel.threads < 1 || kernel.blocks > INT32_MAX ||
        kernel.threads > 1024) {
      return absl::InternalError(absl::StrCat("cuda program: ", kernel.name, " of ", kernel.blocks,
                                              " blocks of ", kernel.threads, " threads"));
    }
    if (!absl::c_is_sorted(kernel.written) ||
        (!kernel.written.empty() &&
         kernel.written.back() >= static_cast<uint32_t>(kernel.buffers))) {
      return absl::InternalError(absl::StrCat("cuda program: ", kernel.name, " writes no buffers"));
    }
  }
  for (const InputOutputAlias& alias : program.may_share) {
    if (alias.argument >= sizes.arguments.size() || alias.result >= sizes.results.size() ||
        sizes.arguments[alias.argument] != sizes.results[alias.result]) {
      return absl::InternalError(
          "cuda program: an argument and a result of two sizes share memory");
    }
  }
  return Checker(program, sizes).Check(program.steps);
}

void ClearAlgorithms(Steps& steps) {
  for (Step& step : steps) {
    if (auto* const matmul = std::get_if<MatmulStep>(&step.value)) {
      matmul->algorithm.clear();
    } else if (auto* const convolution = std::get_if<ConvolutionStep>(&step.value)) {
      convolution->algorithm.clear();
    } else if (auto* const loop = std::get_if<WhileStep>(&step.value)) {
      ClearAlgorithms(loop->condition);
      ClearAlgorithms(loop->body);
    } else if (auto* const choice = std::get_if<SwitchStep>(&step.value)) {
      for (Steps& branch : choice->branches) ClearAlgorithms(branch);
    }
  }
}

std::string ToString(const CudaProgram& program) { return Printer(program).Print(); }

}  // namespace acceld::kernels::cuda
