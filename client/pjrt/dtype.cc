#include "client/pjrt/dtype.h"

#include "absl/strings/str_cat.h"

namespace acceld::pjrt {

PJRT_Buffer_Type ToPjrt(ir::DType dtype) {
  switch (dtype) {
    case ir::DType::kI1:
      return PJRT_Buffer_Type_PRED;
    case ir::DType::kI2:
      return PJRT_Buffer_Type_S2;
    case ir::DType::kI4:
      return PJRT_Buffer_Type_S4;
    case ir::DType::kI8:
      return PJRT_Buffer_Type_S8;
    case ir::DType::kI16:
      return PJRT_Buffer_Type_S16;
    case ir::DType::kI32:
      return PJRT_Buffer_Type_S32;
    case ir::DType::kI64:
      return PJRT_Buffer_Type_S64;
    case ir::DType::kUI2:
      return PJRT_Buffer_Type_U2;
    case ir::DType::kUI4:
      return PJRT_Buffer_Type_U4;
    case ir::DType::kUI8:
      return PJRT_Buffer_Type_U8;
    case ir::DType::kUI16:
      return PJRT_Buffer_Type_U16;
    case ir::DType::kUI32:
      return PJRT_Buffer_Type_U32;
    case ir::DType::kUI64:
      return PJRT_Buffer_Type_U64;
    case ir::DType::kF4E2M1FN:
      return PJRT_Buffer_Type_F4E2M1FN;
    case ir::DType::kF6E2M3FN:
      return PJRT_Buffer_Type_F6E2M3FN;
    case ir::DType::kF6E3M2FN:
      return PJRT_Buffer_Type_F6E3M2FN;
    case ir::DType::kF8E3M4:
      return PJRT_Buffer_Type_F8E3M4;
    case ir::DType::kF8E4M3:
      return PJRT_Buffer_Type_F8E4M3;
    case ir::DType::kF8E4M3FN:
      return PJRT_Buffer_Type_F8E4M3FN;
    case ir::DType::kF8E4M3FNUZ:
      return PJRT_Buffer_Type_F8E4M3FNUZ;
    case ir::DType::kF8E4M3B11FNUZ:
      return PJRT_Buffer_Type_F8E4M3B11FNUZ;
    case ir::DType::kF8E5M2:
      return PJRT_Buffer_Type_F8E5M2;
    case ir::DType::kF8E5M2FNUZ:
      return PJRT_Buffer_Type_F8E5M2FNUZ;
    case ir::DType::kF8E8M0FNU:
      return PJRT_Buffer_Type_F8E8M0FNU;
    case ir::DType::kF16:
      return PJRT_Buffer_Type_F16;
    case ir::DType::kBF16:
      return PJRT_Buffer_Type_BF16;
    case ir::DType::kF32:
      return PJRT_Buffer_Type_F32;
    case ir::DType::kF64:
      return PJRT_Buffer_Type_F64;
    case ir::DType::kC64:
      return PJRT_Buffer_Type_C64;
    case ir::DType::kC128:
      return PJRT_Buffer_Type_C128;
  }
  return PJRT_Buffer_Type_INVALID;
}

absl::StatusOr<ir::DType> FromPjrt(PJRT_Buffer_Type type) {
  for (int i = 0; i < ir::kNumDTypes; ++i) {
    const auto dtype = static_cast<ir::DType>(i);
    if (ToPjrt(dtype) == type) return dtype;
  }
  return absl::UnimplementedError(
      absl::StrCat("PJRT's buffer type ", static_cast<int>(type), " is not supported by acceld"));
}

}  // namespace acceld::pjrt
