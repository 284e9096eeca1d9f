#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"

// Whether a unix socket is the one of whom it is taken for. Folders such as /tmp let every user of
// the machine make names first, so who talks to a socket, or makes one, looks at its owners before.
namespace acceld {

// The users whose sockets and folders this process relies on: its own user, root, and one more
// where the configuration names one.
class TrustedUsers {
 public:
  TrustedUsers() = default;
  // `advice` ends messages: how another user would be trusted.
  explicit TrustedUsers(absl::optional<uid_t> another, std::string advice = "")
      : another_(another), advice_(std::move(advice)) {}

  bool Include(uid_t user) const;
  // "ann (uid 1000) or root (uid 0)"
  std::string ToString() const;
  const std::string& advice() const { return advice_; }

 private:
  absl::optional<uid_t> another_;
  std::string advice_;
};

// "ann (uid 1000)", or "uid 1000" for one without a name.
std::string DescribeUser(uid_t user);

// The number of a user that is given by name or number. INVALID_ARGUMENT when there is none.
absl::StatusOr<uid_t> FindUser(const std::string& user);

// OK when only `trusted` users can make files in the folder of this path: it belongs to one of them
// and has no write permission for its group or others, also not with the sticky bit. Says
// PERMISSION_DENIED with the folder, its owner or mode, and who is trusted; NOT_FOUND when there is
// no such folder; else what the system says.
absl::Status CheckSocketFolder(const std::string& socket_path, const TrustedUsers& trusted);

// OK when the socket file and its folder, and those that a symbolic link leads to, belong to
// `trusted` users. NOT_FOUND when there is no such file; else as above.
absl::Status CheckSocketFile(const std::string& socket_path, const TrustedUsers& trusted);

// OK when the other side of this connected unix socket, by what the kernel says of it, is a process
// of a `trusted` user: nothing can be put in its place any more. PERMISSION_DENIED otherwise.
absl::Status CheckPeer(int socket, absl::string_view socket_path, const TrustedUsers& trusted);

}  // namespace acceld
