#include "kernels/cpu/support/poll.h"

#include <algorithm>
#include <cstring>

#include "kernels/cpu/support/helper_pool.h"

namespace acceld::kernels::cpu {
namespace {

// About two milliseconds of copying.
constexpr int64_t kPieceBytes = int64_t{8} << 20;

}  // namespace

int32_t PollInterrupts(const LaunchContext* context) {
  bool goes_on = false;
  if (context->interrupt_handler != nullptr) {
    // A helper that pauses inside a tile is not available to other runs.
    const HelperPool::ScopedBlockingCall absence;
    goes_on = context->interrupt_handler->WaitWhilePaused();
  }
  return static_cast<int32_t>(goes_on ? CodeStatus::kOk : CodeStatus::kCancelled);
}

int32_t CopyInPieces(const LaunchContext* context, void* to, const void* from, int64_t size_bytes) {
  if (to == from) return static_cast<int32_t>(CodeStatus::kOk);
  for (int64_t at = 0; at < size_bytes; at += kPieceBytes) {
    if (const int32_t status = Poll(*context); status != 0) return status;
    std::memcpy(static_cast<char*>(to) + at, static_cast<const char*>(from) + at,
                static_cast<size_t>(std::min(kPieceBytes, size_bytes - at)));
  }
  return static_cast<int32_t>(CodeStatus::kOk);
}

int32_t ClearInPieces(const LaunchContext* context, void* to, int64_t size_bytes) {
  for (int64_t at = 0; at < size_bytes; at += kPieceBytes) {
    if (const int32_t status = Poll(*context); status != 0) return status;
    std::memset(static_cast<char*>(to) + at, 0,
                static_cast<size_t>(std::min(kPieceBytes, size_bytes - at)));
  }
  return static_cast<int32_t>(CodeStatus::kOk);
}

}  // namespace acceld::kernels::cpu
