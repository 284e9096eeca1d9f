#pragma once

#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "common/check.h"
#include "common/files/unique_fd.h"

namespace acceld::testing {

// The service manager's end of sd_notify(3).
class NotifySocket {
 public:
  // A path, or @NAME for one without a file.
  explicit NotifySocket(std::string address) : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un bound{.sun_family = AF_UNIX};
    if (address[0] == '@') address[0] = '\0';
    address.copy(bound.sun_path, sizeof(bound.sun_path) - 1);
    const timeval patience{.tv_sec = 60, .tv_usec = 0};
    ACCELD_CHECK(bind(fd_.get(), reinterpret_cast<sockaddr*>(&bound),
                      offsetof(sockaddr_un, sun_path) + address.size()) == 0);
    ACCELD_CHECK(setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0);
  }

  // The next message; empty when none comes within a minute.
  std::string Next() {
    char buffer[4096];
    const ssize_t size = recv(fd_.get(), buffer, sizeof(buffer), 0);
    return size < 0 ? "" : std::string(buffer, static_cast<size_t>(size));
  }
  // The next one that begins so.
  std::string Next(absl::string_view begin) {
    std::string message = Next();
    while (!message.empty() && message.compare(0, begin.size(), begin.data(), begin.size()) != 0) {
      message = Next();
    }
    return message;
  }

 private:
  UniqueFd fd_;
};

}  // namespace acceld::testing
