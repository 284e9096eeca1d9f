#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "client/server_info.h"
#include "common/ir/types/literal.h"
#include "common/ir/types/type.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "common/threads/future.h"

namespace acceld::client {

class ArrayState;
class ByteSink;

// A handle to an immutable array on the daemon, usually one that is still being computed. Its type
// and device are known at once; its value arrives later.
//
// Copies share the handle; the last copy releases it, without a round trip to the daemon. Work that
// was submitted with the array keeps the array's value alive.
//
// The daemon cancels an execution, queued or running, once nothing holds any of its results. A
// result is held by an Array; by a name (Client::Publish); by another execution that will read it
// and is held itself; and by a Ready, Fetch, FetchAsync or FetchIntoAsync call that has not been
// answered yet. An execution with host callbacks has side effects and is never cancelled for this
// reason, and neither is what it reads. To make another execution run for its own sake, for example
// to measure it, keep one of its results until that is ready; to have a program compiled, call
// Client::Compile.
//
// Thread safety is that of a shared_ptr: distinct copies may be used from any threads.
//
// Errors: an array whose execution or upload failed returns that error from every call, and so do
// all arrays computed from it. When the client is closed or the connection is lost, pending and
// later calls return UNAVAILABLE with the reason. An empty Array (default-constructed or moved
// from) returns FAILED_PRECONDITION.
//
// An array that was donated to an execution (see Client::Execute) has no value any more: calls on
// every copy, except type(), device() and Cancel(), return FAILED_PRECONDITION with the program's
// name. Calls that were pending at the time of the donation, including fetches, complete normally.
class Array {
 public:
  Array() = default;

  // Returns false for an empty Array. The accessors below require a valid one.
  bool valid() const { return state_ != nullptr; }
  const ir::TensorType& type() const;
  const ir::Dims& shape() const { return type().dims; }
  ir::DType dtype() const { return type().dtype; }
  uint32_t device() const;

  // Blocks until the array is ready. Returns OK, or the array's error.
  absl::Status Await() const;
  // Like Await, but returns DEADLINE_EXCEEDED if the array is not ready by `deadline`. The
  // computation goes on.
  absl::Status AwaitUntil(std::chrono::steady_clock::time_point deadline) const;
  // Returns a future that completes when the array is ready or has failed. Its value describes the
  // execution that made the array (empty for an upload). Does not block, except as Client::Execute
  // does.
  Future<ExecutionInfo> Ready() const;
  // Returns whether the array is ready or has failed. Waits for at most some hundred microseconds,
  // so that this thread itself can receive an answer that is about to arrive.
  bool IsReady() const;
  // Returns a future with the value of Ready, but sends no request to the daemon: it completes when
  // another call of Ready, Await or IsReady on an array of the same execution is answered. It
  // completes with an empty ExecutionInfo if all arrays of that execution are released before any
  // such call.
  Future<ExecutionInfo> ReadyWithoutRequest() const;
  // Blocks until the array is ready. Returns the value of Ready.
  absl::StatusOr<ExecutionInfo> Execution() const;

  // Cancels the execution or upload that makes the array, unless it has finished: all of its
  // results that are not ready yet fail at once with CANCELLED and `reason`, and so does everything
  // computed from them. Queued work never runs; running work is told to stop and its results are
  // dropped. Does not block. Returns the status of the connection, or FAILED_PRECONDITION for an
  // empty Array.
  absl::Status Cancel(absl::string_view reason = "") const;

  // Undoes a donation: makes a donated array usable again if the execution failed before it began
  // on the device (because it was cancelled, timed out, was refused, or had another argument that
  // failed), since the array's value is untouched in that case. FAILED_PRECONDITION if the
  // execution has begun or may still begin: await its results first. OK for an array that was not
  // donated. Blocks for the daemon's answer.
  absl::Status TakeBack() const;

