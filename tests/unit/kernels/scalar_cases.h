#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/ir/kernel.h"

// Every scalar operation and every conversion on edge values, with what the plain C++ evaluation of
// scalar operations (run_scalar.h) gives: for code generators to agree with.
namespace acceld::kernels {

inline constexpr DType kIntegerTypes[] = {DType::kI2,  DType::kI4,   DType::kI8,   DType::kI16,
                                          DType::kI32, DType::kI64,  DType::kUI2,  DType::kUI4,
                                          DType::kUI8, DType::kUI16, DType::kUI32, DType::kUI64};
inline constexpr DType kFloatTypes[] = {DType::kF4E2M1FN,   DType::kF6E2M3FN,      DType::kF6E3M2FN,
                                        DType::kF8E3M4,     DType::kF8E4M3,        DType::kF8E4M3FN,
                                        DType::kF8E4M3FNUZ, DType::kF8E4M3B11FNUZ, DType::kF8E5M2,
                                        DType::kF8E5M2FNUZ, DType::kF8E8M0FNU,     DType::kF16,
                                        DType::kBF16,       DType::kF32,           DType::kF64};

struct ScalarCase {
  std::string name;
  Kernel kernel;                                // from `arguments` to one result
  std::vector<std::string> arguments;           // bytes
  std::vector<std::vector<uint64_t>> operands;  // the same as bits
  std::vector<uint64_t> expected;
  DType result_dtype = DType::kF32;
  double tolerance = 0;  // relative
};

std::vector<ScalarCase> ConversionCases(DType from);
std::vector<ScalarCase> IntegerCases(DType dtype);
// f32 or f64.
std::vector<ScalarCase> FloatCases(DType dtype);
std::vector<ScalarCase> BoolCases();
std::vector<ScalarCase> BitcastCases();
// Products that are rounded with the sum or difference that takes them, and such that are not, for
// targets that fuse them. f32 or f64.
std::vector<ScalarCase> ContractionCases(DType dtype);

// Fails the running test for each element of `result` that is not as expected.
void ExpectAgrees(const ScalarCase& one, const std::string& result);

}  // namespace acceld::kernels
