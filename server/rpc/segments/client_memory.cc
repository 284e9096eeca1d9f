#include "server/rpc/segments/client_memory.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <limits>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/threads/future.h"

namespace acceld::rpc {
namespace {

// A thread copies fewer bytes than this before another thread has woken up to help.
constexpr size_t kMinBytesForHelper = size_t{1} << 20;

}  // namespace

absl::StatusOr<ClientMemory> ClientMemory::Accept(UniqueFd fd) {
  // Only in-memory files have seals, so this fails for all others.
  if (!fd.valid() || fcntl(fd.get(), F_GET_SEALS) < 0) {
    return absl::InvalidArgumentError("what is lent is no shared memory");
  }
  return ClientMemory(std::move(fd));
}

absl::Status ClientMemory::Read(uint64_t offset, absl::Span<char> to, const Helper& helper) const {
  if (to.size() < kMinBytesForHelper) return ReadAlone(offset, to);
  const size_t first = to.size() / 2;
  // Shared with the helper's work, which may run after Read has returned.
  struct Rest {
    std::atomic<bool> taken{false};
    Promise<Unit> read;
  };
  const auto rest = std::make_shared<Rest>();
  const Event read = rest->read.future();
  const auto read_rest = [this, offset, to, first] {
    return ReadAlone(offset + first, to.subspan(first));
  };
  helper([rest, read_rest] {
    if (rest->taken.exchange(true)) return;
    const absl::Status status = read_rest();
    rest->read.Set(status.ok() ? absl::StatusOr<Unit>(Unit{}) : status);
  });
  const absl::Status status = ReadAlone(offset, to.first(first));
  const absl::Status of_rest = rest->taken.exchange(true) ? read.Await().status() : read_rest();
  return status.ok() ? of_rest : status;
}

absl::Status ClientMemory::ReadAlone(uint64_t offset, absl::Span<char> to) const {
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
