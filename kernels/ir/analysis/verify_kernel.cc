#include "kernels/ir/analysis/verify_kernel.h"

#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"

namespace acceld::kernels {
namespace {

// The classes of operand types that operations accept.
enum class Operands : uint8_t { kAnyNumber, kIntegers, kBits, kFloats, kAnyType };

Operands OperandsOf(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAbs:
    case ScalarOp::kAdd:
    case ScalarOp::kDivide:
    case ScalarOp::kMultiply:
    case ScalarOp::kNegate:
    case ScalarOp::kPower:
    case ScalarOp::kRemainder:
    case ScalarOp::kSubtract:
      return Operands::kAnyNumber;
    case ScalarOp::kCountLeadingZeros:
    case ScalarOp::kPopcnt:
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightArithmetic:
    case ScalarOp::kShiftRightLogical:
      return Operands::kIntegers;
    case ScalarOp::kAnd:
    case ScalarOp::kNot:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
      return Operands::kBits;
    case ScalarOp::kBitcast:
    case ScalarOp::kConvert:
    case ScalarOp::kEq:
    case ScalarOp::kGe:
    case ScalarOp::kGt:
    case ScalarOp::kLe:
    case ScalarOp::kLt:
    case ScalarOp::kMax:
    case ScalarOp::kMin:
    case ScalarOp::kNe:
    case ScalarOp::kSelect:
      return Operands::kAnyType;
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAsinh:
    case ScalarOp::kAtan:
    case ScalarOp::kAtan2:
    case ScalarOp::kAtanh:
    case ScalarOp::kCbrt:
    case ScalarOp::kCeil:
    case ScalarOp::kCos:
    case ScalarOp::kCosh:
    case ScalarOp::kErf:
    case ScalarOp::kErfc:
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kFloor:
    case ScalarOp::kFma:
    case ScalarOp::kIsFinite:
    case ScalarOp::kLgamma:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kRoundAfz:
    case ScalarOp::kRoundEven:
    case ScalarOp::kRsqrt:
    case ScalarOp::kSin:
    case ScalarOp::kSinh:
    case ScalarOp::kSqrt:
    case ScalarOp::kTan:
    case ScalarOp::kTanh:
      return Operands::kFloats;
  }
  return Operands::kAnyType;
}

bool IsNarrowFloat(DType dtype) { return ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 16; }

bool Accepts(Operands operands, DType dtype) {
  switch (operands) {
    case Operands::kAnyNumber:
      return ir::IsInteger(dtype) || ir::IsFloat(dtype);
    case Operands::kIntegers:
      return ir::IsInteger(dtype);
    case Operands::kBits:
      return ir::IsInteger(dtype) || dtype == DType::kI1;
    case Operands::kFloats:
      return ir::IsFloat(dtype);
    case Operands::kAnyType:
      return true;
  }
  return false;
}

class Verifier {
 public:
  explicit Verifier(const Kernel& kernel)
      : kernel_(kernel), state_(kernel.var_types.size(), State::kUndefined) {}

  absl::Status Run() {
    for (DType dtype : kernel_.var_types) {
      if (ir::IsComplex(dtype)) return Error("a complex value");
    }
    return Check(kernel_.body);
  }

 private:
  enum class State : uint8_t { kUndefined, kVisible, kLeft };

  absl::Status Error(absl::string_view what) const {
    return absl::InternalError(absl::StrCat("kernel ", kernel_.name, ": ", what));
  }

  absl::Status Define(Var var) {
    if (var >= state_.size()) return Error(absl::StrCat("%", var, " has no type"));
    if (state_[var] != State::kUndefined) return Error(absl::StrCat("%", var, " defined twice"));
    state_[var] = State::kVisible;
    defined_.push_back(var);
    return absl::OkStatus();
  }

  absl::Status Use(Var var) const {
    if (var >= state_.size() || state_[var] != State::kVisible) {
      return Error(absl::StrCat("%", var, " is used where it is not defined"));
    }
    return absl::OkStatus();
  }

