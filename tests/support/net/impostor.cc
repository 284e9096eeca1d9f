#include "tests/support/net/impostor.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace acceld::testing {

Impostor::Impostor(std::string answer, bool forever)
    : answer_(std::move(answer)), forever_(forever) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ACCELD_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0);
  ACCELD_CHECK(listen(listener_, 64) == 0);
  ACCELD_CHECK(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  thread_ = std::thread([this] { Serve(); });
}

Impostor::~Impostor() {
  shutdown(listener_, SHUT_RDWR);
  thread_.join();
  close(listener_);
}

void Impostor::Serve() {
  std::vector<std::thread> connections;
  for (int peer; (peer = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;) {
    connections.emplace_back([this, peer] {
      const auto answers = [&] {
        return send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL) > 0;
      };
      std::string bytes(4096, '\0');
      while (read(peer, bytes.data(), bytes.size()) > 0 && answers()) {
        while (forever_ && answers()) {
        }
      }
      close(peer);
    });
  }
  for (std::thread& connection : connections) connection.join();
}

}  // namespace acceld::testing
