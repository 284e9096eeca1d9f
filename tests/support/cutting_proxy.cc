#include "tests/support/cutting_proxy.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <utility>

#include "common/check.h"

namespace acceld::testing {
namespace {

sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address = {.sun_family = AF_UNIX};
  ACCELD_CHECK(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
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
  std::thread thread;

  void Shutdown() const {
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

CuttingProxy::CuttingProxy(std::string path, std::string target_path)
    : target_path_(std::move(target_path)) {
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = AddressOf(path);
  ACCELD_CHECK(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
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
    if (stopping_ || client < 0) {
      close(client);
      return;
    }
    auto link = std::make_unique<Link>();
    link->client = client;
    link->server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = AddressOf(target_path_);
    if (refuse_ ||
        connect(link->server, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      continue;
    }
    link->thread = std::thread([this, raw = link.get()] { Forward(*raw); });
    links_.push_back(std::move(link));
  }
}

void CuttingProxy::Forward(Link& link) {
  pollfd ends[] = {{.fd = link.client, .events = POLLIN}, {.fd = link.server, .events = POLLIN}};
  while (poll(ends, 2, -1) > 0) {
    if (ends[0].revents != 0 && !Copy(link.client, link.server)) break;
    if (ends[1].revents != 0 && !Copy(link.server, link.client)) break;
  }
  link.Shutdown();
}

}  // namespace acceld::testing
