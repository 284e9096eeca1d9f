#include "tests/unit/compiler/shrink/shrink_program.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "common/ir/calls/call_graph.h"
#include "common/ir/interpreter.h"
#include "common/ir/verify/verifier.h"
#include "server/compiler/passes/rewriter.h"
#include "tests/unit/compiler/random/random_function.h"
#include "tests/unit/compiler/shrink/program_edits.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;
using ir::ValueId;

// What a reader has to look at. Every step makes it less, so that steps come to an end.
int64_t WeightOf(const RandomProgram& program) {
  int64_t weight = 0;
  for (const ir::Function& function : program.module.functions) {
    weight += 5 + static_cast<int64_t>(3 * function.body.parameters.size() +
                                       2 * function.body.results.size());
    ForEachOp(function.body, [&](const ir::Op& op) {
      if (op.kind != OpKind::kConstant) {
        weight += 8 + static_cast<int64_t>(op.operands.size() + op.results.size());
        return;
      }
      const ir::Literal& value = op.As<ir::ConstantAttributes>().value;
      weight +=
          1 + (value.is_splat() ? 0 : 1) + (value == ir::Literal::Zeros(value.type()) ? 0 : 1);
    });
  }
  return weight;
}

class Shrinker {
 public:
  Shrinker(RandomProgram program, const StillFails& still_fails, int64_t max_trials)
      : program_(std::move(program)), still_fails_(still_fails), trials_left_(max_trials) {}

  RandomProgram Run() {
    for (int64_t weight = 0; weight != WeightOf(program_) && trials_left_ > 0;) {
      weight = WeightOf(program_);
      ShrinkResults();
      EndEarly();
      Try([](RandomProgram& p) {
        DropUncalled(p.module);
        return true;
      });
      for (size_t f = 0; f < program_.module.functions.size(); ++f) {
        ShrinkOps(f);
        if (f > 0) ShrinkSignature(f);
      }
      ShrinkParameters();
    }
    return std::move(program_);
  }

 private:
  // Makes an edit, which may say that it does not apply, and keeps it if the program gets smaller
  // and still fails.
  template <typename Edit>
  bool Try(const Edit& edit) {
    if (trials_left_ <= 0) return false;
    RandomProgram candidate = program_;
    if (!edit(candidate)) return false;
    DropUnusedOps(candidate.module);
    if (WeightOf(candidate) >= WeightOf(program_) || !ir::Verify(candidate.module).ok()) {
      return false;
    }
    --trials_left_;
    if (!still_fails_(candidate)) return false;
    program_ = std::move(candidate);
    return true;
  }

  const ir::Region& entry() const { return program_.module.functions[0].body; }

