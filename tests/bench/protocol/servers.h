#pragma once

#include <memory>
#include <string>

#include "client/client.h"
#include "tests/bench/protocol/peer.h"
#include "tests/support/daemon/daemon_process.h"
#include "tests/support/daemon/process.h"
#include "tests/support/net/certificates.h"

namespace acceld::bench {

// A daemon that listens on a unix socket, on TCP and on TLS, each on this machine. Over TCP and TLS
// its clients are identified by a token. One thread.
class BenchDaemon {
 public:
  // `folder` is for its files; it may hold one daemon. The certificate is for TLS.
  BenchDaemon(const std::string& folder, const testing::Authority& authority,
              const testing::CertificateFiles& certificate);

  // How a client reaches the daemon over gRPC, as one on another host does.
  client::ConnectOptions Over(Transport transport) const;
  // How a client on the same host reaches it: by unix sockets and shared memory.
  client::ConnectOptions Local() const;
  pid_t pid() const { return daemon_.process.pid(); }

 private:
  const std::string authority_;  // the path of its certificate
  testing::Daemon daemon_;
  std::string tcp_address_, tls_address_;
};

}  // namespace acceld::bench
