#include "server/rpc/segments/lent_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <limits>

#include "absl/strings/str_cat.h"

namespace acceld::rpc {

absl::StatusOr<LentMemory> LentMemory::Accept(UniqueFd fd) {
  // Files in memory alone have seals.
  if (!fd.valid() || fcntl(fd.get(), F_GET_SEALS) < 0) {
    return absl::InvalidArgumentError("what is lent is no shared memory");
  }
  return LentMemory(std::move(fd));
}

absl::Status LentMemory::Read(uint64_t offset, absl::Span<char> to) const {
  if (offset > static_cast<uint64_t>(std::numeric_limits<off_t>::max()) - to.size()) {
    return absl::InvalidArgumentError(absl::StrCat("bytes from ", offset, " on of lent memory"));
  }
  if (!fd_.valid()) return absl::FailedPreconditionError("no memory is lent");
  auto at = static_cast<off_t>(offset);
  while (!to.empty()) {
    const ssize_t got = pread(fd_.get(), to.data(), to.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return absl::ErrnoToStatus(errno, "lent memory");
    if (got == 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("lent memory ends at ", at, ", ", to.size(), " bytes too early"));
    }
    to.remove_prefix(static_cast<size_t>(got));
    at += got;
  }
  return absl::OkStatus();
}

}  // namespace acceld::rpc
