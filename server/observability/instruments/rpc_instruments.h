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

// What the transport counts. The names of methods and of commands are fixed when it is made, so
// that clients cannot add labels. Thread-safe; nothing waits.
class RpcInstruments {
 public:
  // `command_kinds[i]` is counted by CountCommands(i, ...).
  RpcInstruments(std::vector<std::string> methods, std::vector<std::string> command_kinds);
  RpcInstruments(const RpcInstruments&) = delete;
  RpcInstruments& operator=(const RpcInstruments&) = delete;

  // An RPC that has ended. A method that is none of ours counts as "other".
  void CountRequest(absl::string_view method, absl::StatusCode code);
  void CountRefusal(Refusal reason) { refusals_[static_cast<size_t>(reason)].Add(); }
  void CountCommands(size_t kind, uint64_t count) { commands_[kind].Add(count); }

  // Bytes of arrays, by the way that they took.
  Counter upload_bytes, download_bytes, inline_in_bytes, inline_out_bytes;
  Counter segment_in_bytes, segment_out_bytes, shared_out_bytes;
  // Connections that could not be accepted when they came, for want of descriptors.
  Counter accept_failures;

  struct Requests {
    absl::string_view method;
    CountsByCode counts{};
  };
  std::vector<Requests> requests() const;
  uint64_t refusals(Refusal reason) const { return refusals_[static_cast<size_t>(reason)].value(); }
  struct Commands {
    absl::string_view kind;
    uint64_t count = 0;
  };
  std::vector<Commands> commands() const;

 private:
  const std::vector<std::string> methods_;  // "other" last
  const std::vector<std::string> command_kinds_;
  absl::flat_hash_map<absl::string_view, size_t> method_index_;  // Constant once made.
  std::vector<StatusCounter> requests_;
  std::vector<Counter> commands_;
  std::array<Counter, kNumRefusals> refusals_;
};

}  // namespace acceld::observability
