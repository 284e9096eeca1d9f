#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"

// Checks that a unix socket belongs to a trusted user. In folders such as /tmp every user of the
// machine can create a name first, so a process that connects to a socket or creates one has to
// check the owners first.
namespace acceld {

// The users whose sockets and folders this process trusts: its own user, root, and one more user if
// the configuration names one.
class TrustedUsers {
 public:
  TrustedUsers() = default;
  // `advice` is appended to messages and says how another user can be trusted.
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

// Returns "ann (uid 1000)", or "uid 1000" for a user without a name.
std::string DescribeUser(uid_t user);

// Returns the number of a user that is given by name or number. INVALID_ARGUMENT when there is no
// user of that name.
absl::StatusOr<uid_t> FindUser(const std::string& user);

// Returns OK if only `trusted` users can create files in the folder of this path: it belongs to one
// of them, and neither its group nor others may write to it (the sticky bit does not help).
// Otherwise PERMISSION_DENIED with the folder, its owner or mode, and who is trusted; NOT_FOUND
// when there is no such folder; or another error of the system.
absl::Status CheckSocketFolder(const std::string& socket_path, const TrustedUsers& trusted);

// Returns OK if the folder of the socket file passes CheckSocketFolder and the file belongs to a
// `trusted` user. Both must also hold for the target if the file is a symbolic link. NOT_FOUND when
// there is no such file; else the errors of CheckSocketFolder.
absl::Status CheckSocketFile(const std::string& socket_path, const TrustedUsers& trusted);

// Returns OK if the process at the other end of this connected unix socket runs as a `trusted`
// user, as the kernel reports it (SO_PEERCRED). Unlike a checked file, the checked end of a
// connection cannot be replaced afterwards. PERMISSION_DENIED otherwise.
absl::Status CheckPeer(int socket, absl::string_view socket_path, const TrustedUsers& trusted);

}  // namespace acceld
