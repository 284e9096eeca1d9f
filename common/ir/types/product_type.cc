#include "common/ir/types/product_type.h"

namespace acceld::ir {
namespace {

// Signed and unsigned integers are one class here.
int RankOf(DType dtype) {
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
      return 0;
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return 1;
    case DTypeClass::kFloat:
      return 2;
    case DTypeClass::kComplex:
      return 3;
  }
  return 0;
}

}  // namespace

DType ProductTypeOf(DType lhs, DType rhs, DType result) {
  const int lhs_rank = RankOf(lhs), rhs_rank = RankOf(rhs), result_rank = RankOf(result);
  if (result_rank >= lhs_rank && result_rank >= rhs_rank) return result;
  if (lhs_rank != rhs_rank) return lhs_rank > rhs_rank ? lhs : rhs;
  if (lhs == rhs || BitsOf(lhs) > BitsOf(rhs)) return lhs;
  if (BitsOf(lhs) < BitsOf(rhs)) return rhs;
  // Neither of two formats of the same width has all values of the other. For integers, the bits of
  // the sum are the same for either type.
  return IsFloat(lhs) ? DType::kF32 : lhs;
}

DType AccumulationTypeOf(DType lhs, DType rhs, DType result) {
  const DType product = ProductTypeOf(lhs, rhs, result);
  if (!IsFloat(product)) return product;
  const bool is_wide = product == DType::kF64 || lhs == DType::kF64 || rhs == DType::kF64;
  return is_wide ? DType::kF64 : DType::kF32;
}

}  // namespace acceld::ir
