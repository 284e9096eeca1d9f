#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/threads/mutex.h"
#include "grpcpp/support/slice.h"

namespace acceld::client {

// Memory that gRPC reads without copying it. The lender waits until all of it is back, which it is
// soon after the call has ended, or the connection.
class Loan {
 public:
  Loan() = default;
  ~Loan() { Await(); }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;

  grpc::Slice Lend(absl::string_view bytes) {
    {
      MutexLock lock(mutex_);
      ++out_;
    }
    return grpc::Slice(
        const_cast<char*>(bytes.data()), bytes.size(),
        [](void* loan) { static_cast<Loan*>(loan)->GiveBack(); }, this);
  }
  // Blocks.
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
