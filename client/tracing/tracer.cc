#include "client/tracing/tracer.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/tracing/ops/shapes.h"
#include "common/check.h"

namespace acceld::client {

namespace {

// The open tracers of this thread, the innermost one last.
std::vector<Tracer*>& OpenTracers() {
  thread_local std::vector<Tracer*> open;
  return open;
}

// Whether the place is in the library: then the operation is part of another one. A template of the
// library is compiled with its users, from the source or from where the headers are installed.
bool IsInLibrary(const std::source_location& location) {
  static const absl::string_view kThisFile = std::source_location::current().file_name();
  static const absl::string_view kFolder = kThisFile.substr(0, kThisFile.rfind('/') + 1);
  constexpr absl::string_view kInstalledFolder = "/include/acceld/client/tracing/";
  const absl::string_view file = location.file_name();
  return absl::StartsWith(file, kFolder) || absl::StrContains(file, kInstalledFolder);
}

}  // namespace

Tracer::Scope::Scope(const std::string& name, std::shared_ptr<Tracer> parent)
    : tracer_(new Tracer(name, std::move(parent))) {
  ACCELD_CHECK(tracer_->parent_ == nullptr || OpenTracers().back() == tracer_->parent_.get());
  OpenTracers().push_back(tracer_.get());
}

Tracer::Scope::~Scope() {
  ACCELD_CHECK(!OpenTracers().empty() && OpenTracers().back() == tracer_.get());
  OpenTracers().pop_back();
}

std::shared_ptr<Tracer> Tracer::Current() {
  return OpenTracers().empty() ? nullptr : OpenTracers().back()->shared_from_this();
}

std::shared_ptr<Tracer> Tracer::At(const std::source_location& location) {
  std::shared_ptr<Tracer> tracer = Current();
  if (tracer != nullptr && !IsInLibrary(location)) tracer->program_->location = location;
  return tracer;
}

std::shared_ptr<Tracer> Tracer::Of(std::initializer_list<const Operand*> operands) {
  for (const Operand* operand : operands) {
    if (!IsInLibrary(operand->location())) return At(operand->location());
  }
  return Current();
}

ir::Location Tracer::location() {
  const std::source_location& place = program_->location;
  if (place.line() == 0) return {};
  const auto [entry, is_new] =
      program_->locations.try_emplace({place.file_name(), place.line()}, 0);
  if (is_new) {
    std::vector<std::string>& texts = program_->module.source_locations;
    texts.push_back(absl::StrCat(place.file_name(), ":", place.line()));
    entry->second = static_cast<uint32_t>(texts.size());
  }
  return {.index = entry->second};
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

Tensor Tracer::Emit(ir::OpKind kind, const std::vector<Tensor>& operands,
                    ir::OpAttributes attributes, absl::optional<ir::TensorType> declared) {
  absl::StatusOr<std::vector<ir::ValueId>> values = Values(operands);
  if (!values.ok()) return Fail(values.status());
  std::vector<ir::Type> types;
  if (declared) types.emplace_back(*declared);
  absl::StatusOr<ir::ValueId> result =
      builder_.AddOne(kind, *std::move(values), std::move(attributes), types, location());
  return result.ok() ? Make(*result) : Fail(result.status());
}

std::vector<Tensor> Tracer::EmitAll(ir::OpKind kind, const std::vector<Tensor>& operands,
                                    ir::OpAttributes attributes, std::vector<ir::Region> regions,
                                    size_t count) {
  absl::StatusOr<std::vector<ir::ValueId>> values = Values(operands);
  if (values.ok()) {
    values = builder_.Add(kind, *std::move(values), std::move(attributes), std::move(regions), {},
                          location());
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

ir::Region Tracer::Reducer(ir::OpKind kind, ir::DType dtype) {
  const ir::TensorType scalar{dtype, {}};
  const std::vector<ir::ValueId> parameters = builder_.BeginRegion({scalar, scalar});
  const absl::StatusOr<ir::ValueId> combined = builder_.AddOne(kind, parameters);
  if (!combined.ok()) Fail(combined.status());
  return builder_.EndRegion({combined.ok() ? *combined : parameters[0]});
}

Tensor Tracer::Fail(const absl::Status& status) {
  if (program_->status.ok()) {
    const std::source_location& place = program_->location;
    program_->status =
        place.line() == 0
            ? status
            : absl::Status(status.code(), absl::StrCat(status.message(), " (", place.file_name(),
                                                       ":", place.line(), ")"));
  }
  return Make(builder_.Constant(ir::Literal()));
}

Tensor Tracer::Fail(absl::string_view operation, absl::string_view what) {
  return Fail(ShapeError(operation, what));
}

Tensor Tracer::BadNumber() { return std::numeric_limits<double>::quiet_NaN(); }

Tensor Tracer::InTrace(const Tensor& tensor, ir::DType dtype) {
  return IsNumber(tensor) ? Fill(Number(tensor), {dtype, {}}) : tensor;
}

std::pair<Tensor, Tensor> Tracer::BroadcastTogether(absl::string_view operation, const Tensor& a,
                                                    const Tensor& b) {
  if (IsNumber(a) && IsNumber(b)) return {InTrace(a), InTrace(b)};
  if (IsNumber(a)) return {Fill(Number(a), b.type()), b};
  if (IsNumber(b)) return {a, Fill(Number(b), a.type())};
  absl::StatusOr<ir::Dims> shape = BroadcastShapes(operation, a.shape(), b.shape());
  if (!shape.ok()) {
    const Tensor failed = Fail(shape.status());
    return {failed, failed};
  }
  return {BroadcastTo(a, *shape), BroadcastTo(b, *shape)};
}

absl::Status ShapeError(absl::string_view operation, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(operation, ": ", what));
}

absl::StatusOr<ir::Dims> BroadcastShapes(absl::string_view operation, absl::Span<const int64_t> a,
                                         absl::Span<const int64_t> b) {
  const size_t rank = std::max(a.size(), b.size());
  ir::Dims shape(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t from_a = i < a.size() ? a[a.size() - 1 - i] : 1;
    const int64_t from_b = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) {
      return ShapeError(operation, absl::StrCat("shapes ", ShapeText(a), " and ", ShapeText(b),
                                                " do not combine"));
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

absl::StatusOr<Axes> NormalAxes(absl::string_view operation, const Axes& axes, int64_t rank) {
  Axes normal;
  for (const int64_t axis : axes) {
    ACCELD_ASSIGN_OR_RETURN(normal.emplace_back(), NormalAxis(operation, axis, rank));
    if (std::find(normal.begin(), normal.end() - 1, normal.back()) != normal.end() - 1) {
      return ShapeError(operation, absl::StrCat("axis ", axis, " is named twice"));
    }
  }
  return normal;
}

std::string ShapeText(absl::Span<const int64_t> dims) {
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]");
}

}  // namespace acceld::client
