#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/types/type.h"
#include "common/status.h"

// Calls of the routines of routines.def: a routine, its parameters and the types of its operands
// and results, without buffers and independent of the target. Plain values.
namespace acceld::kernels {

enum class Routine : uint8_t {
#define ACCELD_ROUTINE(Kind, name, signature, parameters) k##Kind,
#include "kernels/ir/routines.def"
};

inline constexpr int kNumRoutines = 0
#define ACCELD_ROUTINE(Kind, name, signature, parameters) +1
#include "kernels/ir/routines.def"
    ;

// The name in routines.def, and the routine with that name; nullopt if there is none.
absl::string_view NameOf(Routine routine);
absl::optional<Routine> ParseRoutine(absl::string_view name);

// A routine, the values of its parameters, and the types of its operands and results, which include
// batch dimensions.
struct RoutineCall {
  Routine routine = Routine::kCholesky;
  std::vector<int64_t> parameters;  // in the order of routines.def
  std::vector<ir::TensorType> operands, results;
};

// The number of leading dimensions of the operands and results that are batch dimensions. Only for
// calls that CheckRoutine accepts.
int64_t BatchRankOf(const RoutineCall& call);

// Checks a call. Returns INVALID_ARGUMENT when the types do not fit the routine or a parameter has
// an invalid value, and RESOURCE_EXHAUSTED when a matrix has more than 2^31 - 1 rows or columns,
// which no library supports. The types must be static and valid.
absl::Status CheckRoutine(const RoutineCall& call);

// For example "cholesky lower=1(tensor<3x3xf32>) -> (tensor<3x3xf32>)".
std::string ToString(const RoutineCall& call);

}  // namespace acceld::kernels
