#include "kernels/cuda/collectives/collective_kernels.h"

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace acceld::kernels::cuda {
namespace {

using ir::DType;
using Kind = Collective::Kind;
using Combiner = Collective::Combiner;

absl::string_view NameOf(Combiner combiner) {
  switch (combiner) {
    case Combiner::kAdd:
      return "Add";
    case Combiner::kMultiply:
      return "Multiply";
    case Combiner::kMinimum:
      return "Minimum";
    case Combiner::kMaximum:
      return "Maximum";
    case Combiner::kAnd:
      return "And";
    case Combiner::kOr:
      return "Or";
    case Combiner::kXor:
      return "Xor";
  }
  return "";
}

// Sums of i1 are "or", products are "and". Its other combiners are those of integers.
Combiner OnBits(Combiner combiner) {
  switch (combiner) {
    case Combiner::kAdd:
    case Combiner::kMaximum:
    case Combiner::kOr:
      return Combiner::kOr;
    case Combiner::kMultiply:
    case Combiner::kMinimum:
    case Combiner::kAnd:
      return Combiner::kAnd;
    case Combiner::kXor:
      break;
  }
  return Combiner::kXor;
}

// Returns the type of collectives.cuh that describes elements of the dtype.
absl::string_view ElementText(DType dtype) {
  switch (dtype) {
    case DType::kI1:
      return "IntegerElement<u8, 8>";
    case DType::kI2:
      return "IntegerElement<i8, 2>";
    case DType::kI4:
      return "IntegerElement<i8, 4>";
    case DType::kI8:
      return "IntegerElement<i8, 8>";
    case DType::kI16:
      return "IntegerElement<i16, 16>";
    case DType::kI32:
      return "IntegerElement<i32, 32>";
    case DType::kI64:
      return "IntegerElement<i64, 64>";
    case DType::kUI2:
      return "IntegerElement<u8, 2>";
    case DType::kUI4:
      return "IntegerElement<u8, 4>";
    case DType::kUI8:
      return "IntegerElement<u8, 8>";
    case DType::kUI16:
      return "IntegerElement<u16, 16>";
    case DType::kUI32:
      return "IntegerElement<u32, 32>";
    case DType::kUI64:
      return "IntegerElement<u64, 64>";
    case DType::kF4E2M1FN:
      return "NarrowElement<F4E2M1FN>";
    case DType::kF6E2M3FN:
      return "NarrowElement<F6E2M3FN>";
    case DType::kF6E3M2FN:
      return "NarrowElement<F6E3M2FN>";
    case DType::kF8E3M4:
      return "NarrowElement<F8E3M4>";
    case DType::kF8E4M3:
      return "NarrowElement<F8E4M3>";
    case DType::kF8E4M3FN:
      return "NarrowElement<F8E4M3FN>";
    case DType::kF8E4M3FNUZ:
      return "NarrowElement<F8E4M3FNUZ>";
    case DType::kF8E4M3B11FNUZ:
      return "NarrowElement<F8E4M3B11FNUZ>";
    case DType::kF8E5M2:
      return "NarrowElement<F8E5M2>";
    case DType::kF8E5M2FNUZ:
      return "NarrowElement<F8E5M2FNUZ>";
    case DType::kF8E8M0FNU:
      return "NarrowElement<F8E8M0FNU>";
    case DType::kF16:
      return "HalfElement<F16>";
    case DType::kBF16:
      return "HalfElement<BF16>";
    case DType::kF32:
      return "FloatElement<f32>";
    case DType::kF64:
      return "FloatElement<f64>";
    case DType::kC64:
      return "ComplexElement<f32>";
    case DType::kC128:
      return "ComplexElement<f64>";
  }
  return "";
}

bool IsReduction(Kind kind) { return kind == Kind::kAllReduce || kind == Kind::kReduceScatter; }

// Whether operands or results consist of parts along a dimension, which may have to be rearranged.
bool HasParts(Kind kind) {
  return kind == Kind::kAllGather || kind == Kind::kAllToAll || kind == Kind::kReduceScatter;
}

// Adds kernels to a program.
class Lowering {
 public:
  Lowering(CudaProgram& program, std::string& source) : program_(program), source_(source) {}

  void AddFor(const Steps& steps) {
    for (const Step& step : steps) {
      if (const auto* const exchange = std::get_if<CollectiveStep>(&step.value)) {
        AddFor(exchange->collective);
      } else if (const auto* const loop = std::get_if<WhileStep>(&step.value)) {
        AddFor(loop->condition);
        AddFor(loop->body);
      } else if (const auto* const choice = std::get_if<SwitchStep>(&step.value)) {
        for (const Steps& branch : choice->branches) AddFor(branch);
      }
    }
  }

 private:
  void AddFor(const Collective& collective) {
    if (IsReduction(collective.kind)) {
      for (const ir::TensorType& operand : collective.operands) {
        const Combiner combiner =
            operand.dtype == DType::kI1 ? OnBits(collective.combiner) : collective.combiner;
        Add(CombineKernelName(operand.dtype, collective.combiner),
            "u64 to, u64 from, i64 count, i64 stride_bytes, i64 members",
            absl::StrCat("CombineMembers<", ElementText(operand.dtype), ", Combine",
                         NameOf(combiner), ">(to, from, count, stride_bytes, members)"));
      }
    }
    if (HasParts(collective.kind)) {
      Add(std::string(kSwapRowsKernel), "u64 to, u64 from, i64 outer, i64 parts, i64 row_bytes",
          "SwapRows(to, from, outer, parts, row_bytes)");
    }
  }

  void Add(const std::string& name, absl::string_view parameters, absl::string_view call) {
    if (!known_.insert(name).second) return;
    if (known_.size() == 1) absl::StrAppend(&source_, CollectivePrelude());
    absl::StrAppend(&source_, "extern \"C\" __global__ void __launch_bounds__(", kCollectiveThreads,
                    ") ", name, "(", parameters, ") {\n  ", call, ";\n}\n");
    program_.kernels.push_back({.name = name, .threads = kCollectiveThreads});
  }

  CudaProgram& program_;
  std::string& source_;
  std::set<std::string> known_;
};

}  // namespace

std::string CombineKernelName(DType dtype, Combiner combiner) {
  // "complex<f32>" is no part of a name.
  const std::string type = absl::StrReplaceAll(ir::DTypeName(dtype), {{"<", "_"}, {">", ""}});
  return absl::StrCat("collective_combine_", type, "_",
                      NameOf(dtype == DType::kI1 ? OnBits(combiner) : combiner));
}

std::vector<std::string> CollectiveKernelsOf(const Collective& collective) {
  std::vector<std::string> names;
  if (IsReduction(collective.kind)) {
    for (const ir::TensorType& operand : collective.operands) {
      names.push_back(CombineKernelName(operand.dtype, collective.combiner));
    }
  }
  if (HasParts(collective.kind)) names.emplace_back(kSwapRowsKernel);
  return names;
}

bool IsCombinedByNccl(DType dtype, Combiner combiner, int& type, int& operation) {
  // Source: nccl.h, ncclDataType_t and ncclRedOp_t.
  constexpr int kSum = 0, kProduct = 1, kMaximum = 2, kMinimum = 3;
  constexpr int kInt8 = 0, kUint8 = 1, kInt32 = 2, kUint32 = 3, kInt64 = 4, kUint64 = 5;
  if (dtype == DType::kI1) {
    // Elements are bytes of 0 and 1, of which "or" is the maximum and "and" the minimum.
    const Combiner on_bits = OnBits(combiner);
    type = kUint8;
    operation = on_bits == Combiner::kOr ? kMaximum : kMinimum;
    return on_bits != Combiner::kXor;
  }
  switch (combiner) {
    case Combiner::kAdd:
      operation = kSum;
      break;
    case Combiner::kMultiply:
      operation = kProduct;
      break;
    case Combiner::kMinimum:
      operation = kMinimum;
      break;
    case Combiner::kMaximum:
      operation = kMaximum;
      break;
    case Combiner::kAnd:
    case Combiner::kOr:
    case Combiner::kXor:
      return false;
  }
  const std::pair<DType, int> kTypes[] = {{DType::kI8, kInt8},   {DType::kUI8, kUint8},
                                          {DType::kI32, kInt32}, {DType::kUI32, kUint32},
                                          {DType::kI64, kInt64}, {DType::kUI64, kUint64}};
  for (const auto& [known, number] : kTypes) {
    type = number;
    if (known == dtype) return true;
  }
  return false;
}

void LowerCollectives(CudaProgram& program, std::string& source) {
  Lowering(program, source).AddFor(program.steps);
}

}  // namespace acceld::kernels::cuda
