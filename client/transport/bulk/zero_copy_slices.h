#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/threads/mutex.h"
#include "grpcpp/support/slice.h"

namespace acceld::client {

// Memory that gRPC reads without copying it. The owner of the memory waits, before freeing it,
// until gRPC has released all slices; gRPC does that soon after the call or the connection has
// ended.
class ZeroCopySlices {
 public:
  ZeroCopySlices() = default;
  ~ZeroCopySlices() { Await(); }
  ZeroCopySlices(const ZeroCopySlices&) = delete;
  ZeroCopySlices& operator=(const ZeroCopySlices&) = delete;

  // Returns a slice that refers to `bytes`.
  grpc::Slice PassMemory(absl::string_view bytes) {
    {
      MutexLock lock(mutex_);
      ++out_;
    }
    return grpc::Slice(
        const_cast<char*>(bytes.data()), bytes.size(),
        [](void* loan) { static_cast<ZeroCopySlices*>(loan)->GiveBack(); }, this);
  }
  // Blocks until gRPC has released all slices.
  void Await() {
    MutexLock lock(mutex_);
    while (out_ > 0) back_.Wait(mutex_);
  }

 private:
  void GiveBack() {
    MutexLock lock(mutex_);
    if (--out_ == 0) back_.NotifyAll();
  }

  Mutex mutex_;
  CondVar back_;
  size_t out_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace acceld::client
