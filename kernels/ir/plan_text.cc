#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels {
namespace {

absl::string_view SpaceName(Slice::Space space) {
  switch (space) {
    case Slice::Space::kArgument:
      return "argument";
    case Slice::Space::kResult:
      return "result";
    case Slice::Space::kArena:
      return "arena";
    case Slice::Space::kConstant:
      return "constant";
  }
  return "";
}

std::string SliceList(const std::vector<Slice>& slices) {
  return absl::StrJoin(slices, ", ", [](std::string* out, const Slice& slice) {
    absl::StrAppend(out, ToString(slice));
  });
}

std::string TypeList(const std::vector<ir::TensorType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, const ir::TensorType& type) {
    absl::StrAppend(out, type.ToString());
  });
}

std::string OperandText(absl::string_view name, const AttentionOperand& operand) {
  std::string text = absl::StrCat(" ", name, " [");
  for (const int64_t stride : operand.batch_strides) absl::StrAppend(&text, stride, ", ");
  absl::StrAppend(&text, operand.row_stride, ", ", operand.column_stride, "]");
  if (operand.offset != 0) absl::StrAppend(&text, "+", operand.offset);
  return text;
}

std::string BoundText(absl::string_view name, const std::optional<AttentionBound>& bound) {
  if (!bound.has_value()) return "";
  return absl::StrCat(" ", name, bound->row_step == 0 ? "=" : "=row+", bound->offset);
}

class Printer {
 public:
  explicit Printer(const Plan& plan) : plan_(plan) {}

  std::string Print() {
    for (const PlanFunction& function : plan_.functions) {
      absl::StrAppend(&out_, "function ", function.name, "(", TypeList(function.arguments),
                      ") -> (", TypeList(function.results), ") arena ", function.arena_bytes,
                      " {\n");
      PrintSteps(function.steps);
      absl::StrAppend(&out_, "}\n");
    }
    for (const InputOutputAlias& alias : plan_.may_share) {
      absl::StrAppend(&out_, "result", alias.result, " may be argument", alias.argument, "\n");
    }
    absl::StrAppend(&out_, "constants ", plan_.constants.size(), " bytes\n");
    for (const Kernel& kernel : plan_.kernels) absl::StrAppend(&out_, "\n", ToString(kernel));
    return std::move(out_);
  }

 private:
  void PrintSteps(const Steps& steps) {
    ++indent_;
    for (const Step& step : steps) {
      if (!step.comment.empty()) Line(absl::StrCat("// ", step.comment));
      std::visit([this](const auto& s) { Print(s); }, step.value);
    }
    --indent_;
  }

  void Line(absl::string_view text) {
    absl::StrAppend(&out_, std::string(2 * indent_, ' '), text, "\n");
  }

  void Print(const LaunchStep& s) {
    const absl::string_view name =
        s.kernel < plan_.kernels.size() ? absl::string_view(plan_.kernels[s.kernel].name) : "?";
    Line(absl::StrCat("launch ", name, "(", SliceList(s.buffers), ")"));
  }

  void Print(const MatmulStep& s) {
    Line(absl::StrCat(
        "matmul ", ir::DTypeName(s.input_dtype), " -> ", ir::DTypeName(s.output_dtype),
        s.groups == 1 ? ""
                      : absl::StrCat(" groups=", s.groups, " strides [", s.lhs_group_stride, ", ",
                                     s.rhs_group_stride, "]"),
        " b=", s.batch, " m=", s.m, " n=", s.n, " k=", s.k, " lhs ", ToString(s.lhs), " strides [",
        absl::StrJoin(s.lhs_strides, ", "), "] rhs ", ToString(s.rhs), " strides [",
        absl::StrJoin(s.rhs_strides, ", "), "] -> ", ToString(s.out), s.allow_tf32 ? " tf32" : "",
        ToString(s.epilogue)));
  }

  void Print(const ConvolutionStep& s) {
    Line(absl::StrCat("convolution ", ir::DTypeName(s.input_dtype), " -> ",
                      ir::DTypeName(s.output_dtype), " groups=", s.shape.groups, " positions=",
                      s.shape.num_output_positions(), " cells=", s.shape.num_window_elements(),
                      " features=", s.shape.features, " outputs=", s.shape.outputs, " lhs ",
                      ToString(s.lhs), " rhs ", ToString(s.rhs), " -> ", ToString(s.out),
                      s.scratch.size_bytes == 0 ? "" : absl::StrCat(" by ", ToString(s.scratch))));
  }

