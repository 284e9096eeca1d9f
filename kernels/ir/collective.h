#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/types/type.h"
#include "common/status.h"

namespace acceld::kernels {

// An exchange of values between the participants of a launch, in which several processes run the
// same plan (common/ir/processes/process_groups.h). This struct has types only, no buffers, and is
// independent of the target. Types are static and valid; all participants have the same ones. Plain
// value.
struct Collective {
  enum class Kind : uint8_t {
    kAllGather,      // operands of the members one behind the other along `dimension`
    kAllReduce,      // the combination of the operands of all members
    kAllToAll,       // parts of the operands of all members: part i goes to member i
    kBroadcast,      // the operand of the first member; zeros for participants without a group
    kPermute,        // the operand of another participant; zeros for those that none sends to
    kReduceScatter,  // as kAllReduce, of which member i gets part i along `dimension`
  };
  // How elements are combined. Logical operations are of i1 and integers; sums and products of i1
  // are or and and. Complex numbers are only added.
  enum class Combiner : uint8_t { kAdd, kMultiply, kMinimum, kMaximum, kAnd, kOr, kXor };

  Kind kind = Kind::kAllReduce;
  Combiner combiner = Combiner::kAdd;  // of kAllReduce and kReduceScatter
  // Of kAllGather and kReduceScatter; the dimension along which kAllToAll divides operands.
  int64_t dimension = 0;
  int64_t concat_dimension = 0;  // along which kAllToAll puts parts together
  // Of kAllReduce and kReduceScatter: by this the combined elements are multiplied, after they were
  // rounded to their type, which represents this number exactly. For targets that can do it
  // (codegen::Target::ScalesCollectives).
  absl::optional<double> factor;
  // The numbers of the members of each group, in their order; for kPermute a (source, target) pair
  // each. Each participant is in one group at most, and only those of kBroadcast and kPermute may
  // be in none.
  std::vector<std::vector<int64_t>> groups;
  std::vector<ir::TensorType> operands, results;  // as many results as operands
  friend bool operator==(const Collective&, const Collective&) = default;
};

// For example "all_reduce add {0, 1} {2, 3} (tensor<2xf32>) -> (tensor<2xf32>)".
std::string ToString(const Collective& collective);
// Returns the name of the op: "all_reduce".
const char* NameOf(Collective::Kind kind);

// Whether elements of the dtype can be combined so.
bool CanCombine(Collective::Combiner combiner, ir::DType dtype);

// Whether combined elements of the dtype can be multiplied by a factor.
bool CanScale(ir::DType dtype);

// INVALID_ARGUMENT, with the name of the op, unless the types, the groups, the combiner and the
// factor fit together: no number of a member is negative or stands twice, the groups of kAllGather,
// kAllToAll and kReduceScatter have equal sizes, and each result has the type that follows from its
// operand. The types must be static and valid. How many participants there are is not known here.
absl::Status CheckCollective(const Collective& collective);

}  // namespace acceld::kernels
