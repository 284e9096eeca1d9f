#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/types/span.h"
#include "client/array.h"
#include "client/pjrt/abi/abi.h"
#include "client/pjrt/devices/device.h"
#include "client/pjrt/transfer/fetches.h"
#include "client/pjrt/transfer/host_value.h"
#include "common/ir/types/type.h"
#include "common/status.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"

// An array on a device. Its type and device never change. It has a value, or an error in place of
// the value, until it is deleted or donated. Thread-safe.
struct PJRT_Buffer {
 public:
  PJRT_Buffer(acceld::client::Array array, PJRT_Device* device);
  // Represents the result of an execution that could not be submitted because of `error`.
  PJRT_Buffer(absl::Status error, acceld::ir::TensorType type, PJRT_Device* device);
  ~PJRT_Buffer();
  PJRT_Buffer(const PJRT_Buffer&) = delete;
  PJRT_Buffer& operator=(const PJRT_Buffer&) = delete;

  const acceld::ir::TensorType& type() const { return type_; }
  PJRT_Device* device() const { return device_; }

  // Returns the array. INVALID_ARGUMENT if it has been deleted or donated; otherwise the error in
  // place of the value.
  absl::StatusOr<acceld::client::Array> array() const;
  bool IsDeleted() const;
  // Releases the value. Work that was submitted with it, and pending fetches, keep it. Idempotent.
  void Delete();
  // Copies the value to `bytes`, which must remain valid until the event completes. If the buffer
  // is destroyed before the value is ready, nothing needs it any more: the daemon may cancel the
  // execution that makes it, and the event may fail with CANCELLED. The errors of array().
  absl::StatusOr<acceld::Event> Fetch(absl::Span<char> bytes);
  // Returns whether a Fetch would take no longer than copying the value, because the value is ready
  // or has failed. Waits for at most some hundred microseconds. A small value that arrives then or
  // later is stored here for the next Fetch, so calling this costs no additional time.
  bool FetchAhead();
  // Returns whether the framework may read the value in the memory of this process, at an address
  // that is valid as long as the buffer; only possible for a small array on a CPU device. The first
  // call fetches the value: it waits some hundred microseconds for it, and up to 100 ms if it has
  // been computed but has not arrived. The result never changes afterwards, because JAX calls this
  // several times for one access.
  bool IsReadInPlace();
  // Returns that value if IsReadInPlace has returned true, else nullptr.
  std::shared_ptr<const acceld::pjrt::HostValue> value_in_place() const;

 private:
  // Returns the value of a small array in memory of this process, and starts to fetch it if
  // necessary. The errors of array().
  absl::StatusOr<std::shared_ptr<const acceld::pjrt::HostValue>> FetchToHost();
  absl::StatusOr<acceld::Event> BeginFetch(absl::Span<char> bytes);

  const acceld::ir::TensorType type_;
  PJRT_Device* const device_;
  mutable acceld::Mutex mutex_;
  // Empty if the array was deleted.
  absl::StatusOr<acceld::client::Array> array_ ABSL_GUARDED_BY(mutex_);
  // Created by the first fetch. Pending fetches have weak pointers to it.
  std::shared_ptr<acceld::pjrt::Fetches> fetches_ ABSL_GUARDED_BY(mutex_);
  // A value that FetchAhead or IsReadInPlace has fetched. Shared with users that copy or read it.
  std::shared_ptr<const acceld::pjrt::HostValue> host_value_ ABSL_GUARDED_BY(mutex_);
  std::optional<bool> is_read_in_place_ ABSL_GUARDED_BY(mutex_);
};
