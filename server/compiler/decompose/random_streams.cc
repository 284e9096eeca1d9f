#include "server/compiler/decompose/random_streams.h"

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/ir/types/element.h"
#include "common/ir/verify/op_error.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;
using ir::ValueId;

const ir::TensorType kWord{ir::DType::kUI64, {}};

// The constants of S. Vigna's generator splitmix64: it scrambles each multiple of kStep.
constexpr uint64_t kStep = 0x9E3779B97F4A7C15;
constexpr uint64_t kFirstFactor = 0xBF58476D1CE4E5B9;
constexpr uint64_t kSecondFactor = 0x94D049BB133111EB;

// Passes the stream's key through one function: adds the operands, parameters and loop-carried
// values. `random` names the functions that draw random numbers.
class Threader {
 public:
  Threader(ir::Function& function, const absl::flat_hash_set<std::string>& random, uint64_t& salt)
      : function_(function), random_(random), salt_(salt) {}

  absl::Status Run(bool is_entry) {
    std::vector<ir::Op> ops;
    ValueId stream;
    if (is_entry) {
      stream = Constant(ops, 0);
    } else {
      stream = NewValue();
      function_.body.parameters.push_back(stream);
    }
    return ThreadRegion(function_.body, std::move(ops), stream);
  }

  bool Holds(const ir::Region& region) const {
    bool holds = false;
    ForEachOp(region, [&](const ir::Op& op) { holds |= IsRandom(op); });
    return holds;
  }

 private:
  bool IsRandom(const ir::Op& op) const {
    return op.kind == OpKind::kRng ||
           (op.kind == OpKind::kCall && random_.contains(op.As<ir::CallAttributes>().callee.name));
  }

  // Rewrites the ops of `region` to use `stream`. `ops` become the first ops of the region.
  absl::Status ThreadRegion(ir::Region& region, std::vector<ir::Op> ops, ValueId stream) {
    for (ir::Op& op : region.ops) {
      if (IsRandom(op)) {
        op.operands.push_back(Salted(ops, stream));
      } else {
        ACCELD_RETURN_IF_ERROR(ThreadOp(op, ops, stream));
      }
      ops.push_back(std::move(op));
    }
    region.ops = std::move(ops);
    return absl::OkStatus();
  }

  absl::Status ThreadOp(ir::Op& op, std::vector<ir::Op>& before, ValueId stream) {
    bool holds = false;
    for (const ir::Region& region : op.regions) holds |= Holds(region);
    if (!holds) return absl::OkStatus();
    if (!IsControlFlow(op.kind)) {
      return ir::AtOp(absl::UnimplementedError(
                          absl::StrCat("stablehlo.rng in the region of ", ir::NameOf(op.kind))),
                      op);
    }
    const bool is_loop = op.kind == OpKind::kWhile;
    for (ir::Region& region : op.regions) {
      if (!is_loop) {
        ACCELD_RETURN_IF_ERROR(ThreadRegion(region, {}, stream));
        continue;
      }
      // The number of the iteration becomes one more loop-carried value.
      std::vector<ir::Op> ops;
      const ValueId iteration = NewValue();
      region.parameters.push_back(iteration);
      const ValueId own =
          Scrambled(ops, Add(ops, Salted(ops, stream), Times(ops, iteration, kStep)));
      ACCELD_RETURN_IF_ERROR(ThreadRegion(region, std::move(ops), own));
      if (&region == &op.regions[1]) {
        region.results.push_back(Add(region.ops, iteration, Constant(region.ops, 1)));
      }
    }
    if (is_loop) {
      op.operands.push_back(Constant(before, 0));
      op.results.push_back(NewValue());
    }
    return absl::OkStatus();
  }

  ValueId NewValue() {
    function_.value_types.emplace_back(kWord);
    return static_cast<ValueId>(function_.value_types.size() - 1);
  }
  ValueId Emit(std::vector<ir::Op>& ops, OpKind kind, std::vector<ValueId> operands,
               ir::OpAttributes attributes = ir::NoAttributes{}) {
    ir::Op op;
    op.kind = kind;
    op.attributes = std::move(attributes);
    op.operands = std::move(operands);
    op.results = {NewValue()};
    ops.push_back(std::move(op));
    return ops.back().results[0];
  }
  ValueId Constant(std::vector<ir::Op>& ops, uint64_t value) {
    return Emit(ops, OpKind::kConstant, {},
                ir::ConstantAttributes{ir::Literal::FromValues<uint64_t>(kWord, {value})});
  }
  ValueId Add(std::vector<ir::Op>& ops, ValueId a, ValueId b) {
    return Emit(ops, OpKind::kAdd, {a, b});
  }
  ValueId Times(std::vector<ir::Op>& ops, ValueId x, uint64_t factor) {
    return Emit(ops, OpKind::kMultiply, {x, Constant(ops, factor)});
  }
  ValueId XorShifted(std::vector<ir::Op>& ops, ValueId x, uint64_t bits) {
    const ValueId shifted = Emit(ops, OpKind::kShiftRightLogical, {x, Constant(ops, bits)});
    return Emit(ops, OpKind::kXor, {x, shifted});
  }
  ValueId Scrambled(std::vector<ir::Op>& ops, ValueId x) {
    x = Times(ops, XorShifted(ops, x, 30), kFirstFactor);
    x = Times(ops, XorShifted(ops, x, 27), kSecondFactor);
    return XorShifted(ops, x, 31);
  }
  // Emits a hash of `stream` that differs for every call of this method in the module.
  ValueId Salted(std::vector<ir::Op>& ops, ValueId stream) {
    return Scrambled(ops, Add(ops, stream, Constant(ops, ++salt_ * kStep)));
  }

  ir::Function& function_;
  const absl::flat_hash_set<std::string>& random_;
  uint64_t& salt_;
};

// Returns the names of the functions that draw random numbers, themselves or through calls.
absl::flat_hash_set<std::string> RandomFunctions(const ir::Module& module) {
  absl::flat_hash_set<std::string> random;
  for (bool grows = true; grows;) {
    grows = false;
    for (const ir::Function& function : module.functions) {
      ForEachOp(function.body, [&](const ir::Op& op) {
        const bool is_random =
            op.kind == OpKind::kRng ||
            (op.kind == OpKind::kCall && random.contains(op.As<ir::CallAttributes>().callee.name));
        if (is_random && random.insert(function.name).second) grows = true;
      });
    }
  }
  return random;
}

}  // namespace

absl::StatusOr<ir::Module> AddRandomStreamKeys(ir::Module module) {
  const absl::flat_hash_set<std::string> random = RandomFunctions(module);
  uint64_t salt = 0;
  for (ir::Function& function : module.functions) {
    if (!random.contains(function.name)) continue;
    Threader threader(function, random, salt);
    ACCELD_RETURN_IF_ERROR(threader.Run(&function == &module.functions.front()));
  }
  return module;
}

}  // namespace acceld::compiler
