#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "server/observability/instruments/counter.h"
#include "server/observability/instruments/refusal.h"

namespace acceld::observability {

// The counters of the transport. The names of methods and of kinds of commands are fixed at
// construction, so that clients cannot add metric labels. Thread-safe; nothing waits.
class RpcInstruments {
 public:
  // CountCommands(i, ...) counts for `command_kinds[i]`.
  RpcInstruments(std::vector<std::string> methods, std::vector<std::string> command_kinds);
  RpcInstruments(const RpcInstruments&) = delete;
  RpcInstruments& operator=(const RpcInstruments&) = delete;

  // Counts an RPC that has ended. Unknown methods count as "other".
  void CountRequest(absl::string_view method, absl::StatusCode code);
  void CountRefusal(Refusal reason) { refusals_[static_cast<size_t>(reason)].Add(); }
  // Counts `count` commands of the kind with this index.
  void CountCommands(size_t kind, uint64_t count) { commands_[kind].Add(count); }

  // Bytes of arrays, by the path on which they were transferred.
  Counter upload_bytes, download_bytes, inline_in_bytes, inline_out_bytes;
  Counter segment_in_bytes, segment_out_bytes, shared_out_bytes;
  // How often a connection could not be accepted because no file descriptors were left.
  Counter accept_failures;

  // The ended RPCs of one method, by status code.
  struct Requests {
    absl::string_view method;
    CountsByCode counts{};
  };
  std::vector<Requests> requests() const;
  uint64_t refusals(Refusal reason) const { return refusals_[static_cast<size_t>(reason)].value(); }
  // The commands of one kind.
  struct Commands {
    absl::string_view kind;
    uint64_t count = 0;
  };
  std::vector<Commands> commands() const;

 private:
  const std::vector<std::string> methods_;  // the last one is "other"
  const std::vector<std::string> command_kinds_;
  absl::flat_hash_map<absl::string_view, size_t> method_index_;  // constant after construction
  std::vector<StatusCounter> requests_;
  std::vector<Counter> commands_;
  std::array<Counter, kNumRefusals> refusals_;
};

}  // namespace acceld::observability
