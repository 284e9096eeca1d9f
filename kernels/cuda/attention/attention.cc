#include "kernels/cuda/attention/attention.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ceil_divide.h"
#include "kernels/cuda/emit/analysis/cancellation_polls.h"
#include "kernels/cuda/emit/scalar_text.h"

namespace acceld::kernels::cuda {
namespace {

using ir::DType;

constexpr int64_t kMaxWidth = 256;
constexpr int64_t kMaxStep = int64_t{1} << 40;  // of strides, offsets and sizes: sums must fit i64
constexpr size_t kMaxBatchDims = 8;
constexpr size_t kMaxMasks = 2;
constexpr int64_t kChunkBytes = 16;

bool IsNarrow(DType dtype) { return dtype == DType::kF16 || dtype == DType::kBF16; }
bool IsScore(DType dtype) { return dtype == DType::kF32 || IsNarrow(dtype); }

bool Fits(const AttentionOperand& operand) {
  const auto fits = [](int64_t value) { return value >= 0 && value <= kMaxStep; };
  return fits(operand.offset) && fits(operand.row_stride) && fits(operand.column_stride) &&
         std::all_of(operand.batch_strides.begin(), operand.batch_strides.end(), fits);
}

// How the work of an attention kernel is divided among thread blocks, warps and threads.
struct Tiling {
  int rows, threads;                 // queries and threads of a thread block
  int block_keys;                    // keys that a thread block processes in one step
  int row_warps = 1, key_warps = 1;  // for narrow floats
  int rows_of_thread = 1;            // for f32
};

Tiling TilingOf(const AttentionShape& shape) {
  const int64_t width = std::max(shape.depth, shape.features);
  if (!IsNarrow(shape.dtype)) {
    // As many rows as fit 48 KiB of shared memory.
    int rows = width <= 64 ? 8 : width <= 128 ? 4 : 2;
    while (rows > 1 && 4 * rows >= shape.queries) rows /= 2;
    return {.rows = 8 * rows,
            .threads = 128,
            .block_keys = width <= 128 ? 32 : 16,
            .rows_of_thread = rows};
  }
  Tiling tiling{};
  // With few queries, several warps share the queries and divide the keys. With very many, a block
  // has more queries, so that keys and values are read less often.
  constexpr int64_t kManyBlocks = 512;
  if (width > 128) {
    tiling = shape.queries <= 16   ? Tiling{.block_keys = 32, .row_warps = 1, .key_warps = 2}
             : shape.queries <= 32 ? Tiling{.block_keys = 32, .row_warps = 2}
                                   : Tiling{.block_keys = 16, .row_warps = 4};
  } else if (shape.queries <= 16) {
    tiling = {.block_keys = 64, .row_warps = 1, .key_warps = 4};
  } else if (shape.queries <= 32) {
    tiling = {.block_keys = 64, .row_warps = 2, .key_warps = 2};
  } else {
    const bool is_large = shape.queries / 128 * shape.batches() >= kManyBlocks;
    tiling = {.block_keys = 64, .row_warps = is_large ? 8 : 4};
  }
  tiling.rows = 16 * tiling.row_warps;
  tiling.threads = 32 * tiling.row_warps * tiling.key_warps;
  return tiling;
}

// Whether the kernel must poll for cancellation. Scores are not stored, so even small tensors can
// need very much work.
bool IsLong(const AttentionShape& shape) {
  return static_cast<double>(shape.batches()) * static_cast<double>(shape.queries) *
             static_cast<double>(shape.keys) * static_cast<double>(shape.depth + shape.features) >=
         kMinPolledIterations;
}

class Printer {
 public:
  Printer(const AttentionShape& shape, absl::string_view name)
      : shape_(shape), name_(name), tiling_(TilingOf(shape)) {}

  AttentionKernel Print() {
    const std::string description = absl::StrCat(name_, "_shape");
    Line(absl::StrCat("struct ", description, " {"));
    PrintSizes();
    PrintOperand("Query", shape_.query, shape_.dtype);
    PrintOperand("Key", shape_.key, shape_.dtype);
    PrintOperand("Value", shape_.value, shape_.dtype);
    PrintOperand("Output", shape_.output, shape_.output_dtype);
    PrintOperand("Bias", shape_.bias ? shape_.bias->at : AttentionOperand(),
                 shape_.bias ? shape_.bias->dtype : DType::kF32);
    for (size_t i = 0; i < kMaxMasks; ++i) {
      const AttentionShape::Mask mask =
          i < shape_.masks.size() ? shape_.masks[i] : AttentionShape::Mask();
      PrintOperand(absl::StrCat("Mask", i), mask.at, DType::kI1,
                   absl::StrCat(" static constexpr bool kKeepsWhen = ", mask.keeps_when, ";"));
    }
    PrintConversions();
    Line("};");
    PrintKernel(description);
    return {.source = std::move(out_),
            .blocks = Blocks(),
            .threads = tiling_.threads,
            .polls = IsLong(shape_)};
  }