  absl::Status UseAs(Var var, DType dtype) const {
    ACCELD_RETURN_IF_ERROR(Use(var));
    if (kernel_.TypeOf(var) != dtype) {
      return Error(absl::StrCat("%", var, " is ", ir::DTypeName(kernel_.TypeOf(var)), ", not ",
                                ir::DTypeName(dtype)));
    }
    return absl::OkStatus();
  }

  absl::Status CheckBuffer(uint32_t buffer, bool write) const {
    if (buffer >= kernel_.buffers.size() + kernel_.scratch.size()) {
      return Error(absl::StrCat("no buffer ", buffer));
    }
    if (buffer >= kernel_.buffers.size()) return absl::OkStatus();
    const BufferParameter& parameter = kernel_.buffers[buffer];
    const BufferParameter::Access wrong =
        write ? BufferParameter::Access::kRead : BufferParameter::Access::kWrite;
    if (parameter.access != wrong) return absl::OkStatus();
    return Error(absl::StrCat(write ? "store to " : "load from ", parameter.name));
  }

  absl::Status Check(const Block& block) {
    for (const Statement& statement : block) {
      ACCELD_RETURN_IF_ERROR(
          std::visit([this](const auto& s) { return Check(s); }, statement.value));
    }
    return absl::OkStatus();
  }

  // Ends the visibility of everything defined since `outer`.
  void Leave(size_t outer) {
    for (size_t i = outer; i < defined_.size(); ++i) state_[defined_[i]] = State::kLeft;
    defined_.resize(outer);
  }

  absl::Status Check(const ConstantStatement& s) { return Define(s.result); }

  absl::Status Check(const ScalarStatement& s) {
    const std::string where = absl::StrCat("%", s.result, " = ", NameOf(s.op));
    if (static_cast<int>(s.operands.size()) != ArityOf(s.op)) {
      return Error(absl::StrCat(where, ": ", s.operands.size(), " operands"));
    }
    for (Var operand : s.operands) ACCELD_RETURN_IF_ERROR(Use(operand));
    ACCELD_RETURN_IF_ERROR(Define(s.result));
    const size_t first = s.op == ScalarOp::kSelect ? 1 : 0;
    if (first == 1) ACCELD_RETURN_IF_ERROR(UseAs(s.operands[0], DType::kI1));
    const DType dtype = kernel_.TypeOf(s.operands[first]);
    for (size_t i = first; i < s.operands.size(); ++i) {
      ACCELD_RETURN_IF_ERROR(UseAs(s.operands[i], dtype));
    }
    const bool narrow_allowed = s.op == ScalarOp::kConvert || s.op == ScalarOp::kBitcast;
    if (!Accepts(OperandsOf(s.op), dtype) || (IsNarrowFloat(dtype) && !narrow_allowed)) {
      return Error(absl::StrCat(where, " of ", ir::DTypeName(dtype)));
    }
    return CheckResult(s, dtype, where);
  }

  absl::Status CheckResult(const ScalarStatement& s, DType dtype, const std::string& where) const {
    const DType result = kernel_.TypeOf(s.result);
    bool right = result == dtype;
    if (s.op == ScalarOp::kConvert) right = result != dtype;
    if (s.op == ScalarOp::kBitcast) {
      right = result != dtype && ir::BitsOf(result) == ir::BitsOf(dtype);
    }
    if (s.op == ScalarOp::kEq || s.op == ScalarOp::kGe || s.op == ScalarOp::kGt ||
        s.op == ScalarOp::kIsFinite || s.op == ScalarOp::kLe || s.op == ScalarOp::kLt ||
        s.op == ScalarOp::kNe) {
      right = result == DType::kI1;
    }
    if (right) return absl::OkStatus();
    return Error(absl::StrCat(where, " gives ", ir::DTypeName(result)));
  }

