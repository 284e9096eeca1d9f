#include "kernels/cpu/emit/nests/widen_products.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "kernels/cpu/emit/nests/accumulations.h"
#include "kernels/ir/build/statement_writer.h"

namespace acceld::kernels::cpu {
namespace {

using Kind = ForStatement::Kind;

class Widener {
 public:
  explicit Widener(Kernel& kernel) : kernel_(kernel), w_(kernel) {}

  void Run() {
    FindScratch(kernel_.body);
    kernel_.body = Rewrite(kernel_.body);
    for (const uint32_t buffer : scratch_) {
      kernel_.scratch[buffer - kernel_.buffers.size()].dtype = DType::kF64;
    }
  }

 private:
  // Finds the f32 scratch arrays whose elements a reduction or a scan multiplies in a loop over
  // them.
  void FindScratch(const Block& block, bool in_reduction = false) {
    for (const Statement& statement : block) {
      if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
        FindScratch(branch->then_body, in_reduction);
        FindScratch(branch->else_body, in_reduction);
      }
      const auto* loop = std::get_if<ForStatement>(&statement.value);
      if (loop == nullptr) continue;
      const bool reduces = loop->kind == Kind::kReduction || loop->kind == Kind::kScan;
      FindScratch(loop->body, in_reduction || reduces);
      if (in_reduction && !reduces && loop->carried.empty()) FindScratchIn(*loop);
    }
  }

  void FindScratchIn(const ForStatement& loop) {
    for (const ColumnStep& step : FindColumnSteps(kernel_, loop)) {
      if (step.op != ScalarOp::kMultiply || kernel_.Buffer(step.scratch).dtype != DType::kF32) {
        continue;
      }
      scratch_.insert(step.scratch);
      products_.insert(step.result);
    }
  }

  Block Rewrite(Block block) {
    w_.Open();
    for (Statement& statement : block) {
      std::visit([this](auto& one) { Visit(one); }, statement.value);
    }
    return w_.Take();
  }

  void Visit(ConstantStatement& constant) { w_.Append({constant}); }

  void Visit(ScalarStatement& scalar) {
    if (!products_.contains(scalar.result)) return w_.Append({std::move(scalar)});
    const Var a = Wide(scalar.operands[0]), b = Wide(scalar.operands[1]);
    Narrow(w_.Apply(ScalarOp::kMultiply, a, b), scalar.result);
  }

  void Visit(LoadStatement& load) {
    if (!scratch_.contains(load.buffer)) return w_.Append({load});
    const Var wide = w_.NewVar(DType::kF64);
    w_.Append({LoadStatement{wide, load.buffer, load.index}});
    Narrow(wide, load.result);
  }

  void Visit(StoreStatement& store) {
    if (scratch_.contains(store.buffer)) store.value = Wide(store.value);
    w_.Append({store});
  }

  void Visit(ForStatement& loop) {
    const std::vector<size_t> products = ProductsOf(loop);
    std::vector<Var> currents, results;  // the variables that hold these values as f32
    for (const size_t i : products) {
      CarriedValue& carried = loop.carried[i];
      carried.initial = Wide(carried.initial);
      currents.push_back(std::exchange(carried.current, w_.NewVar(DType::kF64)));
      results.push_back(std::exchange(carried.result, w_.NewVar(DType::kF64)));
    }
    w_.Open();
    for (size_t k = 0; k < products.size(); ++k) {
      Narrow(loop.carried[products[k]].current, currents[k]);
    }
    for (Statement& statement : loop.body) {
      std::visit([this](auto& one) { Visit(one); }, statement.value);
    }
    for (const size_t i : products) loop.carried[i].next = Wide(loop.carried[i].next);
    loop.body = w_.Take();
    w_.Append({loop});
    for (size_t k = 0; k < products.size(); ++k) {
      Narrow(loop.carried[products[k]].result, results[k]);
    }
  }

  void Visit(WhileStatement& loop) {
    loop.condition_body = Rewrite(std::move(loop.condition_body));
    loop.body = Rewrite(std::move(loop.body));
    w_.Append({std::move(loop)});
  }

  void Visit(IfStatement& branch) {
    branch.then_body = Rewrite(std::move(branch.then_body));
    branch.else_body = Rewrite(std::move(branch.else_body));
    w_.Append({std::move(branch)});
  }

  // The carried values that are products of f32.
  std::vector<size_t> ProductsOf(const ForStatement& loop) {
    std::vector<size_t> products;
    if (loop.kind != Kind::kReduction && loop.kind != Kind::kScan) return products;
    const auto found = FindAccumulations(kernel_, loop);
    for (size_t i = 0; i < found.size(); ++i) {
      if (!found[i].has_value() || found[i]->op != ScalarOp::kMultiply ||
          kernel_.TypeOf(loop.carried[i].next) != DType::kF32) {
        continue;
      }
      products.push_back(i);
      for (const Accumulation::Step& step : found[i]->steps) products_.insert(step.result);
    }
    return products;
  }

  // Converts `wide` to the f32 variable `name`.
  void Narrow(Var wide, Var name) {
    widened_[name] = wide;
    w_.Append({ScalarStatement{name, ScalarOp::kConvert, {wide}}});
  }

  // Returns `var` as f64.
  Var Wide(Var var) {
    if (kernel_.TypeOf(var) == DType::kF64) return var;
    if (const auto found = widened_.find(var); found != widened_.end()) return found->second;
    const Var wide = w_.NewVar(DType::kF64);
    w_.Append({ScalarStatement{wide, ScalarOp::kConvert, {var}}});
    return wide;
  }

  Kernel& kernel_;
  StatementWriter w_;
  absl::flat_hash_set<uint32_t> scratch_;
  absl::flat_hash_set<Var> products_;  // results of multiplications that are to be computed as f64
  absl::flat_hash_map<Var, Var> widened_;  // f32 values that also exist as f64
};

}  // namespace

Kernel WidenProducts(Kernel kernel) {
  Widener(kernel).Run();
  return kernel;
}

}  // namespace acceld::kernels::cpu
