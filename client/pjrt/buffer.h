#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/types/span.h"
#include "client/array.h"
#include "client/pjrt/abi/abi.h"
#include "client/pjrt/device.h"
#include "client/pjrt/fetches.h"
#include "common/future.h"
#include "common/ir/type.h"
#include "common/mutex.h"
#include "common/status.h"

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

 private:
  const acceld::ir::TensorType type_;
  PJRT_Device* const device_;
  mutable acceld::Mutex mutex_;
  absl::StatusOr<acceld::client::Array> array_ ABSL_GUARDED_BY(mutex_);  // empty: deleted
  // Made with the first fetch. Fetches under way have weak pointers to it.
  std::shared_ptr<acceld::pjrt::Fetches> fetches_ ABSL_GUARDED_BY(mutex_);
  // What FetchAhead has asked for.
  struct Ahead {
    std::shared_ptr<std::string> bytes;  // Shared with the fetch.
    acceld::Event fetched;
  };
  Ahead ahead_ ABSL_GUARDED_BY(mutex_);
};
