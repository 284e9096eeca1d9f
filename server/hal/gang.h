#pragma once

#include <chrono>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal {

// One collective of one participant, which has ended.
struct CollectiveRecord {
  absl::string_view name;  // of the op: "all_reduce"
  absl::Status status;
  int64_t bytes = 0;  // of the participant's operands
  std::chrono::steady_clock::time_point begin, end;
  std::chrono::nanoseconds wait{0};  // for the other members to come, from the begin on
};

// The participants of one launch on several devices. Participant i is the run of the program on
// device i of Device::CreateGang. Runs of the program exchange values at collectives, where they
// wait for each other. The launches of all participants share ownership (Launch::gang). Streams
// call Finish or Fail when a run has ended; whoever made the gang calls Abort if one of the
// launches is never given to a stream, as the others would wait for it forever.
//
// Thread-safe. No function but RunInline waits for participants.
class Gang {
 public:
  // Counts since the gang was made, summed over the participants.
  struct Stats {
    int64_t collectives = 0;  // one for each participant of each collective
    int64_t bytes = 0;        // of the operands that participants brought to collectives
    // How long participants waited at collectives for others to come; 0 where only the devices
    // know.
    int64_t wait_ns = 0;
  };

  virtual ~Gang() = default;
  virtual int size() const = 0;  // number of participants
  // Ends the launch: every participant that waits at a collective, or comes to one later, fails
  // with `reason`, which must not be OK. Only the first call has an effect.
  virtual void Abort(const absl::Status& reason) = 0;
  // Notes that a participant has ended without error, so that others wait for it in vain.
  virtual void Finish(int participant) = 0;
  virtual Stats stats() const = 0;
  // Runs the launches that streams have left to the gang (Launch::may_run_inline), on the calling
  // thread, if it has those of all participants: one after the other, each until it waits for
  // others. Gives them to the threads of their streams otherwise. Whoever has given such launches
  // to streams calls this afterwards, by the same thread.
  virtual void RunInline() {}

  // Ends the launch because a participant failed or was cancelled: Abort with the code of `error`
  // and the message "participant 2 failed: ...".
  void Fail(int participant, const absl::Status& error) {
    Abort(Annotate(error, absl::StrCat("participant ", participant, " failed")));
  }
};

}  // namespace acceld::hal
