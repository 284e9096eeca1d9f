#include "common/ir/quantization/quantized_types.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace acceld::ir {
namespace {

// Returns `type` with each quantized tensor replaced by the result of `replace`.
template <typename Replace>
Type Replaced(const Type& type, const Replace& replace) {
  if (type.IsQuantized()) return replace(type);
  if (!HasQuantized(type)) return type;
  std::vector<Type> elements;
  for (const Type& element : type.elements()) elements.push_back(Replaced(element, replace));
  return Type::Tuple(std::move(elements));
}

}  // namespace

bool HasQuantized(const Type& type) { return type.IsQuantized() || HasQuantized(type.elements()); }

bool HasQuantized(absl::Span<const Type> types) {
  return std::any_of(types.begin(), types.end(),
                     [](const Type& type) { return HasQuantized(type); });
}

Type StorageTypeOf(const Type& type) {
  return Replaced(type, [](const Type& quantized) { return Type(quantized.tensor()); });
}

Type ExpressedTypeOf(const Type& type) {
  return Replaced(type, [](const Type& quantized) {
    return Type(TensorType{quantized.quantization().expressed, quantized.tensor().dims});
  });
}

}  // namespace acceld::ir
