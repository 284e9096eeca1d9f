#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels {
namespace {

absl::string_view AccessName(BufferParameter::Access access) {
  switch (access) {
    case BufferParameter::Access::kRead:
      return "read";
    case BufferParameter::Access::kWrite:
      return "write";
    case BufferParameter::Access::kReadWrite:
      return "readwrite";
  }
  return "";
}

absl::string_view KindName(ForStatement::Kind kind) {
  switch (kind) {
    case ForStatement::Kind::kParallel:
      return "parallel";
    case ForStatement::Kind::kSequential:
      return "for";
    case ForStatement::Kind::kReduction:
      return "reduction";
    case ForStatement::Kind::kScan:
      return "scan";
  }
  return "";
}

std::string VarName(Var var) { return absl::StrCat("%", var); }

std::string VarList(const std::vector<Var>& vars) {
  return absl::StrJoin(vars, ", ", [](std::string* out, Var v) { absl::StrAppend(out, "%", v); });
}

std::string BufferText(const BufferParameter& buffer) {
  return absl::StrCat(buffer.name, ": ", AccessName(buffer.access), " ",
                      ir::DTypeName(buffer.dtype), "[", buffer.num_elements, "]");
}

// Prints statements recursively; the nesting of the kernels that lowerings build is bounded.
class Printer {
 public:
  explicit Printer(const Kernel& kernel) : kernel_(kernel) {}

  std::string Print() {
    absl::StrAppend(&out_, "kernel ", kernel_.name, "(", Join(kernel_.buffers), ")");
    if (!kernel_.scratch.empty()) {
      absl::StrAppend(&out_, " scratch(", Join(kernel_.scratch), ")");
    }
    absl::StrAppend(&out_, " {\n");
    PrintBlock(kernel_.body);
    absl::StrAppend(&out_, "}\n");
    return std::move(out_);
  }

 private:
  static std::string Join(const std::vector<BufferParameter>& buffers) {
    return absl::StrJoin(buffers, ", ", [](std::string* out, const BufferParameter& buffer) {
      absl::StrAppend(out, BufferText(buffer));
    });
  }

  void PrintBlock(const Block& block) {
    ++indent_;
    for (const Statement& statement : block) {
      std::visit([this](const auto& s) { Print(s); }, statement.value);
    }
    --indent_;
  }

  std::string Indent() const { return std::string(2 * indent_, ' '); }

  std::string Defined(Var var) const {
    return absl::StrCat(Indent(), VarName(var), ": ", ir::DTypeName(kernel_.TypeOf(var)), " = ");
  }

  void Print(const ConstantStatement& s) {
    const DType dtype = kernel_.TypeOf(s.result);
    absl::StrAppend(&out_, Defined(s.result), "constant ");
    if (dtype == DType::kF32) {
      float value;
      const uint32_t bits = static_cast<uint32_t>(s.bits);
      std::memcpy(&value, &bits, sizeof value);
      absl::StrAppend(&out_, value, "\n");
    } else if (dtype == DType::kF64) {
      double value;
      std::memcpy(&value, &s.bits, sizeof value);
      absl::StrAppend(&out_, value, "\n");
    } else if (ir::IsFloat(dtype)) {
      absl::StrAppend(&out_, "0x", absl::Hex(s.bits), "\n");
    } else if (ir::IsSigned(dtype)) {
      const int unused = 64 - ir::BitsOf(dtype);
      absl::StrAppend(&out_, static_cast<int64_t>(s.bits << unused) >> unused, "\n");
    } else {
      absl::StrAppend(&out_, s.bits, "\n");
    }
  }

  void Print(const ScalarStatement& s) {
    absl::StrAppend(&out_, Defined(s.result), NameOf(s.op), " ", VarList(s.operands),
                    s.may_contract ? " contract" : "", "\n");
  }

  void Print(const LoadStatement& s) {
    absl::StrAppend(&out_, Defined(s.result), "load ", kernel_.Buffer(s.buffer).name, "[%", s.index,
                    "]\n");
  }

  void Print(const StoreStatement& s) {
    absl::StrAppend(&out_, Indent(), "store ", kernel_.Buffer(s.buffer).name, "[%", s.index,
                    "] = %", s.value, "\n");
  }

  void Print(const ForStatement& s) {
    absl::StrAppend(&out_, Indent(), KindName(s.kind), " %", s.induction, " < ", s.extent);
    PrintCarried(s.carried);
    absl::StrAppend(&out_, " {\n");
    PrintLoopBody(s.carried, s.body);
  }

  void Print(const WhileStatement& s) {
    absl::StrAppend(&out_, Indent(), "while");
    PrintCarried(s.carried);
    absl::StrAppend(&out_, " {\n");
    PrintBlock(s.condition_body);
    absl::StrAppend(&out_, Indent(), "} %", s.condition, " do {\n");
    PrintLoopBody(s.carried, s.body);
  }

  void PrintCarried(const std::vector<CarriedValue>& carried) {
    for (size_t i = 0; i < carried.size(); ++i) {
      absl::StrAppend(&out_, i == 0 ? " carries " : ", ", "%", carried[i].current, " = %",
                      carried[i].initial);
    }
  }

  void PrintLoopBody(const std::vector<CarriedValue>& carried, const Block& body) {
    PrintBlock(body);
    for (const CarriedValue& c : carried) {
      absl::StrAppend(&out_, Indent(), "  next %", c.current, " = %", c.next, "\n");
    }
    absl::StrAppend(&out_, Indent(), "}");
    for (size_t i = 0; i < carried.size(); ++i) {
      absl::StrAppend(&out_, i == 0 ? " gives " : ", ", "%", carried[i].result);
    }
    absl::StrAppend(&out_, "\n");
  }

  void Print(const IfStatement& s) {
    absl::StrAppend(&out_, Indent(), s.is_rare ? "rarely " : "", "if %", s.condition, " {\n");
    PrintBlock(s.then_body);
    if (!s.results.empty()) {
      absl::StrAppend(&out_, Indent(), "  yield ", VarList(s.then_values), "\n");
    }
    if (!s.else_body.empty() || !s.results.empty()) {
      absl::StrAppend(&out_, Indent(), "} else {\n");
      PrintBlock(s.else_body);
    }
    if (!s.results.empty()) {
      absl::StrAppend(&out_, Indent(), "  yield ", VarList(s.else_values), "\n");
    }
    absl::StrAppend(&out_, Indent(), "}");
    if (!s.results.empty()) absl::StrAppend(&out_, " gives ", VarList(s.results));
    absl::StrAppend(&out_, "\n");
  }

  const Kernel& kernel_;
  std::string out_;
  int indent_ = 0;
};

}  // namespace

std::string ToString(const Kernel& kernel) { return Printer(kernel).Print(); }

}  // namespace acceld::kernels
