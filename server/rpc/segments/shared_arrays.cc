#include "server/rpc/segments/shared_arrays.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {
namespace {

constexpr std::chrono::seconds kSweepPause{5};
// How much is copied at a time, so that other clients are served in between.
constexpr size_t kPieceBytes = size_t{4} << 20;
constexpr int kSeals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

absl::Status SystemRefuses() { return absl::ErrnoToStatus(errno, "memory to share an array"); }

// Opens the file of a descriptor again, for reading only. Only with such a descriptor does the
// kernel say whether the file is in use elsewhere (IsUnusedElsewhere).
UniqueFd ReopenFile(int fd) {
  return UniqueFd(open(absl::StrCat("/proc/self/fd/", fd).c_str(), O_RDONLY | O_CLOEXEC));
}

// Whether this is the only descriptor of the file and the file is not mapped anywhere: the kernel
// grants a write lease only then. `fd` must come from ReopenFile.
bool IsUnusedElsewhere(int fd) {
  if (fcntl(fd, F_SETLEASE, F_WRLCK) != 0) return false;
  (void)fcntl(fd, F_SETLEASE, F_UNLCK);
  return true;
}

bool IsSame(const std::weak_ptr<const void>& one, const std::weak_ptr<const void>& other) {
  return !one.owner_before(other) && !other.owner_before(one);
}

}  // namespace

absl::StatusOr<UniqueFd> SharedArrays::Share(const SharedBytes& bytes,
                                             const engine::Identity& identity, Draft& draft) {
  if (!draft.fd.valid()) {
    {
      MutexLock lock(mutex_);
      if (UniqueFd found = Find(bytes.source); found.valid()) return found;
    }
    ACCELD_ASSIGN_OR_RETURN(draft, Begin(bytes.view.size(), identity));
  }
  const absl::string_view piece = bytes.view.substr(draft.filled_bytes, kPieceBytes);
  const ssize_t written =
      pwrite(draft.fd.get(), piece.data(), piece.size(), static_cast<off_t>(draft.filled_bytes));
  if (written < 0 && errno != EINTR) return SystemRefuses();
  draft.filled_bytes += static_cast<size_t>(std::max<ssize_t>(written, 0));
  if (draft.filled_bytes < bytes.view.size()) return UniqueFd();
  return Finish(bytes, std::exchange(draft, {}));
}

UniqueFd SharedArrays::Find(const std::weak_ptr<const void>& source) {
  if (source.expired()) return UniqueFd();
  const auto found = std::find_if(shared_.begin(), shared_.end(), [&source](const Shared& shared) {
    return IsSame(shared.source, source);
  });
  return found == shared_.end() ? UniqueFd() : ReopenFile(found->fd.get());
}

absl::StatusOr<SharedArrays::Draft> SharedArrays::Begin(size_t size_bytes,
                                                        const engine::Identity& identity) {
  if (size_bytes == 0) return absl::InvalidArgumentError("an array of no bytes is not shared");
  Draft draft;
  absl::StatusOr<std::shared_ptr<const void>> room = TakeRoom(size_bytes, identity);
  if (!room.ok()) {
    Sweep();
    room = TakeRoom(size_bytes, identity);
  }
  ACCELD_ASSIGN_OR_RETURN(draft.room, std::move(room));
  draft.fd = UniqueFd(memfd_create("acceld-array", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!draft.fd.valid() || ftruncate(draft.fd.get(), static_cast<off_t>(size_bytes)) != 0) {
    return SystemRefuses();
  }
  return draft;
}

absl::StatusOr<std::shared_ptr<const void>> SharedArrays::TakeRoom(
    size_t size_bytes, const engine::Identity& identity) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<const void> bytes,
                          shares_of_bytes_->Take(identity, size_bytes));
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<const void> array, shares_of_arrays_->Take(identity, 1));
  MutexLock lock(mutex_);
  if (size_bytes > limits_.bytes - std::min(limits_.bytes, bytes_) || arrays_ >= limits_.arrays) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "shared arrays: ", size_bytes, " bytes do not fit, ", bytes_, " of ", limits_.bytes,
        " bytes and ", arrays_, " of ", limits_.arrays, " arrays are in use"));
  }
  bytes_ += size_bytes;
  ++arrays_;
  return std::shared_ptr<const void>(
      this, [weak = weak_from_this(), size_bytes, bytes, array](const void*) {
        const std::shared_ptr<SharedArrays> self = weak.lock();
        if (self == nullptr) return;
        MutexLock lock(self->mutex_);
        self->bytes_ -= size_bytes;
        --self->arrays_;
      });
}

absl::StatusOr<UniqueFd> SharedArrays::Finish(const SharedBytes& bytes, Draft draft) {
  if (fcntl(draft.fd.get(), F_ADD_SEALS, kSeals) != 0) return SystemRefuses();
  UniqueFd fd = ReopenFile(draft.fd.get());
  draft.fd = UniqueFd();
  if (!fd.valid()) return SystemRefuses();
  if (!IsUnusedElsewhere(fd.get())) {
    return absl::UnimplementedError("this system does not tell who has an array");
  }
  MutexLock lock(mutex_);
  // A copy for another client may have been completed in the meantime.
  if (UniqueFd found = Find(bytes.source); found.valid()) return found;
  UniqueFd passed = ReopenFile(fd.get());
  if (!passed.valid()) return SystemRefuses();
  shared_.push_back({bytes.source, std::move(fd), std::move(draft.room)});
  ScheduleSweep();
  return passed;
}

void SharedArrays::Sweep() {
  std::vector<Shared> unused;  // Destroyed without the lock.
  MutexLock lock(mutex_);
  const auto first_unused =
      std::partition(shared_.begin(), shared_.end(),
                     [](const Shared& shared) { return !IsUnusedElsewhere(shared.fd.get()); });
  std::move(first_unused, shared_.end(), std::back_inserter(unused));
  shared_.erase(first_unused, shared_.end());
}

void SharedArrays::ScheduleSweep() {
  if (std::exchange(sweep_is_scheduled_, true)) return;
  timers_.At(std::chrono::steady_clock::now() + kSweepPause, [weak = weak_from_this()] {
    const std::shared_ptr<SharedArrays> self = weak.lock();
    if (self == nullptr) return;
    // Freeing much memory takes long, so a pool's thread does it and not the timers' thread.
    const absl::Status submitted = self->threads_.Submit({.has_share = false}, [weak] {
      if (const std::shared_ptr<SharedArrays> self = weak.lock()) self->SweepAgain();
    });
    MutexLock lock(self->mutex_);
    self->sweep_is_scheduled_ = false;
    if (!submitted.ok()) self->ScheduleSweep();
  });
}

void SharedArrays::SweepAgain() {
  Sweep();
  MutexLock lock(mutex_);
  if (!shared_.empty()) ScheduleSweep();
}

}  // namespace acceld::rpc
