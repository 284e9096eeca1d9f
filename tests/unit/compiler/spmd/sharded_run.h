#pragma once

#include <string>
#include <vector>

#include "common/ir/calls/host_callback.h"
#include "common/ir/conformance/checks.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "server/compiler/spmd/partition.h"

// Runs partitioned programs with the interpreter, as several processes, and compares them with the
// program that they were made from.
namespace acceld::compiler::spmd {

// Returns the shards of a value, one for each partition. Along unreduced axes they are parts of a
// sum.
std::vector<ir::Literal> Shards(const ir::Literal& value, const ir::Sharding& sharding,
                                const ir::Mesh& mesh);
// The inverse. INVALID_ARGUMENT if processes have different bits of the same element.
absl::StatusOr<ir::Literal> Whole(absl::Span<const ir::Literal> shards, const ir::TensorType& type,
                                  const ir::Sharding& sharding, const ir::Mesh& mesh);

// Returns the results of the whole program, computed by the partitioned one. All replicas get the
// same arguments and must compute the same.
absl::StatusOr<std::vector<ir::Literal>> RunPartitioned(
    const PartitionedProgram& program, const std::vector<ir::Literal>& arguments,
    const std::vector<ir::Type>& results, absl::Span<const ir::HostCallback> callbacks = {});

// What a program computes as a whole, and what the processes of the partitioned one compute. Host
// callback 0 gives its operands back. It is a failure if the processes of a replica call it another
// number of times than the whole program does.
struct PartitionedRun {
  std::string failure;  // why there are no results; otherwise empty
  std::vector<ir::Literal> expected, actual;
  std::string collectives;  // CollectivesOf the partitioned program
  std::string texts;        // of both programs
};
PartitionedRun RunBoth(const ir::Module& module, const std::vector<ir::Literal>& arguments);

// By result: how exactly it must be what is expected.
using CheckRules = std::vector<ir::CheckRule>;
// Equal, and NaN is NaN.
ir::CheckRule Exact();
// For values of about 8 and less, and complex numbers, that depend on the order of sums.
ir::CheckRule Rounded(ir::DType dtype);

// Returns what is wrong, with the texts of both programs, or an empty string.
std::string DifferenceOf(const PartitionedRun& run, const CheckRules& rules);

// How many collectives of each kind a program has: "2 all_gather, 1 all_reduce".
std::string CollectivesOf(const ir::Module& module);

}  // namespace acceld::compiler::spmd
