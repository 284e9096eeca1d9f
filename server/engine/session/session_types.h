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
#include "common/ir/module.h"
#include "common/ir/processes/process_signature.h"
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
  // The kind of device from which to assign one to the session (placement.h); nullopt: none is
  // assigned.
  absl::optional<std::string> device_kind;
};

struct ExecuteOptions {
  // An execution that has not ended by then is cancelled with DEADLINE_EXCEEDED.
  absl::optional<std::chrono::steady_clock::time_point> deadline;
  // nullopt: the session's priority. Executions of one session with different priorities are
  // scheduled like those of different sessions: one with a lower priority delays another only if
  // the other reads its results.
  absl::optional<Priority> priority;
  // Whether the client waits for the results before it executes anything else.
  bool awaited = false;
  // The indices of inputs that are donated. Once the execution is accepted, the handle of a donated
  // input names no array any more: it may only be released, and any other use fails with
  // FAILED_PRECONDITION. At the launch, the memory of a donated array that nobody else holds (no
  // name, other handle, queued execution or fetch) is reused for results that fit; other results
  // get new memory. If the execution fails before its launch (cancelled, past its deadline, or
  // because another input has failed), the handles name their arrays again.
  absl::Span<const uint32_t> donated;
  // The client's number for the callbacks that the program's host calls refer to; 0: none, and a
  // program with host calls is refused.
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

// A host call: a running program's request that its client compute values.
struct HostCall {
  uint64_t id = 0;         // within the session
  uint64_t callbacks = 0;  // of ExecuteOptions
  uint32_t device = 0;     // of the run
  int64_t callback = 0;    // the number within the program
  std::vector<HostArray> operands;
  std::vector<ir::TensorType> results;  // that are to be given
};
// A value that the client returns for a host call: either bytes, or a defined or pending array of
// the session on the device of the execution.
struct HostCallResult {
  ir::TensorType type;
  std::string bytes;
  absl::optional<Handle> handle;
};

// Receives the host calls of a session. The methods may be called from any thread, and must not
// block. The calls of one execution arrive in order, except that OnEnd may come at any time.
class HostCallListener {
 public:
  virtual ~HostCallListener() = default;
  virtual void OnCall(HostCall call) = 0;
  // The answer to the call is not needed any more, as the execution was told to end.
  virtual void OnWithdrawn(uint64_t call_id) = 0;
  // The execution with these callbacks has ended, or its results have failed.
  virtual void OnEnd(uint64_t callbacks, const absl::Status& status) = 0;
};

struct WaitOptions {
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
  // The architecture to compile for, without loading the code; empty: that of the device.
  std::string target;
  bool explain = false;    // compiles nothing: says where the executable would be found
  bool partition = false;  // compiles nothing: returns what one of several processes runs
  // Numbers of the arguments that executions will give away, for ExecutableMemory::alias_bytes.
  std::vector<uint32_t> donated;
};
struct CompileResult {
  absl::Status status;
  ExecutionInfo execution;
  absl::optional<CacheExplanation> explanation;  // where it was asked for
  absl::optional<ExecutableMemory> memory;       // of what was compiled for a device of this engine
  // Of a program for several processes.
  std::shared_ptr<const ir::ProcessSignature> signature;
  absl::optional<ir::Module> partitioned;  // if it was asked for
};

}  // namespace acceld::engine
