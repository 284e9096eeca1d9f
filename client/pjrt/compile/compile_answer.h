#pragma once

#include <functional>
#include <utility>

#include "absl/types/optional.h"
#include "client/server_info.h"
#include "common/status.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"

namespace acceld::pjrt {

// The daemon's answer to the compilation of one program, requested on demand. Thread-safe.
class CompileAnswer {
 public:
  using Compile = std::function<Future<client::CompileInfo>()>;
  // `compile` sends the request to the daemon. It may wait until the daemon accepts commands, but
  // must not wait for the answer.
  explicit CompileAnswer(Compile compile) : compile_(std::move(compile)) {}

  // Starts the compilation, unless it is running or has succeeded; one that has failed is started
  // again. Blocks only as `compile` does.
  Future<client::CompileInfo> Begin();
  // Starts the compilation as Begin does, blocks until it has ended, and returns the memory that
  // the executable needs. The error of the compilation; UNIMPLEMENTED if the daemon is of an
  // earlier version and does not report memory.
  absl::StatusOr<client::ExecutableMemory> AwaitMemory();
  // Returns the memory that the executable needs, or nullopt if that is not known yet. Never blocks
  // or sends a request.
  absl::optional<client::ExecutableMemory> KnownMemory() const;

 private:
  const Compile compile_;
  mutable Mutex mutex_;
  // Not valid (Future::valid) before Begin.
  Future<client::CompileInfo> answer_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::pjrt