 private:
  void Line(absl::string_view text) { absl::StrAppend(&out_, text, "\n"); }

  int64_t RowBlocks() const { return CeilDivide(shape_.queries, tiling_.rows); }
  int64_t Blocks() const { return RowBlocks() * shape_.batches(); }

  // An expression for exactly this float.
  static std::string Float(double value) {
    return ConstantText(DType::kF32, std::bit_cast<uint32_t>(static_cast<float>(value)));
  }

  void PrintSizes() {
    const auto constant = [this](absl::string_view type, absl::string_view name, auto value) {
      Line(absl::StrCat("  static constexpr ", type, " ", name, " = ", value, ";"));
    };
    const auto bound = [&](absl::string_view name, const std::optional<AttentionBound>& value) {
      constant("bool", absl::StrCat("kHas", name), value.has_value());
      constant("i64", absl::StrCat("k", name), value.has_value() ? value->offset : 0);
      constant("i64", absl::StrCat("k", name, "Step"), value.has_value() ? value->row_step : 0);
    };
    constant("i64", "kQueries", shape_.queries);
    constant("i64", "kKeys", shape_.keys);
    constant("int", "kDepth", shape_.depth);
    constant("int", "kFeatures", shape_.features);
    constant("bool", "kIsBF16", shape_.dtype == DType::kBF16);
    constant("bool", "kPolls", IsLong(shape_));
    constant("bool", "kHasBias", shape_.bias.has_value());
    constant("int", "kMasks", shape_.masks.size());
    constant("bool", "kFillIsFinite", std::isfinite(shape_.fill));
    bound("FirstKey", shape_.first_key);
    bound("LastKey", shape_.last_key);
    constant("int", "kRowWarps", tiling_.row_warps);
    constant("int", "kKeyWarps", tiling_.key_warps);
    constant("int", "kRowsOfThread", tiling_.rows_of_thread);
    constant("int", "kBlockKeys", tiling_.block_keys);
    // Functions, because not every float can be written as a constant expression.
    Line(absl::StrCat("  static __device__ f32 Scale() { return ", Float(shape_.scale), "; }"));
    Line(absl::StrCat("  static __device__ f32 Fill() { return ", Float(shape_.fill), "; }"));
  }

  // Whether rows are contiguous and begin at multiples of the access size: chunks of kChunkBytes
  // for operands, pairs of elements for the output.
  static bool IsAligned(const AttentionOperand& operand, DType dtype, bool is_output) {
    const int64_t unit = is_output ? 2 : kChunkBytes / ir::StorageBytesOf(dtype);
    const auto fits = [unit](int64_t value) { return value % unit == 0; };
    return operand.column_stride == 1 && fits(operand.offset) && fits(operand.row_stride) &&
           std::all_of(operand.batch_strides.begin(), operand.batch_strides.end(), fits);
  }

  void PrintOperand(absl::string_view name, const AttentionOperand& operand, DType dtype,
                    absl::string_view more = "") {
    const bool is_output = name == "Output";
    Line(absl::StrCat("  struct ", name, " {"));
    Line(absl::StrCat("    using Type = ", RegisterType(dtype), ";"));
    Line(absl::StrCat("    static constexpr i64 kRow = ", operand.row_stride,
                      ", kColumn = ", operand.column_stride, ";"));
    Line(absl::StrCat("    static constexpr bool kAligned = ", IsAligned(operand, dtype, is_output),
                      ";", more));
    Line(absl::StrCat("    static __device__ i64 Offset(i64 batch) { return ", OffsetText(operand),
                      "; }"));
    Line("  };");
  }

  std::string OffsetText(const AttentionOperand& operand) const {
    std::vector<std::string> terms = {absl::StrCat(operand.offset)};
    int64_t inner = 1;
    for (size_t d = operand.batch_strides.size(); d-- > 0; inner *= shape_.batch[d]) {
      if (operand.batch_strides[d] == 0 || shape_.batch[d] == 1) continue;
      const std::string digit = absl::StrCat(inner == 1 ? "batch" : absl::StrCat("batch / ", inner),
                                             d == 0 ? "" : absl::StrCat(" % ", shape_.batch[d]));
      terms.push_back(absl::StrCat(digit, " * ", operand.batch_strides[d]));
    }
    return absl::StrJoin(terms, " + ");
  }

  static std::string FormatOf(DType dtype) { return dtype == DType::kBF16 ? "BF16" : "F16"; }

