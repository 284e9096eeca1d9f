#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/api/cache_info.h"
#include "common/api/executions.h"
#include "common/api/priority.h"
#include "common/ir/types/type.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "server/engine/identity.h"

// What the calls of a Session take and give. Plain values, but for HostCallListener.
namespace acceld::engine {

struct SessionOptions {
  std::string client_name;  // for people: "train_digits[4711]"
  Identity identity;
  Priority priority = Priority::kNormal;
  // Of which kind of device the session is given one (placement.h); none: it is given none.
  absl::optional<std::string> device_kind;
};

struct ExecuteOptions {
  // Not done by then, the execution is cancelled with DEADLINE_EXCEEDED.
  absl::optional<std::chrono::steady_clock::time_point> deadline;
  // None: the session's. Executions of one session with different priorities are ordered among each
  // other as those of different sessions are: a lower one is not waited for, unless its results are
  // read.
  absl::optional<Priority> priority;
  // Its results are asked for next, and nothing is executed in between.
  bool awaited = false;
  // Numbers of inputs whose arrays are given away: their handles name nothing any more once the
  // execution is accepted, but for Release, and any use fails with FAILED_PRECONDITION. When it is
  // launched, what nobody else has (no name, other handle, queued execution or fetch) is the memory
  // of results that fit, and others get memory of their own. When it fails before that, be it that
  // it is cancelled, late or poisoned by another input, the handles are what they were.
  absl::Span<const uint32_t> donated;
  // The client's number of the callbacks that the program's host calls mean; 0: there are none, and
  // a program that has host calls is refused.
  uint64_t callbacks = 0;
};

using Handle = uint64_t;
using ProgramId = uint64_t;

struct PublishOptions {
  bool for_everyone = false;  // not only for sessions of the same identity; for publishers
  bool replace = false;       // takes the name from the array that has it
};
struct ArrayInfo {
  ir::TensorType type;
  uint32_t device = 0;
};

// An array's value in host memory.
struct HostArray {
  ir::TensorType type;
  SharedBytes bytes;
};

// What a running program asks its client.
struct HostCall {
  uint64_t id = 0;         // within the session
  uint64_t callbacks = 0;  // of ExecuteOptions
  uint32_t device = 0;     // of the run
  int64_t callback = 0;    // the number within the program
  std::vector<HostArray> operands;
  std::vector<ir::TensorType> results;  // that are to be given
};
// A value that the client gives for it: bytes, or an array of the session on the run's device that
// is there or on its way.
struct HostCallResult {
  ir::TensorType type;
  std::string bytes;
  absl::optional<Handle> handle;
};

// Hears of a session's host calls. Called from any thread, for one execution in order, but that
// OnEnd may come at any time; must not block.
class HostCallListener {
 public:
  virtual ~HostCallListener() = default;
  virtual void OnCall(HostCall call) = 0;
  // Nobody waits for the answer any more: its run was told to end.
  virtual void OnWithdrawn(uint64_t call_id) = 0;
  // An execution with these callbacks has ended, or its results have failed.
  virtual void OnEnd(uint64_t callbacks, const absl::Status& status) = 0;
};

struct AskOptions {
  // The answer is of use only while the handle is held: it does not keep the execution that makes
  // the array from being cancelled once nobody holds its results, and is CANCELLED when the array
  // goes first.
  bool lapses = false;
};
struct ReadyResult {
  absl::Status status;  // the array's own error when it failed
  ExecutionInfo execution;
};
struct FetchResult {
  absl::StatusOr<HostArray> array;
  ExecutionInfo execution;
};
struct CompileOptions {
  // The architecture to compile for, and not to load then; empty: the device's.
  std::string target;
  bool explain = false;  // compiles nothing: says where the executable would be found
  // Numbers of the arguments that executions will give away, for ExecutableMemory::alias_bytes.
  std::vector<uint32_t> donated;
};
struct CompileResult {
  absl::Status status;
  ExecutionInfo execution;
  absl::optional<CacheExplanation> explanation;  // where it was asked for
  absl::optional<ExecutableMemory> memory;       // of what was compiled for a device of this engine
};

}  // namespace acceld::engine
