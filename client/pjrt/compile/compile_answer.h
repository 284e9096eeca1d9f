#pragma once

#include <functional>
#include <utility>

#include "absl/types/optional.h"
#include "client/server_info.h"
#include "common/status.h"
#include "common/threads/future.h"
#include "common/threads/mutex.h"

namespace acceld::pjrt {

// What the daemon says of a program that it has compiled, when somebody asks. Thread-safe.
class CompileAnswer {
 public:
  using Compile = std::function<Future<client::CompileInfo>()>;
  // `compile` asks the daemon. It may wait until the daemon takes in commands, not for the answer.
  explicit CompileAnswer(Compile compile) : compile_(std::move(compile)) {}

  // Has the program compiled, unless that is under way or done; waits as `compile` does. After a
  // compile that has failed it is tried again.
  Future<client::CompileInfo> Begin();
  // The same, and blocks until the answer is there. The compile's error; UNIMPLEMENTED for a daemon
  // of an earlier version, which does not say.
  absl::StatusOr<client::ExecutableMemory> AwaitMemory();
  // What is known now, if anything. Never waits and asks nobody.
  absl::optional<client::ExecutableMemory> KnownMemory() const;

 private:
  const Compile compile_;
  mutable Mutex mutex_;
  Future<client::CompileInfo> answer_ ABSL_GUARDED_BY(mutex_);  // Not valid before Begin.
};

}  // namespace acceld::pjrt
