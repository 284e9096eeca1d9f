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

// A handle to an immutable array on the daemon, usually one that is still being computed. Type and
// device are known at once; the value when it is awaited.
//
// Copies share the handle; the last one releases it, without a round trip. Work that was submitted
// with the array keeps its value alive.
//
// An execution is for those who hold its results: when the last of them is gone before it has
// ended, the daemon cancels it, be it queued or running. What holds a result: an Array, or a name
// (Client::Publish); an execution that is to read it and is held itself; a Ready, Fetch, FetchAsync
// or FetchIntoAsync that is not answered yet. An execution with host callbacks has effects, so it
// and what it reads always take place. Who wants another one to take place for its own sake, to
// measure it, say, or to have it compiled, keeps a result until it is ready (or calls
// Client::Compile).
//
// Thread-safe like a shared_ptr: distinct copies may be used
// from any threads.
//
// Errors: an array whose execution or upload failed answers every call with that error, and so does
// all that was computed from it. When the client is closed or the connection is lost, pending and
// later calls answer UNAVAILABLE with the reason. An empty Array (default-constructed or moved
// from) answers FAILED_PRECONDITION.
//
// An array that was donated to an execution (see Client::Execute) has no value any more: every copy
// answers FAILED_PRECONDITION, naming the program, but for type(), device() and Cancel(). What was
// asked for before, fetches too, is answered as if nothing had happened.
class Array {
 public:
  Array() = default;

  // False for an empty Array. The accessors below need a valid one.
  bool valid() const { return state_ != nullptr; }
  const ir::TensorType& type() const;
  const ir::Dims& shape() const { return type().dims; }
  ir::DType dtype() const { return type().dtype; }
  uint32_t device() const;

  // Blocks until the value is there, or gives the array's error.
  absl::Status Await() const;
  // The same, but DEADLINE_EXCEEDED when it is not decided at `deadline`. The array is unaffected.
  absl::Status AwaitUntil(std::chrono::steady_clock::time_point deadline) const;
  // Decided when the value is there or has failed; about the execution that made the array (empty
  // for an upload). Never blocks, except as Client::Execute does.
  Future<ExecutionInfo> Ready() const;
  // Whether the value is there or has failed. Waits for some hundred microseconds at most, so that
  // an answer which is about to come wakes no thread.
  bool IsReady() const;
  // What Ready decides to, but the daemon is not asked for it: that is left to whoever calls Ready,
  // Await or IsReady of an array that the same execution makes. An empty info when nobody does as
  // long as there is such an array.
  Future<ExecutionInfo> WhenAsked() const;
  // Blocks; what Ready decides to.
  absl::StatusOr<ExecutionInfo> Execution() const;

  // Cancels the execution or upload that makes the array, whatever else that makes, unless it is
  // done: arrays that are not there yet fail with CANCELLED and `reason`, and so does all that is
  // computed from them; who waits for them hears it at once. Queued work never runs; what runs is
  // told to stop and its results are dropped. Does not block or wait. The status of the connection,
  // or FAILED_PRECONDITION for an empty Array.
  absl::Status Cancel(absl::string_view reason = "") const;

  // Of an array that was donated: makes it usable again if the execution has failed before it began
  // on the device (cancelled, late, poisoned by another argument, refused): until then its value
  // was not touched. FAILED_PRECONDITION when the execution has begun, or still may: await its
  // results first. OK for an array that is not donated. Blocks for the daemon's answer.
  absl::Status TakeBack() const;

  // Copies the value to the host. Blocks until it is there.
  absl::StatusOr<ir::Literal> Fetch() const;
  // The same, into `buffer`, which must have exactly type().size_bytes() bytes; row-major.
  absl::Status FetchInto(absl::Span<char> buffer) const;
  Future<ir::Literal> FetchAsync() const;
  // The same, without blocking: `buffer` must stay until the event, which says how it went.
  Event FetchIntoAsync(absl::Span<char> buffer) const;
  // The same for who is about to wait: the call may take some hundred microseconds, in which a
  // value that comes wakes no other thread.
  Event FetchIntoSoon(absl::Span<char> buffer) const;
  // The value to be read where it is, row-major: on the daemon's host, memory that it shares with
  // all that map this array, in this process and in others. The first costs one copy, the next
  // none. (When the daemon has no more room for that, and on other hosts, it is fetched.) It stays
  // as long as its owner, whatever becomes of array, client and daemon. Blocks until it is there.
  absl::StatusOr<SharedBytes> Map() const;

 private:
  friend class Client;
  friend class WeakArray;
  friend absl::Status AwaitAll(absl::Span<const Array> arrays);
  friend Array Donate(Array array);
  explicit Array(std::shared_ptr<ArrayState> state) : state_(std::move(state)) {}
  Future<ir::Literal> StartFetch(uint64_t& request) const;
  // A fetch that lapses is WeakArray's.
  Event FetchIntoSoon(absl::Span<char> buffer, bool lapses) const;
  Event StartFetchInto(absl::Span<char> buffer, bool lapses, uint64_t& request) const;
  Event StartFetchTo(std::shared_ptr<ByteSink> sink, bool lapses, uint64_t& request) const;
  absl::Status FetchTo(std::shared_ptr<ByteSink> sink) const;
  // FAILED_PRECONDITION for an empty array and for one that was donated.
  absl::Status CheckUsable() const;

  std::shared_ptr<ArrayState> state_;  // Shared by copies; the last one releases the handle.
  bool donates_ = false;               // As an argument: see Donate.
};

// An array that may be gone: it keeps nothing alive, nor does what is asked through it, so all
// others may drop the array and, with it, the execution that makes it. Thread-safe.
class WeakArray {
 public:
  explicit WeakArray(const Array& array) : state_(array.state_) {}
  // Empty when it is gone.
  Array Lock() const { return Array(state_.lock()); }
  // Whether it is there and was not donated.
  bool IsHeld() const;

  // As those of Array, for as long as it is there. When it goes before the answer, Ready is an
  // empty info, as long as no other array of the same execution is held, and a fetch may end with
  // CANCELLED: `buffer` must stay until the event in any case.
  Future<ExecutionInfo> Ready() const;
  Event FetchIntoAsync(absl::Span<char> buffer) const;
  Event FetchIntoSoon(absl::Span<char> buffer) const;

 private:
  std::weak_ptr<ArrayState> state_;
};

// The array as an argument that is donated: Execute(program, {Donate(params), batch}) gives the
// array away, as ExecuteOptions::donated does. Elsewhere it is the array.
Array Donate(Array array);

// Waits for all of `arrays`; OK, or the error of the first (in order) that failed.
absl::Status AwaitAll(absl::Span<const Array> arrays);

// Waits until one of `arrays` is decided, well or badly, and gives its index (the lowest if
// several are). DEADLINE_EXCEEDED at `deadline`, INVALID_ARGUMENT for an empty span.
absl::StatusOr<size_t> AwaitAny(
    absl::Span<const Array> arrays,
    std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max());

}  // namespace acceld::client
