#include "common/ir/transform/batching.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/ir/op_table.h"
#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/counted_loop.h"

namespace acceld::ir {
namespace {

using Rule = absl::Status (*)(Batching&);
constexpr OpTable<Rule> kRules = {
#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family) \
  {OpKind::k##Kind, Batch##Kind},
#include "common/ir/ops.def"
};

}  // namespace

ValueId ForAll(Emitter& e, ValueId value, int64_t size) {
  if (!e.ok()) return 0;
  Dims dims = e.TypeOf(value).dims;
  std::vector<int64_t> dimensions;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) dimensions.push_back(d + 1);
  dims.insert(dims.begin(), size);
  return e.Broadcast(value, dims, std::move(dimensions));
}

FunctionBatching::FunctionBatching(Batcher& batcher, const Function& source, const Mask& batched)
    : batcher_(batcher),
      source_(source),
      builder_(source.name, /*is_public=*/false),
      is_batched_(source.value_types.size()) {
  const std::vector<ValueId>& parameters = source.body.parameters;
  ACCELD_CHECK(batched.size() == parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Type& type = source.TypeOf(parameters[i]);
    Set(parameters[i], builder_.AddParameter(batched[i] ? BatchedType(type.tensor()) : type),
        batched[i]);
  }
}

Mask FunctionBatching::BatchedOf(absl::Span<const ValueId> ids) const {
  Mask batched;
  for (const ValueId id : ids) batched.push_back(IsBatched(id));
  return batched;
}

std::vector<ValueId> FunctionBatching::ValuesOf(absl::Span<const ValueId> ids) const {
  std::vector<ValueId> values;
  for (const ValueId id : ids) values.push_back(ValueOf(id));
  return values;
}

TensorType FunctionBatching::BatchedType(const TensorType& type) const {
  TensorType batched = type;
  batched.dims.insert(batched.dims.begin(), size());
  return batched;
}

absl::StatusOr<BatchedFunction> FunctionBatching::Run() {
  const auto is_batched = [this](ValueId id) { return IsBatched(id); };
  for (const Op& op : source_.body.ops) {
    const std::vector<ValueId> captures = CapturesOf(op.regions);
    if (!std::any_of(op.operands.begin(), op.operands.end(), is_batched) &&
        !std::any_of(captures.begin(), captures.end(), is_batched)) {
      builder_.Clone(op, source_, value_of_);
      continue;
    }
    Batching batching(*this, op);
    ACCELD_RETURN_IF_ERROR(kRules[op.kind](batching));
    ACCELD_RETURN_IF_ERROR(batching.emit.status());
  }
  Mask batched = BatchedOf(source_.body.results);
  return BatchedFunction{builder_.Finish(ValuesOf(source_.body.results)), std::move(batched)};
}

std::vector<ValueId> Batching::BatchedOperands() {
  std::vector<ValueId> operands;
  for (size_t i = 0; i < num_operands(); ++i) operands.push_back(BatchedOperand(i));
  return operands;
}

bool Batching::RegionsCaptureBatched() const {
  const std::vector<ValueId> captures = CapturesOf(op_.regions);
  return std::any_of(captures.begin(), captures.end(),
                     [this](ValueId id) { return function_.IsBatched(id); });
}

void Batching::SetOpWithRegions(std::vector<ValueId> operands, OpAttributes attributes) {
  absl::flat_hash_map<ValueId, ValueId> values;
  for (const ValueId id : CapturesOf(op_.regions)) values[id] = function_.ValueOf(id);
  std::vector<Region> regions;
  for (const Region& region : op_.regions) {
    regions.push_back(function_.builder().CloneRegion(region, function_.source(), values));
  }
  const std::vector<ValueId> results = emit.OpWithRegions(
      op_.kind, std::move(operands), std::move(attributes), std::move(regions), op_.results.size());
  for (size_t i = 0; i < results.size(); ++i) SetResult(results[i], i);
}

absl::Status Batching::OneByOne() {
  const std::vector<ValueId> captures = CapturesOf(op_.regions);
  std::vector<ValueId> outside = op_.operands;
  outside.insert(outside.end(), captures.begin(), captures.end());
  std::vector<ValueId> stacks;
  for (size_t i = 0; i < op_.results.size(); ++i) {
    if (!function_.source().TypeOf(op_.results[i]).IsTensor()) {
      return Refuse("it has a result that is no tensor");
    }
    stacks.push_back(EmptyStack(emit, result_type(i), size()));
  }
  const std::vector<ValueId> results = CountedLoop(
      emit, function_.builder(), size(), DType::kI32, stacks,
      [&](ValueId example, const std::vector<ValueId>& written) {
        absl::flat_hash_map<ValueId, ValueId> values;
        for (const ValueId id : outside) {
          const ValueId value = function_.ValueOf(id);
          values[id] = function_.IsBatched(id) ? ReadStack(emit, value, example) : value;
        }
        if (!emit.ok()) return written;
        function_.builder().Clone(op_, function_.source(), values);
        std::vector<ValueId> next;
        for (size_t i = 0; i < written.size(); ++i) {
          next.push_back(WriteStack(emit, written[i], example, values[op_.results[i]]));
        }
        return next;
      });
  for (size_t i = 0; i < results.size(); ++i) SetResult(results[i], i);
  return absl::OkStatus();
}

absl::Status Batching::Refuse(absl::string_view why) const {
  return absl::InvalidArgumentError(absl::StrCat(NameOf(op_.kind), " cannot be batched: ", why));
}

}  // namespace acceld::ir
