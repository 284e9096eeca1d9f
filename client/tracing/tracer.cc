#include "client/tracing/tracer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/check.h"

namespace acceld::client {

std::shared_ptr<Tracer> Tracer::Open(const std::string& name, std::shared_ptr<Tracer> parent) {
  ACCELD_CHECK(parent == nullptr || parent->program_->open.back() == parent.get());
  std::shared_ptr<Tracer> tracer(new Tracer(name, std::move(parent)));
  tracer->program_->open.push_back(tracer.get());
  return tracer;
}

void Tracer::Close() {
  ACCELD_CHECK(!program_->open.empty() && program_->open.back() == this);
  program_->open.pop_back();
}

absl::StatusOr<std::vector<ir::ValueId>> Tracer::Values(const std::vector<Tensor>& tensors) {
  std::vector<ir::ValueId> values;
  values.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    if (IsNumber(tensor)) {
      values.push_back(Fill(tensor.number_, {}).value_);
    } else if (tensor.tracer_.get() == this) {
      values.push_back(tensor.value_);
    } else if (IsInside(tensor.tracer_.get())) {
      values.push_back(Capture(tensor));
    } else {
      return absl::InvalidArgumentError("a tensor of another trace; pass it as an argument");
    }
  }
  return values;
}

ir::ValueId Tracer::Capture(const Tensor& tensor) {
  const auto [entry, is_new] = captured_.try_emplace({tensor.tracer_.get(), tensor.value_}, 0);
  if (is_new) {
    const ir::ValueId parameter = builder_.AddParameter(tensor.type());
    entry->second = parameter;
    captures_.push_back(tensor.tracer_ == parent_
                            ? tensor
                            : Tensor(parent_, parent_->Capture(tensor), tensor.type()));
    return parameter;
  }
  return entry->second;
}

Tensor Tracer::Emit(ir::OpKind kind, std::vector<Tensor> operands, ir::OpAttributes attributes,
                    absl::optional<ir::TensorType> declared) {
  absl::StatusOr<std::vector<ir::ValueId>> values = Values(operands);
  if (!values.ok()) return Fail(values.status());
  std::vector<ir::Type> types;
  if (declared) types.emplace_back(*declared);
  absl::StatusOr<ir::ValueId> result =
      builder_.AddOne(kind, *std::move(values), std::move(attributes), types);
  return result.ok() ? Make(*result) : Fail(result.status());
}

std::vector<Tensor> Tracer::EmitAll(ir::OpKind kind, const std::vector<Tensor>& operands,
                                    ir::OpAttributes attributes, std::vector<ir::Region> regions,
                                    size_t count) {
  absl::StatusOr<std::vector<ir::ValueId>> values = Values(operands);
  if (values.ok()) {
    values = builder_.Add(kind, *std::move(values), std::move(attributes), std::move(regions));
  }
  if (!values.ok()) return std::vector<Tensor>(count, Fail(values.status()));
  std::vector<Tensor> results;
  for (ir::ValueId value : *values) results.push_back(Make(value));
  return results;
}

Tensor Tracer::Fill(double number, const ir::TensorType& type) {
  if (absl::Status valid = ir::ValidateType(type); !valid.ok()) return Fail(valid);
  const bool whole = std::isfinite(number) && number == std::trunc(number);
  if (!whole && !ir::IsFloat(type.dtype) && !ir::IsComplex(type.dtype)) {
    return Fail(absl::InvalidArgumentError(
        absl::StrCat("the number ", number, " does not fit ", type.ToString(),
                     std::isnan(number) ? " (an operation on numbers alone?)" : "")));
  }
  return Make(builder_.Constant(ir::Literal::Filled(type, number)));
}

Tensor Tracer::Fail(const absl::Status& status) {
  program_->status.Update(status);
  return Make(builder_.Constant(ir::Literal()));
}

std::shared_ptr<Tracer> Tracer::Of(absl::Span<const Tensor> tensors) {
  for (const Tensor& tensor : tensors) {
    if (IsNumber(tensor)) continue;
    const std::vector<Tracer*>& open = tensor.tracer_->program_->open;
    return open.empty() ? tensor.tracer_ : open.back()->shared_from_this();
  }
  return nullptr;
}

Tensor Tracer::BadNumber() { return std::numeric_limits<double>::quiet_NaN(); }

std::pair<Tensor, Tensor> Tracer::BroadcastTogether(const Tensor& a, const Tensor& b) {
  const std::shared_ptr<Tracer> tracer = Of({a, b});
  if (IsNumber(a)) return {tracer->Fill(Number(a), b.type()), b};
  if (IsNumber(b)) return {a, tracer->Fill(Number(b), a.type())};
  absl::StatusOr<ir::Dims> shape = BroadcastShapes(a.shape(), b.shape());
  if (!shape.ok()) {
    const Tensor failed = tracer->Fail(shape.status());
    return {failed, failed};
  }
  return {BroadcastTo(a, *shape), BroadcastTo(b, *shape)};
}

absl::Status ShapeError(absl::string_view operation, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(operation, ": ", what));
}

absl::StatusOr<ir::Dims> BroadcastShapes(absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
  const size_t rank = std::max(a.size(), b.size());
  ir::Dims shape(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      return ShapeError("broadcast", absl::StrCat("shapes [", absl::StrJoin(a, ","), "] and [",
                                                  absl::StrJoin(b, ","), "] do not combine"));
    }
    shape[rank - 1 - i] = from_a == 1 ? from_b : from_a;
  }
  return shape;
}

absl::StatusOr<int64_t> NormalAxis(absl::string_view operation, int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank) {
    return ShapeError(operation,
                      absl::StrCat("axis ", axis, " of a tensor with ", rank, " dimensions"));
  }
  return axis < 0 ? axis + rank : axis;
}

}  // namespace acceld::client
