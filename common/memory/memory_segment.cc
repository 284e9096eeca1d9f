#include "common/memory/memory_segment.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"

namespace acceld {
namespace {

constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

absl::StatusOr<char*> MapWhole(int fd, size_t size_bytes) {
  void* const address = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address == MAP_FAILED) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", size_bytes, " shared bytes"));
  }
  return static_cast<char*>(address);
}

}  // namespace

absl::StatusOr<MemorySegment> MemorySegment::Create(size_t size_bytes) {
  MemorySegment segment;
  segment.fd_ = UniqueFd(memfd_create("acceld", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  const int fd = segment.fd();
  if (fd < 0 || ftruncate(fd, static_cast<off_t>(size_bytes)) != 0 ||
      fcntl(fd, F_ADD_SEALS, kSeals) != 0) {
    return absl::ErrnoToStatus(
        errno, absl::StrCat("cannot make a segment of ", size_bytes, " shared bytes"));
  }
  ACCELD_ASSIGN_OR_RETURN(segment.data_, MapWhole(fd, size_bytes));
  segment.size_bytes_ = size_bytes;
  return segment;
}

absl::StatusOr<MemorySegment> MemorySegment::Map(UniqueFd fd) {
  struct stat info = {};
  struct statfs system = {};
  if (fstat(fd.get(), &info) != 0 || fstatfs(fd.get(), &system) != 0) {
    return absl::ErrnoToStatus(errno, "a segment of shared memory");
  }
  // Touching a page of another file system may fail, which ends the process.
  if (system.f_type != TMPFS_MAGIC || (fcntl(fd.get(), F_GET_SEALS) & F_SEAL_SHRINK) == 0 ||
      info.st_size <= 0) {
    return absl::InvalidArgumentError("not a sealed segment of shared memory");
  }
  MemorySegment segment;
  segment.fd_ = std::move(fd);
  segment.size_bytes_ = static_cast<size_t>(info.st_size);
  ACCELD_ASSIGN_OR_RETURN(segment.data_, MapWhole(segment.fd(), segment.size_bytes_));
  return segment;
}

absl::StatusOr<SharedBytes> MapImmutable(const UniqueFd& fd) {
  struct stat info = {};
  if (fstat(fd.get(), &info) != 0) return absl::ErrnoToStatus(errno, "shared memory");
  constexpr int kImmutableSeals = F_SEAL_WRITE | F_SEAL_SHRINK;
  const int seals = fcntl(fd.get(), F_GET_SEALS);
  if (seals < 0 || (seals & kImmutableSeals) != kImmutableSeals || info.st_size <= 0) {
    return absl::InvalidArgumentError("not shared memory that stays as it is");
  }
  const auto size_bytes = static_cast<size_t>(info.st_size);
  void* const address = mmap(nullptr, size_bytes, PROT_READ, MAP_SHARED, fd.get(), 0);
  if (address == MAP_FAILED) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot map ", size_bytes, " shared bytes"));
  }
  std::shared_ptr<const void> owner(
      address, [size_bytes](const void* mapped) { munmap(const_cast<void*>(mapped), size_bytes); });
  return SharedBytes{{static_cast<const char*>(address), size_bytes}, std::move(owner), {}};
}

absl::Status MemorySegment::AllocatePages() {
  (void)madvise(data_, size_bytes_,
                MADV_HUGEPAGE);  // Has an effect if the system is configured so.
  if (fallocate(fd(), 0, 0, static_cast<off_t>(size_bytes_)) == 0) return absl::OkStatus();
  return absl::ErrnoToStatus(errno, absl::StrCat("no memory for ", size_bytes_, " shared bytes"));
}

MemorySegment::MemorySegment(MemorySegment&& other) noexcept
    : fd_(std::move(other.fd_)),
      data_(std::exchange(other.data_, nullptr)),
      size_bytes_(std::exchange(other.size_bytes_, 0)) {}

MemorySegment& MemorySegment::operator=(MemorySegment&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(data_, other.data_);
  std::swap(size_bytes_, other.size_bytes_);
  return *this;
}

MemorySegment::~MemorySegment() {
  if (data_ != nullptr) munmap(data_, size_bytes_);
}

}  // namespace acceld