  void PrintConversions() {
    const DType bias = shape_.bias ? shape_.bias->dtype : DType::kF32;
    const DType score = shape_.bias ? shape_.bias->score_dtype : DType::kF32;
    Line(absl::StrCat("  static __device__ f32 BiasValue(Bias::Type x) { return ",
                      IsNarrow(bias) ? absl::StrCat("Decode<", FormatOf(bias), ">(x)") : "x",
                      "; }"));
    Line(absl::StrCat("  static __device__ f32 RoundScore(f32 x) { return ",
                      IsNarrow(score) ? absl::StrCat("Decode<", FormatOf(score), ">(Encode<",
                                                     FormatOf(score), ">(x))")
                                      : "x",
                      "; }"));
    const std::string element =
        IsNarrow(shape_.output_dtype)
            ? absl::StrCat("u16(Encode<", FormatOf(shape_.output_dtype), ">(")
            : "((";
    Line("  static __device__ Lanes<Output::Type, 2> OutputPair(f32 low, f32 high) {");
    Line(absl::StrCat("    return {{", element, "low)), ", element, "high))}};"));
    Line("  }");
  }

  void PrintKernel(const std::string& description) {
    const bool is_narrow = IsNarrow(shape_.dtype);
    std::vector<std::string> parameters, resolved;
    const auto add = [&](absl::string_view operand, absl::string_view name, bool is_const) {
      parameters.push_back(
          absl::StrCat(is_const ? "const " : "", description, "::", operand, "::Type* ", name));
      resolved.push_back(absl::StrCat("ResolvePointer(", name, ") + ", description, "::", operand,
                                      "::Offset(batch)"));
    };
    add("Query", "query", true);
    add("Key", "key", true);
    add("Value", "value", true);
    const auto absent = [&](absl::string_view type) {
      resolved.push_back(absl::StrCat("(const ", type, "*)0"));
    };
    shape_.bias ? add("Bias", "bias", true) : absent("f32");
    for (size_t i = 0; i < kMaxMasks; ++i) {
      i < shape_.masks.size() ? add(absl::StrCat("Mask", i), absl::StrCat("mask", i), true)
                              : absent("bool");
    }
    add("Output", "out", false);
    if (IsLong(shape_)) parameters.emplace_back("const volatile int* cancelled");
    resolved.emplace_back(IsLong(shape_) ? "ResolvePointer(cancelled)" : "(const volatile int*)0");
    Line(absl::StrCat("extern \"C\" __global__ void __launch_bounds__(", tiling_.threads, ")\n",
                      name_, "(", absl::StrJoin(parameters, ", "), ") {"));
    Line(absl::StrCat("  __shared__ Chunk space[", is_narrow ? "TensorSizes<" : "FullSizes<",
                      description, ">::kChunks];"));
    Line("  static_assert(sizeof(space) <= 48 << 10, \"what all devices have\");");
    // The last queries begin first, because under a causal mask they have the most keys.
    Line(absl::StrCat("  const i64 batch = blockIdx.x % ", shape_.batches(), "u, row_block = ",
                      RowBlocks() - 1, " - blockIdx.x / ", shape_.batches(), "u;"));
    Line(absl::StrCat("  ", is_narrow ? "TensorAttention<" : "FullAttention<", description, ">(",
                      absl::StrJoin(resolved, ",\n      "), ",\n      row_block, space);"));
    Line("}");
  }

  const AttentionShape& shape_;
  const std::string name_;
  const Tiling tiling_;
  std::string out_;
};

}  // namespace

bool CanAttend(const AttentionShape& shape) {
  if (!IsScore(shape.dtype) || !IsScore(shape.output_dtype) || shape.depth > kMaxWidth ||
      shape.features > kMaxWidth || shape.queries > kMaxStep || shape.keys > kMaxStep ||
      shape.batch.size() > kMaxBatchDims || shape.masks.size() > kMaxMasks) {
    return false;
  }
  if (shape.bias.has_value() && (!IsScore(shape.bias->dtype) || !Fits(shape.bias->at))) {
    return false;
  }
  for (const AttentionShape::Mask& mask : shape.masks) {
    if (!Fits(mask.at)) return false;
  }
  for (const auto* bound : {&shape.first_key, &shape.last_key}) {
    if (bound->has_value() && std::abs((*bound)->offset) > kMaxStep) return false;
  }
  int64_t batches = 1;
  for (const int64_t size : shape.batch) {
    if (size > INT32_MAX / batches) return false;
    batches *= size;
  }
  const int rows = TilingOf(shape).rows;
  return Fits(shape.query) && Fits(shape.key) && Fits(shape.value) && Fits(shape.output) &&
         CeilDivide(shape.queries, rows) <= INT32_MAX / batches;
}

bool IsAttentionParallel(const AttentionShape& shape) {
  constexpr int64_t kBlocks = 96, kFewKeys = 1024;
  const int rows = TilingOf(shape).rows;
  return shape.keys <= kFewKeys || CeilDivide(shape.queries, rows) * shape.batches() >= kBlocks;
}

AttentionKernel PrintAttention(const AttentionShape& shape, absl::string_view name) {
  return Printer(shape, name).Print();
}

}  // namespace acceld::kernels::cuda
