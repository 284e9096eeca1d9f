#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/ir/types/type.h"
#include "common/status.h"

// Calls of the routines of routines.def: what is computed, without places and without a target.
// Plain values.
namespace acceld::kernels {

enum class Routine : uint8_t {
#define ACCELD_ROUTINE(Kind, name, signature, parameters) k##Kind,
#include "kernels/ir/routines.def"
};

inline constexpr int kNumRoutines = 0
#define ACCELD_ROUTINE(Kind, name, signature, parameters) +1
#include "kernels/ir/routines.def"
    ;

absl::string_view NameOf(Routine routine);
absl::optional<Routine> ParseRoutine(absl::string_view name);

struct RoutineCall {
  Routine routine = Routine::kCholesky;
  std::vector<int64_t> parameters;  // in the order of routines.def
  std::vector<ir::TensorType> operands, results;
};

// How many leading dimensions of the operands and results count items of a batch. Only for calls
// that CheckRoutine accepts.
int64_t BatchRankOf(const RoutineCall& call);

// INVALID_ARGUMENT when the types of a call do not fit its routine, or a parameter has a value that
// it cannot have; RESOURCE_EXHAUSTED when a matrix has more than 2^31 - 1 rows or columns, which no
// library takes. Types are static and valid.
absl::Status CheckRoutine(const RoutineCall& call);

// "lu(tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)", with named parameters.
std::string ToString(const RoutineCall& call);

}  // namespace acceld::kernels
