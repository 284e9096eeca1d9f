#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/integration/daemon/daemon_fixture.h"
#include "tests/integration/raw_client.h"
#include "tests/support/net/certificates.h"

namespace acceld::testing {

// Tests of who may do what: a daemon on a unix socket and, with TLS, on a port
// of this machine. It knows tokens of ann and bob (users), pia (a publisher)
// and ada (an admin), and client certificates of an authority.
class AccessTest : public DaemonTest {
 protected:
  AccessTest();

  // With metrics.
  void StartDaemon(std::vector<std::string> flags = {});
  void StartWithTls(std::vector<std::string> flags = {});

  // "HOST:PORT" of the TCP address that the daemon listens on.
  std::string tcp_target();
  std::string tls_address() { return "tls://" + tcp_target(); }

  // Calls with a token, or a certificate, or nothing, over TLS.
  std::unique_ptr<RawClient> WithToken(const std::string& token);
  std::unique_ptr<RawClient> As(const std::string& name) { return WithToken(tokens_.at(name)); }
  std::unique_ptr<RawClient> With(const CertificateFiles& files);
  std::unique_ptr<RawClient> AsNobody() { return WithToken(""); }
  // A session by the client library, over TLS with a token.
  std::shared_ptr<client::Client> ConnectAs(const std::string& name);

  // The same without a session.
  std::unique_ptr<client::Admin> AdminAs(const std::string& name);

  // What the metrics page says of a sample, as "name" or "name{label="value"}"; 0 when it has none.
  double Metric(const std::string& sample);
  // How many were refused for this reason so far.
  double Refusals(const std::string& reason);
  // That `call` is refused with this code, counted once for this reason, and
  // logged with it and `log`, a regular expression for what stands behind it.
  void ExpectRefused(const std::function<grpc::Status()>& call, grpc::StatusCode code,
                     const std::string& reason, const std::string& log);

  // Writes the file of tokens.
  void WriteTokens();

  const Authority authority_;
  const CertificateFiles server_;
  std::map<std::string, std::string> tokens_, roles_;  // by name
  const std::string tokens_file_ = folder_.path() + "/tokens";

 private:
  uint16_t metrics_port();

  size_t log_begin_ = 0;  // of the daemon that runs now
};

// The answer to ListDevices.
grpc::Status ListDevices(RawClient& raw);

}  // namespace acceld::testing
