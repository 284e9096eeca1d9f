#include "client/pjrt/compile/compile_answer.h"

#include <memory>

namespace acceld::pjrt {

Future<client::CompileInfo> CompileAnswer::Begin() {
  const auto promise = std::make_shared<Promise<client::CompileInfo>>();
  const Future<client::CompileInfo> answer = promise->future();
  {
    MutexLock lock(mutex_);
    if (answer_.valid() && !(answer_.IsReady() && !answer_.Await().ok())) return answer_;
    answer_ = answer;
  }
  // Called without the lock, because it may wait until the daemon accepts commands.
  compile_().OnReady(
      [promise](const absl::StatusOr<client::CompileInfo>& info) { promise->Set(info); });
  return answer;
}

absl::StatusOr<client::ExecutableMemory> CompileAnswer::AwaitMemory() {
  const Future<client::CompileInfo> answer = Begin();
  ACCELD_RETURN_IF_ERROR(answer.Await().status());
  if (answer.Await()->memory.has_value()) return *answer.Await()->memory;
  return absl::UnimplementedError(
      "the daemon does not say what memory executables take: it is of an earlier version");
}

absl::optional<client::ExecutableMemory> CompileAnswer::KnownMemory() const {
  MutexLock lock(mutex_);
  if (!answer_.valid() || !answer_.IsReady() || !answer_.Await().ok()) return absl::nullopt;
  return answer_.Await()->memory;
}

}  // namespace acceld::pjrt
