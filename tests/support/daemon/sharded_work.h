#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "client/client.h"
#include "common/status.h"

// Programs over several devices, for tests of whole daemons.
namespace acceld::testing {

// Arrays by participant, and then by argument or result.
using Shards = std::vector<std::vector<client::Array>>;

// A module for this many partitions, whose mesh @m has one axis "x".
std::string PartitionedText(int partitions, absl::string_view functions);
// f32[8] -> f32[8], both divided evenly among 2, 4 or 8 partitions: adds the sum of all elements to
// each.
std::string AddSumText(int partitions);
// f32[8] -> f32[8] likewise: exchanges values forever if no element is negative.
std::string EndlessExchangeText(int partitions);

// Uploads the shards of 1, 2, ... 8 to these devices.
absl::StatusOr<Shards> UploadShards(client::Client& client, const std::vector<uint32_t>& devices);
// INTERNAL unless these are the results of AddSumText for those shards; or the error of one.
absl::Status CheckSums(const Shards& results);

// One client's executions on all the devices of a daemon, two or four at a time and in any order:
// chains of sums, of which the results are checked, and endless ones, which are cancelled. One
// thread.
class ShardedWork {
 public:
  // The daemon must have four devices or more.
  ShardedWork(std::shared_ptr<client::Client> client, uint32_t seed);

  // Executes something and blocks for its results. INTERNAL when one is wrong, otherwise the error
  // of what should have succeeded.
  absl::Status Step();

  uint64_t operations() const { return operations_; }

 private:
  absl::Status AddSums(const std::vector<uint32_t>& devices);
  absl::Status CancelEndless(const std::vector<uint32_t>& devices);

  const std::shared_ptr<client::Client> client_;  // Shared with its user.
  std::minstd_rand random_;
  uint64_t operations_ = 0;
};

}  // namespace acceld::testing