  void Print(const AttentionStep& s) {
    std::vector<Slice> operands = {s.query, s.key, s.value};
    if (s.shape.bias.has_value()) operands.push_back(s.bias);
    operands.insert(operands.end(), s.masks.begin(), s.masks.end());
    Line(absl::StrCat("attention ", ToString(s.shape), " from (", SliceList(operands), ") to ",
                      ToString(s.out)));
  }

  void Print(const RoutineStep& s) {
    Line(absl::StrCat("routine ", ToString(s.call), " from (", SliceList(s.operands), ") to (",
                      SliceList(s.results), ")"));
  }

  void Print(const HostCallStep& s) {
    Line(absl::StrCat(ToString(s.call), " from (", SliceList(s.operands), ") to (",
                      SliceList(s.results), ")"));
  }

  void Print(const CollectiveStep& s) {
    Line(absl::StrCat(ToString(s.collective), " from (", SliceList(s.operands), ") to (",
                      SliceList(s.results), ")"));
  }

  void Print(const CopyStep& s) {
    Line(absl::StrCat("copy ", ToString(s.from), " -> ", ToString(s.to)));
  }

  void Print(const WhileStep& s) {
    Line("while {");
    PrintSteps(s.condition);
    Line(absl::StrCat("} ", ToString(s.predicate), " do {"));
    PrintSteps(s.body);
    Line("}");
  }

  void Print(const SwitchStep& s) {
    Line(absl::StrCat(s.index_is_predicate ? "if " : "switch ", ToString(s.index), " {"));
    for (size_t i = 0; i < s.branches.size(); ++i) {
      if (i != 0) Line("} {");
      PrintSteps(s.branches[i]);
    }
    Line("}");
  }

  void Print(const CallStep& s) {
    const absl::string_view name = s.function < plan_.functions.size()
                                       ? absl::string_view(plan_.functions[s.function].name)
                                       : "?";
    Line(absl::StrCat("call ", name, "(", SliceList(s.arguments), ") -> (", SliceList(s.results),
                      ") arena ", ToString(s.arena)));
  }

  const Plan& plan_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string ToString(const MatmulEpilogue& epilogue) {
  std::string text;
  if (epilogue.alpha != 1) absl::StrAppend(&text, " alpha=", epilogue.alpha);
  if (epilogue.has_addend()) {
    absl::StrAppend(&text, " + ", epilogue.beta, " * ", ToString(epilogue.addend));
  }
  if (epilogue.has_bias) absl::StrAppend(&text, " + bias ", ToString(epilogue.bias));
  switch (epilogue.activation) {
    case MatmulEpilogue::Activation::kNone:
      break;
    case MatmulEpilogue::Activation::kRelu:
      absl::StrAppend(&text, " relu");
      break;
    case MatmulEpilogue::Activation::kGelu:
      absl::StrAppend(&text, " gelu");
      break;
  }
  return text;
}

std::string ToString(const AttentionShape& shape) {
  std::string text = absl::StrCat(
      ir::DTypeName(shape.dtype), " -> ", ir::DTypeName(shape.output_dtype), " batch [",
      absl::StrJoin(shape.batch, ", "), "] queries=", shape.queries, " keys=", shape.keys,
      " depth=", shape.depth, " features=", shape.features, " scale=", shape.scale,
      OperandText("query", shape.query), OperandText("key", shape.key),
      OperandText("value", shape.value), OperandText("output", shape.output));
  if (shape.bias.has_value()) {
    absl::StrAppend(&text, OperandText("bias", shape.bias->at), " ",
                    ir::DTypeName(shape.bias->dtype), " in ",
                    ir::DTypeName(shape.bias->score_dtype));
  }
  for (const AttentionShape::Mask& mask : shape.masks) {
    absl::StrAppend(&text, OperandText(mask.keeps_when ? "mask" : "mask not", mask.at));
  }
  absl::StrAppend(&text, BoundText("first_key", shape.first_key),
                  BoundText("last_key", shape.last_key));
  if (shape.has_fill()) absl::StrAppend(&text, " fill=", shape.fill);
  return text;
}

std::string ToString(const Slice& slice) {
  // Unsigned, so that an invalid slice in an error message cannot cause signed overflow.
  const uint64_t end =
      static_cast<uint64_t>(slice.offset_bytes) + static_cast<uint64_t>(slice.size_bytes);
  return absl::StrCat(SpaceName(slice.space), slice.index, "[", slice.offset_bytes, ":", end, "]");
}

std::string ToString(const Plan& plan) { return Printer(plan).Print(); }

}  // namespace acceld::kernels
