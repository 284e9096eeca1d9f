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

// An array on a device. Its type and device never change; its value, or the error that stands for
// it, is there until it is deleted, which includes being donated. Thread-safe.
struct PJRT_Buffer {
 public:
  PJRT_Buffer(acceld::client::Array array, PJRT_Device* device);
  // The result of an execution that could not be submitted, for this reason.
  PJRT_Buffer(absl::Status error, acceld::ir::TensorType type, PJRT_Device* device);
  ~PJRT_Buffer();
  PJRT_Buffer(const PJRT_Buffer&) = delete;
  PJRT_Buffer& operator=(const PJRT_Buffer&) = delete;

  const acceld::ir::TensorType& type() const { return type_; }
  PJRT_Device* device() const { return device_; }

  // INVALID_ARGUMENT when it has been deleted, or the error that stands for it.
  absl::StatusOr<acceld::client::Array> array() const;
  bool IsDeleted() const;
  // Lets go of the value; work that was submitted with it keeps it, and so do fetches. Does nothing
  // the second time.
  void Delete();
  // Copies the value to `bytes`, which must stay until the event. When the buffer is destroyed
  // before the value is there, nobody wants it any more: the daemon may drop the execution that
  // makes it, and the event may be CANCELLED. Fails as array() does.
  absl::StatusOr<acceld::Event> Fetch(absl::Span<char> bytes);
  // Whether Fetch, if it is next, takes no longer than copying the value: that is there, or has
  // failed. Waits for some hundred microseconds at most. A small value that comes meanwhile, or
  // later, is kept here for the next Fetch, so that asking costs no time.
  bool FetchAhead();
  // Whether the value of a small array on a CPU is in the memory of this process, to be read there
  // as long as the buffer lives. The first question fetches it, and waits a little for one that
  // comes at once, and longer for one that is computed; the answer never changes, as JAX asks more
  // than once on its way.
  bool IsReadInPlace();
  // That value, if it is so; else nullptr.
  std::shared_ptr<const acceld::pjrt::HostValue> value_in_place() const;

 private:
  // The value of a small array, which is fetched unless it was before. Fails as array() does.
  absl::StatusOr<std::shared_ptr<const acceld::pjrt::HostValue>> FetchHere();
  absl::StatusOr<acceld::Event> BeginFetch(absl::Span<char> bytes);

  const acceld::ir::TensorType type_;
  PJRT_Device* const device_;
  mutable acceld::Mutex mutex_;
  absl::StatusOr<acceld::client::Array> array_ ABSL_GUARDED_BY(mutex_);  // empty: deleted
  // Made with the first fetch. Fetches under way have weak pointers to it.
  std::shared_ptr<acceld::pjrt::Fetches> fetches_ ABSL_GUARDED_BY(mutex_);
  // What was asked for ahead of a fetch. Shared with copies of it.
  std::shared_ptr<const acceld::pjrt::HostValue> host_value_ ABSL_GUARDED_BY(mutex_);
  std::optional<bool> is_read_in_place_ ABSL_GUARDED_BY(mutex_);
};
