#include "common/ir/types/type.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/ir/verify/limits.h"

namespace acceld::ir {

bool TensorType::IsStatic() const {
  for (int64_t dim : dims) {
    if (dim == kDynamicDim) return false;
  }
  return true;
}

int64_t TensorType::num_elements() const {
  int64_t count = 1;
  for (int64_t dim : dims) count *= dim;
  return count;
}

namespace {

std::string TensorText(const Dims& dims, absl::string_view element) {
  std::string text = "tensor<";
  for (int64_t dim : dims) {
    if (dim == kDynamicDim) {
      text += "?x";
    } else {
      absl::StrAppend(&text, dim, "x");
    }
  }
  absl::StrAppend(&text, element, ">");
  return text;
}

}  // namespace

std::string TensorType::ToString() const { return TensorText(dims, DTypeName(dtype)); }

Type Type::Token() {
  Type type;
  type.kind_ = Kind::kToken;
  return type;
}

Type Type::Tuple(std::vector<Type> elements) {
  Type type;
  type.kind_ = Kind::kTuple;
  type.elements_ = std::make_shared<const std::vector<Type>>(std::move(elements));
  return type;
}

const std::vector<Type>& Type::elements() const {
  static const auto* const none = new std::vector<Type>();
  return elements_ == nullptr ? *none : *elements_;
}

Type Type::Quantized(Dims dims, Quantization quantization) {
  Type type;
  type.kind_ = Kind::kQuantized;
  type.tensor_ = {quantization.storage, std::move(dims)};
  type.quantization_ = std::make_shared<const Quantization>(std::move(quantization));
  return type;
}

bool operator==(const Type& a, const Type& b) {
  if (a.kind_ != b.kind_ || a.tensor_ != b.tensor_) return false;
  if (a.elements_ != b.elements_ && a.elements() != b.elements()) return false;
  return a.quantization_ == b.quantization_ || a.quantization() == b.quantization();
}

std::string Type::ToString() const {
  switch (kind_) {
    case Kind::kTensor:
      return tensor_.ToString();
    case Kind::kToken:
      return "!stablehlo.token";
    case Kind::kTuple:
      return absl::StrCat("tuple<", ir::ToString(elements()), ">");
    case Kind::kQuantized:
      return TensorText(tensor_.dims, quantization_->ToString());
  }
  return "";
}

std::string ToString(absl::Span<const Type> types) {
  return absl::StrJoin(types, ", ", [](std::string* out, const Type& type) {
    absl::StrAppend(out, type.ToString());
  });
}

Dims RowMajorStrides(absl::Span<const int64_t> dims) {
  Dims strides(dims.size(), 1);
  for (int64_t i = static_cast<int64_t>(dims.size()) - 2; i >= 0; --i) {
    strides[i] = strides[i + 1] * dims[i + 1];
  }
  return strides;
}

bool IsCompatible(const Type& expected, const Type& actual) {
  if (expected.kind() != actual.kind()) return false;
  switch (expected.kind()) {
    case Type::Kind::kToken:
      return true;
    case Type::Kind::kQuantized:
      if (!(expected.quantization() == actual.quantization())) return false;
      [[fallthrough]];
    case Type::Kind::kTensor: {
      const TensorType& a = expected.tensor();
      const TensorType& b = actual.tensor();
      if (a.dtype != b.dtype || a.rank() != b.rank()) return false;
      for (int64_t i = 0; i < a.rank(); ++i) {
        if (a.dims[i] != b.dims[i] && a.dims[i] != kDynamicDim && b.dims[i] != kDynamicDim) {
          return false;
        }
      }
      return true;
    }
    case Type::Kind::kTuple: {
      if (expected.elements().size() != actual.elements().size()) return false;
      for (size_t i = 0; i < expected.elements().size(); ++i) {
        if (!IsCompatible(expected.elements()[i], actual.elements()[i])) return false;
      }
      return true;
    }
  }
  return false;
}

namespace {

absl::Status ValidateTensor(const TensorType& type) {
  if (type.rank() > limits::kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat("type ", type.ToString(), " has rank ",
                                                   type.rank(), ", above the limit of ",
                                                   limits::kMaxRank));
  }
  // Dimensions of size 0 count as 1, too: strides and partial products must not overflow either.
  int64_t bytes = StorageBytesOf(type.dtype);
  for (int64_t dim : type.dims) {
    if (dim == kDynamicDim) continue;
    if (dim < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("type ", type.ToString(), " has a negative dimension"));
    }
    if (dim > limits::kMaxTensorBytes || (dim > 0 && bytes > limits::kMaxTensorBytes / dim)) {
      return absl::InvalidArgumentError(absl::StrCat("type ", type.ToString(),
                                                     " is larger than the limit of ",
                                                     limits::kMaxTensorBytes, " bytes"));
    }
    if (dim > 0) bytes *= dim;
  }
  return absl::OkStatus();
}

absl::Status ValidateAtDepth(const Type& type, int depth) {
  if (type.kind() == Type::Kind::kTensor) return ValidateTensor(type.tensor());
  if (type.kind() == Type::Kind::kToken) return absl::OkStatus();
  if (type.IsQuantized()) {
    ACCELD_RETURN_IF_ERROR(ValidateTensor(type.tensor()));
    return ValidateQuantization(type.quantization(), type.tensor().dims);
  }
  if (depth >= limits::kMaxDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tuple type is nested deeper than ", limits::kMaxDepth));
  }
  for (const Type& element : type.elements()) {
    ACCELD_RETURN_IF_ERROR(ValidateAtDepth(element, depth + 1));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateType(const Type& type) { return ValidateAtDepth(type, 0); }

}  // namespace acceld::ir
