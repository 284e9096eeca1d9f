#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/threads/mutex.h"

namespace acceld::testing {

// Stands between clients and a server, on sockets, and breaks or slows their connections when told
// to.
// One thread for each connection. Any thread may call.
class CuttingProxy {
 public:
  // Listens at one and connects every client to the other: paths, or IPv4 addresses "IP:PORT".
  CuttingProxy(const std::string& listen_at, std::string target);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  // Breaks every connection. Those to come are served.
  void Cut();
  // From now on connections are accepted and closed at once, or served again.
  void Refuse(bool refuse);
  // From now on whatever comes, from either side, is kept for so long before it goes on, and not
  // more than 64 KiB of it at a time. What is kept already goes on when that is past by then.
  void Delay(std::chrono::milliseconds delay) { delay_ms_ = delay.count(); }

 private:
  struct Link;

  void Accept();
  void Forward(Link& link);

  const std::string target_;
  int listener_ = -1;
  std::atomic<int64_t> delay_ms_{0};
  Mutex mutex_;
  bool refuse_ ABSL_GUARDED_BY(mutex_) = false;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<Link>> links_ ABSL_GUARDED_BY(mutex_);
  std::thread acceptor_;
};

// Breaks all connections of a proxy again and again while it lives. Each pause is a little longer
// than the one before, so that on a busy machine, too, everything gets through at last.
class Cutter {
 public:
  Cutter(CuttingProxy& proxy, std::chrono::milliseconds pause)
      : thread_([this, &proxy, pause]() mutable {
          while (!stop_) {
            std::this_thread::sleep_for(pause);
            proxy.Cut();
            pause += pause / 16 + std::chrono::milliseconds(1);
          }
        }) {}
  ~Cutter() {
    stop_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace acceld::testing
