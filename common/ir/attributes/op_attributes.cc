#include "common/ir/attributes/op_attributes.h"

#include "common/ir/attributes/sharding.h"

namespace acceld::ir {

absl::string_view NameOf(PrecisionType type) {
  return type.is_tf32 ? "tf32" : DTypeName(type.dtype);
}

const char* const* EnumKeywords(ComparisonDirection) {
  static constexpr const char* kKeywords[] = {"EQ", "NE", "GE", "GT", "LE", "LT", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(ComparisonType) {
  static constexpr const char* kKeywords[] = {"NOTYPE", "FLOAT",    "TOTALORDER",
                                              "SIGNED", "UNSIGNED", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(Reduction) {
  static constexpr const char* kKeywords[] = {"sum", "max", "min", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(Precision) {
  static constexpr const char* kKeywords[] = {"DEFAULT", "HIGH", "HIGHEST", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(RngDistribution) {
  static constexpr const char* kKeywords[] = {"UNIFORM", "NORMAL", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(RngAlgorithm) {
  static constexpr const char* kKeywords[] = {"DEFAULT", "THREE_FRY", "PHILOX", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(FftType) {
  static constexpr const char* kKeywords[] = {"FFT", "IFFT", "RFFT", "IRFFT", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(Transpose) {
  static constexpr const char* kKeywords[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT", nullptr};
  return kKeywords;
}

const char* const* EnumKeywords(FusionKind) {
  static constexpr const char* kKeywords[] = {"loop", "reduction", "matmul", "attention", nullptr};
  return kKeywords;
}

}  // namespace acceld::ir
