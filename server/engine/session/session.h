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

// Writes the bytes of a piece, from byte `begin` of the piece on, to `to`. Its error becomes that
// of the upload.
using PieceReader = absl::FunctionRef<absl::Status(size_t begin, absl::Span<char> to)>;

// The handles, programs and commands of one client. Commands take effect in the order of the calls;
// an execution runs when its inputs, its executable, its turn and memory are there. A command with
// a wrong operand (an unknown handle or program, a mismatched argument) returns OK and defines its
// output handles as failed arrays with an error that says what was wrong. Only a command that
// cannot be recorded at all (an output handle that exists already, an exhausted limit) is refused
// with an error status.
class Session {
 public:
  virtual ~Session() = default;

  virtual uint64_t id() const = 0;
  // 16 random bytes: whoever knows them may use this session from another RPC.
  virtual absl::string_view token() const = 0;
  // The device assigned to the session; 0 if none was.
  virtual uint32_t device() const = 0;

  // Registers a program. The module need not be verified. A bad program does not end the session:
  // its executions fail with the program's error.
  virtual absl::Status RegisterProgram(ProgramId id, absl::StatusOr<ir::Module> module,
                                       std::string entry) = 0;
  // Registers a program that the engine knows by its fingerprint, and returns whether its result
  // types are the same for all arguments. NOT_FOUND when the engine does not know it, or not any
  // more.
  virtual absl::StatusOr<bool> RegisterKnownProgram(ProgramId id, const Digest& fingerprint) = 0;
  // For a program of several processes `arguments` must be empty, as the program says what they
  // are.
  virtual absl::Status Compile(ProgramId id, std::vector<ir::TensorType> arguments, uint32_t device,
                               const CompileOptions& options,
                               std::function<void(CompileResult)> done) = 0;
  // Executes a program on arrays and defines the outputs as its results. INVALID_ARGUMENT for a
  // wrong list of donated inputs: an index twice, out of range, or of a handle that is another
  // input as well. In that case nothing is donated; nor is it when the execution fails at once.
  virtual absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                               absl::Span<const Handle> outputs, uint32_t device,
                               const ExecuteOptions& options) = 0;
  absl::Status Execute(ProgramId id, absl::Span<const Handle> inputs,
                       absl::Span<const Handle> outputs, uint32_t device) {
    return Execute(id, inputs, outputs, device, {});
  }
  // Executes a program for several processes, one on each of `devices`, which must be different
  // devices of one kind. `inputs` has the inputs of the first process, then those of the second
  // one, and so on; `outputs` likewise. options.donated has numbers of arguments of each process.
  // All processes begin together, and if one fails or is cancelled, the outputs of all fail with
  // its error. INVALID_ARGUMENT as for Execute, and for numbers of handles that are not multiples
  // of the number of devices.
  virtual absl::Status ExecuteSharded(ProgramId id, absl::Span<const uint32_t> devices,
                                      absl::Span<const Handle> inputs,
                                      absl::Span<const Handle> outputs,
                                      const ExecuteOptions& options) = 0;
  virtual absl::Status Put(Handle handle, ir::Literal value, uint32_t device) = 0;

  // Sets the receiver of host calls. Must be called before the first execution that has callbacks.
  virtual void ServeHostCalls(std::shared_ptr<HostCallListener> listener) = 0;
  // Answers a host call with values, or with the error with which the execution is to end. Wrong
  // values are such an error, too. Without effect when nobody waits for the call.
  virtual void AnswerHostCall(uint64_t call_id,
                              absl::StatusOr<std::vector<HostCallResult>> results) = 0;

  // An upload in pieces. BeginUpload defines the array. AppendUpload adds bytes that start at
  // `offset_bytes`, at most the number of bytes received so far; bytes received before are skipped,
  // so an upload that was interrupted may be sent again. FinishUpload must follow the last byte.
  // AbortUpload makes the array fail with `reason`.
  virtual absl::Status BeginUpload(Handle handle, ir::TensorType type, uint32_t device) = 0;
  // UNAVAILABLE: there is no memory for this upload until earlier, complete uploads have been
  // copied to the device. Nothing has changed, and the same call may soon succeed.
  virtual absl::Status AppendUpload(Handle handle, int64_t offset_bytes, size_t size_bytes,
                                    PieceReader read) = 0;
  absl::Status AppendUpload(Handle handle, int64_t offset_bytes, absl::string_view bytes);
  virtual absl::Status FinishUpload(Handle handle) = 0;
  // Announces the digest (ContentDigestOf) of the bytes of an upload in progress. OK: the bytes
  // need not be sent, as this identity has sent the same before and they are still on the device;
  // the upload is complete. NOT_FOUND: the bytes must be sent. They will be checked against the
  // digest, and stored only if no array has the same content.
  virtual absl::Status OfferContent(Handle handle, const Digest& digest) = 0;
  virtual void AbortUpload(Handle handle, absl::Status reason) = 0;

  // Cancels the executions and uploads that define these handles: all their outputs that are not
  // final fail with `reason`. Queued work never runs; running work is told to stop, and what it
  // writes is discarded. Unknown handles are ignored.
  virtual void Cancel(absl::Span<const Handle> handles, absl::Status reason) = 0;
  // Unknown handles are ignored. An execution that has not ended and whose results nobody holds any
  // more is cancelled, unless it has host callbacks, which are effects, or runs on several devices.
  // A result is held by handles, names, executions that are to read it and are held themselves, and
  // by Await and Fetch until they are answered, but for those that lapse.
  virtual void Release(absl::Span<const Handle> handles) = 0;
  virtual void Await(Handle handle, const WaitOptions& options,
                     std::function<void(ReadyResult)> done) = 0;
  virtual void Fetch(Handle handle, const WaitOptions& options,
                     std::function<void(FetchResult)> done) = 0;
  void Await(Handle handle, std::function<void(ReadyResult)> done) {
    Await(handle, {}, std::move(done));
  }
  void Fetch(Handle handle, std::function<void(FetchResult)> done) {
    Fetch(handle, {}, std::move(done));
  }

  // Gives the array a name by which other sessions can open it. The name keeps the array alive,
  // even after the end of this session. Errors: see NamedArrays::Publish.
  virtual absl::Status Publish(Handle handle, absl::string_view name,
                               const PublishOptions& options) = 0;
  // Defines `handle` as the array of that name; without effect if it is already. Errors: see
  // NamedArrays::Open; ALREADY_EXISTS when the handle names another array.
  virtual absl::StatusOr<ArrayInfo> OpenNamed(Handle handle, absl::string_view name) = 0;
  virtual absl::Status DropName(absl::string_view name) = 0;

  // Cancels queued work and releases every array. Memory that a running kernel or copy uses is
  // freed when that ends; Close does not wait for it. Later commands and pending calls of Await and
  // Fetch fail with CANCELLED and the message `reason`. Idempotent.
  virtual void Close(absl::string_view reason) = 0;

  // The number of executions and uploads that have not ended. Takes a few atomic reads.
  virtual int64_t queued() const = 0;
  virtual SessionInfo info() const = 0;
};

}  // namespace acceld::engine
