#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "client/client.h"
#include "common/status.h"

namespace acceld::testing {

// One client's mix of work: transfers small and large, chains over dynamic shapes, products, named
// arrays, cancels and timeouts, in an order that its seed decides. Every result is checked. One
// thread.
class MixedWork {
 public:
  struct Options {
    uint32_t seed = 1;
    // Of the largest arrays.
    int64_t max_bytes = int64_t{4} << 20;
    // Names that this client's arrays get begin so; those of a client that dies stay.
    std::string name_prefix = "mixed";
  };
  explicit MixedWork(std::shared_ptr<client::Client> client, Options options);

  // Does one piece of work and blocks for its results. INTERNAL when one is wrong, otherwise the
  // error of what should have succeeded.
  absl::Status Step();

  uint64_t operations() const { return operations_; }
  // Of arrays, there and back.
  uint64_t bytes() const { return bytes_; }

 private:
  absl::Status Transfer();
  absl::Status DoubleAgainAndAgain();
  absl::Status Multiply();
  absl::Status PublishAndOpen();
  absl::Status CancelQueued();
  absl::Status TimeOut();

  // Uniform in [low, high].
  int64_t Random(int64_t low, int64_t high);
  std::vector<int32_t> RandomValues(size_t size);
  absl::StatusOr<client::Array> Upload(const std::vector<int32_t>& values);
  // INTERNAL unless the array has exactly these values.
  absl::Status Expect(const client::Array& array, const std::vector<int32_t>& values);

  const std::shared_ptr<client::Client> client_;  // Shared with its user.
  const Options options_;
  const client::Program double_, multiply_, count_;
  std::mt19937 random_;
  uint64_t operations_ = 0, bytes_ = 0;
};

}  // namespace acceld::testing