  void ShrinkResults() {
    for (size_t i = 0; i < entry().results.size() && entry().results.size() > 1; ++i) {
      Try([&](RandomProgram& p) {
        std::vector<ValueId>& results = p.module.functions[0].body.results;
        results = {results[i]};
        return true;
      });
    }
    for (size_t i = entry().results.size(); i-- > 0 && entry().results.size() > 1;) {
      Try([&](RandomProgram& p) {
        std::vector<ValueId>& results = p.module.functions[0].body.results;
        results.erase(results.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      });
    }
  }

  // A value inside the program becomes its only result, the earliest that fails.
  void EndEarly() {
    absl::flat_hash_set<ValueId> unbounded;
    for (const ir::Op& op : entry().ops) {
      if (op.kind == OpKind::kClamp) unbounded.insert(op.operands[1]);
    }
    std::vector<ValueId> ids;
    for (const ir::Op& op : entry().ops) {
      if (op.kind == OpKind::kConstant) continue;
      for (ValueId id : op.results) {
        if (!unbounded.contains(id)) ids.push_back(id);
      }
    }
    for (ValueId id : ids) {
      const auto end_here = [id](RandomProgram& p) {
        p.module.functions[0].body.results = {id};
        return true;
      };
      if (Try(end_here)) return;
    }
  }

  void ShrinkOps(size_t f) {
    const absl::flat_hash_set<ValueId> fixed = LoopControl(program_.module.functions[f]);
    std::vector<ValueId> ids = OpsInControlFlow(program_.module.functions[f]);
    std::reverse(ids.begin(), ids.end());
    for (ValueId id : ids) {
      const auto position = FindOp(program_.module.functions[f], id);
      if (!position.has_value() || fixed.contains(id)) continue;
      const ir::Op op = position->op();
      if (op.kind == OpKind::kConstant) {
        ShrinkConstant(f, id);
      } else if (!Unwrap(f, op) && !Bypass(f, op)) {
        ReplaceResults(f, op);
      }
    }
  }

  void ShrinkConstant(size_t f, ValueId id) {
    for (double filled : {0.0, 1.0}) {
      const auto edit = [&](RandomProgram& p) {
        ir::Op& op = FindOp(p.module.functions[f], id)->op();
        ir::Literal& value = std::get<ir::ConstantAttributes>(op.attributes).value;
        value = ir::Literal::Filled(value.type(), filled);
        return true;
      };
      if (Try(edit)) return;
    }
  }

  // The ops of a branch, of a loop or of a called function in place of the op.
  bool Unwrap(size_t f, const ir::Op& op) {
    const bool is_loop = op.kind == OpKind::kWhile;
    if (is_loop || op.kind == OpKind::kIf || op.kind == OpKind::kCase) {
      const auto edit = [&](RandomProgram& p, size_t region) {
        ir::Function& function = p.module.functions[f];
        InlineRegion(function, *FindOp(function, op.results[0]), region);
        return true;
      };
      for (size_t region = is_loop ? 1 : 0; region < op.regions.size(); ++region) {
        if (Try([&](RandomProgram& p) { return edit(p, region); })) return true;
        // What fails may be carried without reaching the program's result.
        for (size_t i = 0; i < op.results.size() && f == 0; ++i) {
          const auto ending_here = [&](RandomProgram& p) {
            p.module.functions[0].body.results = {op.results[i]};
            return edit(p, region);
          };
          if (Try(ending_here)) return true;
        }
      }
      return false;
    }
    const std::string* const callee = ir::CalleeOf(op);
    return callee != nullptr && Try([&](RandomProgram& p) {
             const ir::Function* const called = p.module.Find(*callee);
             if (called == nullptr) return false;
             const ir::Function copy = *called;
             ir::Function& function = p.module.functions[f];
             InlineCall(function, *FindOp(function, op.results[0]), copy);
             return true;
           });
  }

  // An operand instead of the op.
  bool Bypass(size_t f, const ir::Op& op) {
    if (op.kind == OpKind::kClamp) return false;
    const auto same_type = [&](RandomProgram& p, size_t result, size_t operand) {
      const ir::Function& function = p.module.functions[f];
      return function.TypeOf(op.results[result]) == function.TypeOf(op.operands[operand]);
    };
    const auto all = [&](RandomProgram& p) {
      for (size_t i = 0; i < op.results.size(); ++i) {
        if (i >= op.operands.size() || !same_type(p, i, i)) return false;
        ReplaceUses(p.module.functions[f], op.results[i], op.operands[i]);
      }
      return true;
    };
    if (Try(all)) return true;
    for (size_t i = 0; i < op.operands.size() && op.results.size() == 1; ++i) {
      const auto edit = [&](RandomProgram& p) {
        if (!same_type(p, 0, i)) return false;
        ReplaceUses(p.module.functions[f], op.results[0], op.operands[i]);
        return true;
      };
      if (Try(edit)) return true;
    }
    return false;
  }

  // Constants or parameters instead of the op's results: of all, or else of some.
  void ReplaceResults(size_t f, const ir::Op& op) {
    const std::vector<ir::Literal> values = ValuesOf(f, op);
    if (values.empty()) return;
    for (const bool as_parameter : {false, true}) {
      if (as_parameter && f != 0) return;
      const auto replace = [&](RandomProgram& p, size_t i) {
        ir::Function& function = p.module.functions[f];
        if (!as_parameter) {
          const ValueId id = InsertConstant(function, *FindOp(function, op.results[0]), values[i]);
          ReplaceUses(function, op.results[i], id);
          return;
        }
        const auto id = static_cast<ValueId>(function.value_types.size());
        function.value_types.emplace_back(values[i].type());
        function.body.parameters.push_back(id);
        p.arguments.push_back(values[i]);
        ReplaceUses(function, op.results[i], id);
      };
      const auto all = [&](RandomProgram& p) {
        for (size_t i = 0; i < op.results.size(); ++i) replace(p, i);
        return true;
      };
      if (Try(all)) return;
      if (op.results.size() == 1 || as_parameter) continue;
      // The first names the op, so it goes last.
      for (size_t i = op.results.size(); i-- > 0;) {
        const auto one = [&](RandomProgram& p) {
          const auto position = FindOp(p.module.functions[f], op.results[0]);
          if (!position.has_value() || i >= position->op().results.size()) return false;
          replace(p, i);
          return DropResult(FindOp(p.module.functions[f], op.results[0])->op(), i);
        };
        if (Try(one) && i == 0) return;
      }
    }
  }

  // What stands for the op's results; none where one is no tensor.
  std::vector<ir::Literal> ValuesOf(size_t f, const ir::Op& op) const {
    const std::vector<ir::Type> types = program_.module.functions[f].TypesOf(op.results);
    for (const ir::Type& type : types) {
      if (!type.IsTensor()) return {};
    }
    const auto at_top = [&] {
      return std::any_of(entry().ops.begin(), entry().ops.end(),
                         [&](const ir::Op& other) { return other.results == op.results; });
    };
    if (f == 0 && at_top()) {
      ir::Module module = program_.module;
      module.functions[0].body.results = op.results;
      auto values = ir::Interpret(module, module.functions[0].name, program_.arguments);
      if (values.ok()) return *std::move(values);
    }
    Dice dice(op.results[0]);
    std::vector<ir::Literal> values;
    for (const ir::Type& type : types) values.push_back(RandomLiteral(dice, type.tensor()));
    return values;
  }

  void ShrinkSignature(size_t f) {
    for (size_t i = program_.module.functions[f].body.results.size(); i-- > 0;) {
      Try([&](RandomProgram& p) {
        DropFunctionResult(p.module, p.module.functions[f], i);
        return true;
      });
    }
    for (size_t i = program_.module.functions[f].body.parameters.size(); i-- > 0;) {
      Try([&](RandomProgram& p) {
        DropFunctionParameter(p.module, p.module.functions[f], i);
        return true;
      });
    }
  }

  // Parameters of the entry that are not used go; others become constants.
  void ShrinkParameters() {
    for (size_t i = entry().parameters.size(); i-- > 0;) {
      const auto without = [&](RandomProgram& p, bool as_constant) {
        ir::Function& function = p.module.functions[0];
        const ValueId id = function.body.parameters[i];
        if (as_constant) {
          if (function.body.ops.empty()) return false;
          const ValueId constant =
              InsertConstant(function, {&function.body, 0}, std::move(p.arguments[i]));
          ReplaceUses(function, id, constant);
        }
        function.body.parameters.erase(function.body.parameters.begin() +
                                       static_cast<std::ptrdiff_t>(i));
        p.arguments.erase(p.arguments.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
      };
      if (Try([&](RandomProgram& p) { return without(p, false); })) continue;
      Try([&](RandomProgram& p) { return without(p, true); });
    }
  }

  RandomProgram program_;
  const StillFails& still_fails_;
  int64_t trials_left_;
};

}  // namespace

RandomProgram ShrinkProgram(RandomProgram program, const StillFails& still_fails,
                            int64_t max_trials) {
  return Shrinker(std::move(program), still_fails, max_trials).Run();
}

}  // namespace acceld::compiler
