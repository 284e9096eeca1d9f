#pragma once

#include <memory>
#include <string>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/daemon/daemon_process.h"
#include "tests/support/eventually.h"
#include "tests/support/net/certificates.h"

namespace acceld::testing {

// Tests of several real daemons that clients choose from. Each has a folder and a unix socket of
// its own, and speaks TLS at its own address, 127.0.0.2, 127.0.0.3 ..., at the same port, with a
// certificate for "acceld.test" only. That name stands for all of them in this process.
class SeveralTest : public ::testing::Test {
 protected:
  SeveralTest();
  // Says what the daemons logged when the test has failed.
  void TearDown() override;

  void StartDaemons(size_t count);
  // SIGKILL.
  void Kill(size_t daemon);
  void Drain(size_t daemon);

  // The daemon's own unix socket.
  client::ServerStats StatsOf(size_t daemon) const;
  const std::string& SocketOf(size_t daemon) const { return daemons_[daemon].address; }
  std::string ListOfSockets() const;
  // "127.0.0.2:PORT"
  std::string EndpointOf(size_t daemon) const;
  // "tls://NAME:PORT"
  std::string NameAddress(const std::string& name = "acceld.test") const;
  // "tls://acceld.test@127.0.0.2:PORT"
  std::string TlsAddressOf(size_t daemon) const;
  // How many sessions each has now.
  std::vector<uint64_t> Sessions() const;
  // The daemon of a client; daemons_.size() and a failure for none.
  size_t DaemonOf(const client::Client& client) const;

  // As a user of all daemons.
  client::ConnectOptions Options(const std::string& address) const;
  std::shared_ptr<client::Client> Connect(const std::string& address) const;

  const TempDir folder_;
  const Authority authority_;
  const CertificateFiles certificate_;
  std::vector<Daemon> daemons_;
  uint16_t port_ = 0;
};

// Uploads, computes and fetches a megabyte, which takes all of a session's connections.
void ExpectWorks(client::Client& client);

}  // namespace acceld::testing
