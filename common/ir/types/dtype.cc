#include "common/ir/types/dtype.h"

#include "common/check.h"

namespace acceld::ir {
namespace {

struct DTypeInfo {
  absl::string_view name;
  DTypeClass type_class;
  int bits;
  int64_t storage_bytes;
};

constexpr DTypeInfo kInfos[] = {
#define ACCELD_DTYPE(Enum, text, Class, bits, storage_bytes) \
  {text, DTypeClass::k##Class, bits, storage_bytes},
#include "common/ir/types/dtypes.def"
};

const DTypeInfo& InfoOf(DType dtype) { return kInfos[static_cast<int>(dtype)]; }

}  // namespace

absl::string_view DTypeName(DType dtype) { return InfoOf(dtype).name; }

absl::optional<DType> ParseDType(absl::string_view text) {
  for (int i = 0; i < kNumDTypes; ++i) {
    if (kInfos[i].name == text) return static_cast<DType>(i);
  }
  return absl::nullopt;
}

DTypeClass ClassOf(DType dtype) { return InfoOf(dtype).type_class; }
int BitsOf(DType dtype) { return InfoOf(dtype).bits; }
int64_t StorageBytesOf(DType dtype) { return InfoOf(dtype).storage_bytes; }

DType UnsignedOfWidth(int bits) {
  switch (bits) {
    case 1:
      return DType::kI1;
    case 2:
      return DType::kUI2;
    case 4:
      return DType::kUI4;
    case 8:
      return DType::kUI8;
    case 16:
      return DType::kUI16;
    case 32:
      return DType::kUI32;
    case 64:
      return DType::kUI64;
    default:
      ACCELD_CHECK(false);
  }
}

DType RealPartOf(DType dtype) {
  if (dtype == DType::kC64) return DType::kF32;
  if (dtype == DType::kC128) return DType::kF64;
  return dtype;
}

absl::optional<DType> ComplexOf(DType dtype) {
  if (dtype == DType::kF32) return DType::kC64;
  if (dtype == DType::kF64) return DType::kC128;
  return absl::nullopt;
}

}  // namespace acceld::ir
