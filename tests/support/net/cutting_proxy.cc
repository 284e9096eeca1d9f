#include "tests/support/net/cutting_proxy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"
#include "common/check.h"

namespace acceld::testing {
namespace {

// Of a socket.
struct Endpoint {
  union {
    sockaddr any;
    sockaddr_un unix;
    sockaddr_in ip;
  };
  socklen_t size = 0;
};

Endpoint EndpointOf(const std::string& text) {
  Endpoint address{};
  if (text.front() == '/') {
    address.unix.sun_family = AF_UNIX;
    ACCELD_CHECK(text.size() < sizeof(address.unix.sun_path));
    std::memcpy(address.unix.sun_path, text.data(), text.size());
    address.size = sizeof(address.unix);
    return address;
  }
  const size_t colon = text.find(':');
  uint32_t port = 0;
  ACCELD_CHECK(absl::SimpleAtoi(text.substr(colon + 1), &port));
  address.ip.sin_family = AF_INET;
  address.ip.sin_port = htons(static_cast<uint16_t>(port));
  ACCELD_CHECK(inet_pton(AF_INET, text.substr(0, colon).c_str(), &address.ip.sin_addr) == 1);
  address.size = sizeof(address.ip);
  return address;
}

int NewSocket(const Endpoint& address) {
  return socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

// False at the end of the stream.
bool Copy(int from, int to) {
  char buffer[64 << 10];
  const ssize_t size = read(from, buffer, sizeof(buffer));
  if (size <= 0) return false;
  for (ssize_t at = 0; at < size;) {
    const ssize_t written = send(to, buffer + at, size - at, MSG_NOSIGNAL);
    if (written <= 0) return false;
    at += written;
  }
  return true;
}

}  // namespace

struct CuttingProxy::Link {
  int client = -1, server = -1;
  std::atomic<bool> ended{false};
  std::thread thread;

  void Shutdown() {
    ended = true;
    shutdown(client, SHUT_RDWR);
    shutdown(server, SHUT_RDWR);
  }
  ~Link() {
    Shutdown();
    if (thread.joinable()) thread.join();
    close(client);
    close(server);
  }
};

CuttingProxy::CuttingProxy(const std::string& listen_at, std::string target)
    : target_(std::move(target)) {
  const Endpoint address = EndpointOf(listen_at);
  listener_ = NewSocket(address);
  ACCELD_CHECK(bind(listener_, &address.any, address.size) == 0);
  ACCELD_CHECK(listen(listener_, 64) == 0);
  acceptor_ = std::thread([this] { Accept(); });
}

CuttingProxy::~CuttingProxy() {
  {
    MutexLock lock(mutex_);
    stopping_ = true;
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  Cut();
}

void CuttingProxy::Cut() {
  std::vector<std::unique_ptr<Link>> links;
  MutexLock lock(mutex_);
  links.swap(links_);
  for (const auto& link : links) link->Shutdown();
}

void CuttingProxy::Refuse(bool refuse) {
  MutexLock lock(mutex_);
  refuse_ = refuse;
}

void CuttingProxy::Accept() {
  while (true) {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    MutexLock lock(mutex_);
    if (stopping_) {
      close(client);
      return;
    }
    if (client < 0) continue;  // Who came has gone already.
    auto link = std::make_unique<Link>();
    link->client = client;
    const Endpoint address = EndpointOf(target_);
    link->server = NewSocket(address);
    if (refuse_ || connect(link->server, &address.any, address.size) != 0) {
      continue;
    }
    link->thread = std::thread([this, raw = link.get()] { Forward(*raw); });
    links_.push_back(std::move(link));
  }
}

void CuttingProxy::Forward(Link& link) {
  pollfd ends[] = {{.fd = link.client, .events = POLLIN}, {.fd = link.server, .events = POLLIN}};
  while (poll(ends, 2, -1) > 0) {
    for (int64_t waited = 0; waited < delay_ms_ && !link.ended; ++waited) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (ends[0].revents != 0 && !Copy(link.client, link.server)) break;
    if (ends[1].revents != 0 && !Copy(link.server, link.client)) break;
  }
  link.Shutdown();
}

}  // namespace acceld::testing
