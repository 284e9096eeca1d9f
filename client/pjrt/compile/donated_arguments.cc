#include "client/pjrt/compile/donated_arguments.h"

#include "absl/container/flat_hash_map.h"

namespace acceld::pjrt {

std::vector<uint32_t> DonatedArguments(absl::Span<const ir::Donation> donations,
                                       absl::Span<const ir::TensorType> arguments,
                                       absl::Span<const ir::TensorType> results) {
  absl::flat_hash_map<int64_t, int> free_results;  // by their size in bytes
  for (const ir::TensorType& result : results) ++free_results[result.size_bytes()];
  for (const ir::Donation& donation : donations) {
    if (donation.result.has_value()) --free_results[results[*donation.result].size_bytes()];
  }
  std::vector<uint32_t> donated;
  for (const ir::Donation& donation : donations) {
    if (!donation.result.has_value()) {
      int& free = free_results[arguments[donation.parameter].size_bytes()];
      if (free <= 0) continue;
      --free;
    }
    donated.push_back(donation.parameter);
  }
  return donated;
}

}  // namespace acceld::pjrt
