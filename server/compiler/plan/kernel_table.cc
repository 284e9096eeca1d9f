#include "server/compiler/plan/kernel_table.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/compiler/passes/cleanup/op_equality.h"

namespace acceld::compiler {
namespace {

// Copies an op into a function of its own, which contains everything that the op's kernels depend
// on. The function's parameters are the op's operands, and the op is its last op. Operands that are
// known constants of one element become constants in the function; their parameters remain, unused.
class Extraction {
 public:
  Extraction(const ir::Function& source, absl::Span<const ir::Literal* const> constants)
      : source_(source), constants_(constants) {}

  absl::StatusOr<ir::Function> Run(const ir::Op& op) {
    out_.name = "op";
    std::vector<ir::ValueId> operands;
    for (ir::ValueId id : op.operands) {
      out_.body.parameters.push_back(NewValue(id));
      operands.push_back(IsNumber(id) ? AddConstant(id) : out_.body.parameters.back());
      map_[id] = operands.back();
    }
    ACCELD_ASSIGN_OR_RETURN(ir::Op copy, Copy(op));
    copy.operands = std::move(operands);
    out_.body.results = copy.results;
    out_.body.ops.push_back(std::move(copy));
    return std::move(out_);
  }

 private:
  ir::ValueId NewValue(ir::ValueId id) {
    out_.value_types.push_back(source_.TypeOf(id));
    return static_cast<ir::ValueId>(out_.value_types.size() - 1);
  }

  absl::StatusOr<std::vector<ir::ValueId>> Map(const std::vector<ir::ValueId>& ids,
                                               const ir::Op& op) const {
    std::vector<ir::ValueId> out;
    for (ir::ValueId id : ids) {
      const auto it = map_.find(id);
      if (it == map_.end()) {
        return absl::UnimplementedError(
            absl::StrCat("'", NameOf(op.kind), "' inside a region uses a value from outside it"));
      }
      out.push_back(it->second);
    }
    return out;
  }

  bool IsNumber(ir::ValueId id) const {
    return constants_[id] != nullptr && constants_[id]->type().num_elements() == 1;
  }

  ir::ValueId AddConstant(ir::ValueId id) {
    const ir::ValueId result = NewValue(id);
    out_.body.ops.push_back(
        {ir::OpKind::kConstant, ir::ConstantAttributes{*constants_[id]}, {}, {result}, {}, {}});
    return result;
  }

  std::vector<ir::ValueId> Define(const std::vector<ir::ValueId>& ids) {
    std::vector<ir::ValueId> out;
    for (ir::ValueId id : ids) out.push_back(map_[id] = NewValue(id));
    return out;
  }

  absl::StatusOr<ir::Op> Copy(const ir::Op& op) {
    ir::Op copy;
    copy.kind = op.kind;
    copy.attributes = op.attributes;
    ACCELD_ASSIGN_OR_RETURN(copy.operands, Map(op.operands, op));
    for (const ir::Region& region : op.regions) {
      ir::Region& inner = copy.regions.emplace_back();
      inner.parameters = Define(region.parameters);
      for (const ir::Op& o : region.ops) {
        ACCELD_ASSIGN_OR_RETURN(ir::Op inner_copy, Copy(o));
        inner.ops.push_back(std::move(inner_copy));
      }
      ACCELD_ASSIGN_OR_RETURN(inner.results, Map(region.results, op));
    }
    copy.results = Define(op.results);
    return copy;
  }

  const ir::Function& source_;
  const absl::Span<const ir::Literal* const> constants_;
  ir::Function out_;
  absl::flat_hash_map<ir::ValueId, ir::ValueId> map_;
};

// Returns the beginning of a kernel's name: "add" for "stablehlo.add", and "fusion_add" for a
// fusion that ends with such an op.
std::string NamePrefix(const ir::Op& op) {
  const absl::string_view name = NameOf(op.kind);
  std::string mnemonic(name.substr(name.find('.') + 1));
  if (op.kind == ir::OpKind::kFusion && !op.regions[0].ops.empty()) {
    return absl::StrCat(mnemonic, "_", NamePrefix(op.regions[0].ops.back()));
  }
  return mnemonic;
}

}  // namespace

absl::StatusOr<const KernelTable::Entry*> KernelTable::Lower(
    const ir::Function& function, const ir::Op& op,
    absl::Span<const ir::Literal* const> constants) {
  ACCELD_ASSIGN_OR_RETURN(ir::Function alone, Extraction(function, constants).Run(op));
  const ir::Op& the_op = alone.body.ops.back();
  std::vector<Known>& bucket = known_[HashComputation(alone, the_op)];
  for (const Known& known : bucket) {
    if (known.function == alone) return &known.entry;
  }
  ACCELD_ASSIGN_OR_RETURN(
      kernels::LoweredOp lowered,
      kernels::Lower(alone, the_op, absl::StrCat(NamePrefix(the_op), "_", next_name_++)));
  Entry entry;
  entry.operands = std::move(lowered.operands);
  entry.in_place_operand = lowered.in_place_operand;
  for (kernels::Kernel& kernel : lowered.kernels) {
    entry.kernels.push_back(static_cast<uint32_t>(kernels_.size()));
    kernels_.push_back(std::move(kernel));
  }
  bucket.push_back({std::move(alone), std::move(entry)});
  return &bucket.back().entry;
}

}  // namespace acceld::compiler