  // Copies the value to host memory. Blocks until the array is ready and copied.
  absl::StatusOr<ir::Literal> Fetch() const;
  // Copies the value to `buffer` in row-major order; `buffer` must have exactly type().size_bytes()
  // bytes.
  absl::Status FetchInto(absl::Span<char> buffer) const;
  // Non-blocking forms of Fetch and FetchInto. The `buffer` must remain valid until the returned
  // event completes, which reports the outcome.
  Future<ir::Literal> FetchAsync() const;
  Event FetchIntoAsync(absl::Span<char> buffer) const;
  // Like FetchIntoAsync, for callers that will wait for the event next: the call may take some
  // hundred microseconds, during which this thread itself receives a value that arrives, so that no
  // other thread must be woken.
  Event FetchIntoPolling(absl::Span<char> buffer) const;
  // Returns the value for reading, row-major, without a private copy where possible: on the
  // daemon's host it lies in memory that the daemon shares with all processes that map this array.
  // The first Map of an array costs one copy, later ones none. If the daemon has no room for that,
  // or runs on another host, the value is fetched instead. The bytes remain valid as long as
  // SharedBytes::owner lives, independent of the array, the client and the daemon. Blocks until the
  // array is ready.
  absl::StatusOr<SharedBytes> Map() const;

 private:
  friend class Client;
  friend class WeakArray;
  friend absl::Status AwaitAll(absl::Span<const Array> arrays);
  friend Array Donate(Array array);
  explicit Array(std::shared_ptr<ArrayState> state) : state_(std::move(state)) {}
  Future<ir::Literal> StartFetch(uint64_t& request) const;
  // With `lapses`, the fetch does not keep the array alive (WeakArray uses this). `request`
  // receives the number of the request for Connection::Serve, or 0.
  Event FetchIntoPolling(absl::Span<char> buffer, bool lapses) const;
  Event StartFetchInto(absl::Span<char> buffer, bool lapses, uint64_t& request) const;
  Event StartFetchTo(std::shared_ptr<ByteSink> sink, bool lapses, uint64_t& request) const;
  absl::Status FetchTo(std::shared_ptr<ByteSink> sink) const;
  // FAILED_PRECONDITION for an empty array or one that was donated.
  absl::Status CheckUsable() const;

  std::shared_ptr<ArrayState> state_;  // Shared by copies; the last one releases the handle.
  bool donates_ = false;               // Set by Donate: as an argument, the array is donated.
};

// A weak reference to an array. Neither it nor requests made through it keep the array alive, so
// once all Arrays are dropped the daemon may cancel the execution that makes the value.
// Thread-safe.
class WeakArray {
 public:
  explicit WeakArray(const Array& array) : state_(array.state_) {}
  // Returns the array, or an empty Array if it has been released.
  Array Lock() const { return Array(state_.lock()); }
  // Returns whether the array still exists and was not donated.
  bool IsHeld() const;

  // Like the functions of Array while the array exists. If it is released before the answer
  // arrives, Ready yields an empty ExecutionInfo (unless another array of the same execution is
  // still held), and a fetch may end with CANCELLED. `buffer` must remain valid until the event
  // completes in any case.
  Future<ExecutionInfo> Ready() const;
  Event FetchIntoAsync(absl::Span<char> buffer) const;
  Event FetchIntoPolling(absl::Span<char> buffer) const;

 private:
  std::weak_ptr<ArrayState> state_;
};

// Marks the array as an argument to donate: Execute(program, {Donate(params), batch}) has the same
// effect as ExecuteOptions::donated. In all other uses the result is an ordinary copy of the array.
Array Donate(Array array);

// Blocks until all of `arrays` are ready or have failed. Returns OK, or the error of the first
// failed one in the order of the span.
absl::Status AwaitAll(absl::Span<const Array> arrays);

// Blocks until at least one of `arrays` is ready or has failed, and returns its index (the lowest,
// if several are). DEADLINE_EXCEEDED if none is by `deadline`; INVALID_ARGUMENT for an empty span.
absl::StatusOr<size_t> AwaitAny(
    absl::Span<const Array> arrays,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

}  // namespace acceld::client
