#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/api/sessions.h"
#include "common/crypto/digest.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "server/engine/session/session_types.h"

namespace acceld::engine {

// Puts the bytes of a piece, from its byte `begin` on, to `to`. Its error is that of the upload.
using PieceReader = absl::FunctionRef<absl::Status(size_t begin, absl::Span<char> to)>;

// One client's world. Commands take effect in the order of the calls; executions run as their
// inputs allow. A wrong command (unknown handle or program, mismatched argument) returns OK and
// poisons the handles it would have defined with an error that says what was wrong; only a command
// that cannot even be recorded (a handle that exists already, a limit that is full) is refused with
// a status.
class Session {
 public:
  virtual ~Session() = default;

  virtual uint64_t id() const = 0;
  // 16 random bytes: the capability to reach this session from another RPC.
  virtual absl::string_view token() const = 0;
  // That the session was given; 0 if none.
  virtual uint32_t device() const = 0;

  // Makes the program known. The module need not be verified yet; verification and fingerprinting
  // happen off the calling thread's critical path or here, as the implementation likes, but a bad
  // program poisons its executions rather than ending the session.
  virtual absl::Status RegisterProgram(ProgramId id, absl::StatusOr<ir::Module> module,
                                       std::string entry) = 0;
  // Makes a program known that the engine has met, and says whether its result types are the same
  // for all arguments; NOT_FOUND when it has not, or not lately.
  virtual absl::StatusOr<bool> RegisterKnownProgram(ProgramId id, const Digest& fingerprint) = 0;
  virtual absl::Status Compile(ProgramId id, std::vector<ir::TensorType> arguments, uint32_t device,
                               const CompileOptions& options,
                               std::function<void(CompileResult)> done) = 0;
  // INVALID_ARGUMENT for a wrong list of donated inputs: a number twice, or of no input, or of a
  // handle that is another input as well. Nothing is given away then, nor when the execution is
  // poisoned at once.
  virtual absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                               absl::Span<const Handle> outputs, uint32_t device,
                               const ExecuteOptions& options) = 0;
  absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                       absl::Span<const Handle> outputs, uint32_t device) {
    return Execute(id, inputs, outputs, device, {});
  }
  virtual absl::Status Put(Handle handle, ir::Literal value, uint32_t device) = 0;

  // Before anything is executed that has callbacks.
  virtual void ServeHostCalls(std::shared_ptr<HostCallListener> listener) = 0;
  // The answer to a host call, or the error that its run ends with. Wrong values are such an error,
  // too. Nothing happens when nobody waits for the call (any more).
  virtual void AnswerHostCall(uint64_t call_id,
                              absl::StatusOr<std::vector<HostCallResult>> results) = 0;

  // An upload in pieces. Begin names the array; Append adds bytes from `offset_bytes` on, where the
  // bytes that are there already end or earlier: what is there is skipped, so an upload that broke
  // off may be sent again. Finish must follow the last byte. Abort poisons the array with `reason`.
  virtual absl::Status BeginUpload(Handle handle, ir::TensorType type, uint32_t device) = 0;
  // UNAVAILABLE: there is no room for this upload's bytes as long as earlier ones, which are
  // complete, wait for the device; the same call may succeed soon. Nothing has happened.
  virtual absl::Status AppendUpload(Handle handle, int64_t offset_bytes, size_t size_bytes,
                                    PieceReader read) = 0;
  absl::Status AppendUpload(Handle handle, int64_t offset_bytes, absl::string_view bytes);
  virtual absl::Status FinishUpload(Handle handle) = 0;
  // Says what digest (ContentDigestOf) the bytes of an upload have that is going on. OK: the array
  // has them already, because this identity has sent them before and they are still here; the
  // upload is over. NOT_FOUND: they have to be sent, will be checked against the digest, and are
  // stored only if nobody's array has the same.
  virtual absl::Status OfferContent(Handle handle, const Digest& digest) = 0;
  virtual void AbortUpload(Handle handle, absl::Status reason) = 0;

  // Cancels the executions and uploads that define these handles: all their outputs that are not
  // final fail with `reason`. What is queued never runs; what runs is told to stop, and what it
  // writes is discarded. Unknown handles are ignored.
  virtual void Cancel(absl::Span<const Handle> handles, absl::Status reason) = 0;
  // Unknown handles are ignored. An execution that has not ended and whose results nobody holds any
  // more is cancelled, unless it has host callbacks, which are effects. A result is held by
  // handles, names, executions that are to read it and are held themselves, and by Await and Fetch
  // until they are answered, but for those that lapse.
  virtual void Release(absl::Span<const Handle> handles) = 0;
  virtual void Await(Handle handle, const AskOptions& options,
                     std::function<void(ReadyResult)> done) = 0;
  virtual void Fetch(Handle handle, const AskOptions& options,
                     std::function<void(FetchResult)> done) = 0;
  void Await(Handle handle, std::function<void(ReadyResult)> done) {
    Await(handle, {}, std::move(done));
  }
  void Fetch(Handle handle, std::function<void(FetchResult)> done) {
    Fetch(handle, {}, std::move(done));
  }

  // Gives the array a name, by which other sessions find it. The name keeps the array alive, beyond
  // this session. Errors: named_arrays.h.
  virtual absl::Status Publish(Handle handle, absl::string_view name,
                               const PublishOptions& options) = 0;
  // Defines `handle` as the array of that name; again is fine. The errors of Publish, and
  // ALREADY_EXISTS when the handle is another array.
  virtual absl::StatusOr<ArrayInfo> OpenNamed(Handle handle, absl::string_view name) = 0;
  virtual absl::Status DropName(absl::string_view name) = 0;

  // Cancels queued work and frees every array; what a running kernel or copy uses is freed when it
  // ends, which Close does not wait for. Idempotent. Later commands fail with CANCELLED. Pending
  // Await and Fetch callbacks get CANCELLED.
  // Those callbacks get `reason` as their message.
  virtual void Close(absl::string_view reason) = 0;

  // Executions and uploads that have not ended. A few atomic reads.
  virtual int64_t queued() const = 0;
  virtual SessionInfo info() const = 0;
};

}  // namespace acceld::engine
