#include "kernels/ir/analysis/patterns.h"

#include <algorithm>
#include <variant>

namespace acceld::kernels {
namespace {

constexpr int64_t kMaxDivisor = 64;

int64_t DivisorOf(int64_t value) {
  int64_t divisor = 1;
  while (divisor < kMaxDivisor && value % (2 * divisor) == 0) divisor *= 2;
  return divisor;
}

class ConstantFinder {
 public:
  ConstantFinder(const Kernel& kernel, Constants& out) : kernel_(kernel), out_(out) {
    Visit(kernel.body);
  }

 private:
  void Visit(const Block& block) {
    for (const Statement& statement : block) {
      std::visit([this](const auto& one) { Visit(one); }, statement.value);
    }
  }
  void Visit(const ConstantStatement& constant) {
    if (kernel_.TypeOf(constant.result) != DType::kI64) return;
    out_.emplace(constant.result, static_cast<int64_t>(constant.bits));
  }
  void Visit(const ScalarStatement&) {}
  void Visit(const LoadStatement&) {}
  void Visit(const StoreStatement&) {}
  void Visit(const ForStatement& loop) { Visit(loop.body); }
  void Visit(const WhileStatement& loop) {
    Visit(loop.condition_body);
    Visit(loop.body);
  }
  void Visit(const IfStatement& branch) {
    Visit(branch.then_body);
    Visit(branch.else_body);
  }

  const Kernel& kernel_;
  Constants& out_;
};

}  // namespace

Constants FindConstants(const Kernel& kernel) {
  Constants constants;
  ConstantFinder(kernel, constants);
  return constants;
}

Patterns::Patterns(const Kernel& kernel, const Constants& constants, Var induction, int64_t width)
    : kernel_(kernel), constants_(constants), width_(width) {
  patterns_[induction] = {true, 1, std::min(width == 0 ? 1 : width, kMaxDivisor), true};
}

void Patterns::Add(const Block& block) {
  for (const Statement& statement : block) {
    if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
      patterns_[scalar->result] = Find(*scalar);
    } else if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      const bool is_fixed = kernel_.Buffer(load->buffer).access == BufferParameter::Access::kRead;
      patterns_[load->result] = {is_fixed && Of(load->index).is_uniform()};
    } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      for (const CarriedValue& carried : loop->carried) patterns_[carried.result] = {};
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      for (const CarriedValue& carried : loop->carried) patterns_[carried.result] = {};
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      for (const Var result : branch->results) patterns_[result] = {};
    }
  }
}

Pattern Patterns::Of(Var var) const {
  if (const auto found = patterns_.find(var); found != patterns_.end()) return found->second;
  if (const auto found = constants_.find(var); found != constants_.end()) {
    return {true, 0, DivisorOf(found->second), found->second >= 0};
  }
  return {.is_known = true};
}

Pattern Patterns::Find(const ScalarStatement& scalar) const {
  std::vector<Pattern> of;
  for (const Var operand : scalar.operands) of.push_back(Of(operand));
  const auto all = [&](auto test) { return std::all_of(of.begin(), of.end(), test); };
  if (!all([](const Pattern& p) { return p.is_known; })) return {};
  // By default the result is known only if it is uniform; the cases below find more.
  Pattern result{.is_known = all([](const Pattern& p) { return p.stride == 0; })};
  // Whether the values are `width` consecutive integers that begin at a multiple of `width`, so
  // that no multiple of a multiple of `width` separates them.
  const auto is_group = [this](const Pattern& p) {
    return width_ > 1 && p.stride == 1 && p.divisor >= width_;
  };
  const auto is_multiple = [this](const Pattern& p) {
    return p.is_uniform() && p.divisor >= width_;
  };
  const bool no_negative = all([](const Pattern& p) { return p.is_not_negative; });
  switch (scalar.op) {
    case ScalarOp::kAdd:
      return {true, of[0].stride + of[1].stride, std::min(of[0].divisor, of[1].divisor),
              no_negative};
    case ScalarOp::kSubtract:
      return {true, of[0].stride - of[1].stride, std::min(of[0].divisor, of[1].divisor)};
    case ScalarOp::kMultiply: {
      const int64_t divisor = std::min(of[0].divisor * of[1].divisor, kMaxDivisor);
      if (result.is_known) return {true, 0, divisor, no_negative};
      const bool left_varies = of[0].stride != 0;
      const auto factor = constants_.find(scalar.operands[left_varies ? 1 : 0]);
      if (factor == constants_.end()) return {};
      return {true, of[left_varies ? 0 : 1].stride * factor->second, divisor, no_negative};
    }
    case ScalarOp::kDivide:
    case ScalarOp::kRemainder: {
      const bool divides = scalar.op == ScalarOp::kDivide;
      result.is_not_negative = no_negative;
      if (result.is_known) {
        if (!divides) result.divisor = std::min(of[0].divisor, of[1].divisor);
        return result;
      }
      if (!no_negative || !is_group(of[0]) || !is_multiple(of[1])) return {};
      if (divides) return {true, 0, 1, true};
      return {true, 1, std::min(width_, kMaxDivisor), true};
    }
    case ScalarOp::kSelect:
      if (of[0].stride != 0 || of[1].stride != of[2].stride) return {};
      return {true, of[1].stride, std::min(of[1].divisor, of[2].divisor),
              of[1].is_not_negative && of[2].is_not_negative};
    case ScalarOp::kMax:
    case ScalarOp::kMin:
      result.divisor = std::min(of[0].divisor, of[1].divisor);
      result.is_not_negative = no_negative;
      return result;
    case ScalarOp::kLt:
    case ScalarOp::kGe:
      result.is_known |= is_group(of[0]) && is_multiple(of[1]);
      return result;
    case ScalarOp::kGt:
    case ScalarOp::kLe:
      result.is_known |= is_group(of[1]) && is_multiple(of[0]);
      return result;
    default:
      return result;
  }
}

}  // namespace acceld::kernels