  absl::Status Check(const LoadStatement& s) {
    ACCELD_RETURN_IF_ERROR(CheckBuffer(s.buffer, false));
    ACCELD_RETURN_IF_ERROR(UseAs(s.index, DType::kI64));
    ACCELD_RETURN_IF_ERROR(Define(s.result));
    return UseAs(s.result, kernel_.Buffer(s.buffer).dtype);
  }

  absl::Status Check(const StoreStatement& s) {
    ACCELD_RETURN_IF_ERROR(CheckBuffer(s.buffer, true));
    ACCELD_RETURN_IF_ERROR(UseAs(s.index, DType::kI64));
    return UseAs(s.value, kernel_.Buffer(s.buffer).dtype);
  }

  absl::Status Check(const ForStatement& s) {
    if (s.extent < 0) return Error("a negative extent");
    if (s.kind == ForStatement::Kind::kParallel && !s.carried.empty()) {
      return Error("a parallel loop carries values");
    }
    return CheckLoop(s.carried, [&] {
      ACCELD_RETURN_IF_ERROR(Define(s.induction));
      ACCELD_RETURN_IF_ERROR(UseAs(s.induction, DType::kI64));
      return Check(s.body);
    });
  }

  absl::Status Check(const WhileStatement& s) {
    return CheckLoop(s.carried, [&] {
      const size_t outer = defined_.size();
      ACCELD_RETURN_IF_ERROR(Check(s.condition_body));
      ACCELD_RETURN_IF_ERROR(UseAs(s.condition, DType::kI1));
      Leave(outer);
      return Check(s.body);
    });
  }

  // Calls `check_body` where the current values of `carried` are visible; it must define the next
  // ones.
  absl::Status CheckLoop(const std::vector<CarriedValue>& carried,
                         absl::FunctionRef<absl::Status()> check_body) {
    for (const CarriedValue& c : carried) ACCELD_RETURN_IF_ERROR(Use(c.initial));
    const size_t outer = defined_.size();
    for (const CarriedValue& c : carried) {
      ACCELD_RETURN_IF_ERROR(Define(c.current));
      ACCELD_RETURN_IF_ERROR(UseAs(c.current, kernel_.TypeOf(c.initial)));
    }
    ACCELD_RETURN_IF_ERROR(check_body());
    for (const CarriedValue& c : carried) {
      ACCELD_RETURN_IF_ERROR(UseAs(c.next, kernel_.TypeOf(c.initial)));
    }
    Leave(outer);
    for (const CarriedValue& c : carried) {
      ACCELD_RETURN_IF_ERROR(Define(c.result));
      ACCELD_RETURN_IF_ERROR(UseAs(c.result, kernel_.TypeOf(c.initial)));
    }
    return absl::OkStatus();
  }

  absl::Status Check(const IfStatement& s) {
    ACCELD_RETURN_IF_ERROR(UseAs(s.condition, DType::kI1));
    if (s.then_values.size() != s.results.size() || s.else_values.size() != s.results.size()) {
      return Error("an if whose branches give different numbers of values");
    }
    const size_t outer = defined_.size();
    for (const bool taken : {true, false}) {
      ACCELD_RETURN_IF_ERROR(Check(taken ? s.then_body : s.else_body));
      const std::vector<Var>& values = taken ? s.then_values : s.else_values;
      for (size_t i = 0; i < values.size(); ++i) {
        if (s.results[i] >= state_.size()) return Error("an if result without a type");
        ACCELD_RETURN_IF_ERROR(UseAs(values[i], kernel_.TypeOf(s.results[i])));
      }
      Leave(outer);
    }
    for (Var result : s.results) ACCELD_RETURN_IF_ERROR(Define(result));
    return absl::OkStatus();
  }

  const Kernel& kernel_;
  std::vector<State> state_;
  std::vector<Var> defined_;  // visible values, in order of definition
};

}  // namespace

absl::Status VerifyKernel(const Kernel& kernel) { return Verifier(kernel).Run(); }

}  // namespace acceld::kernels
