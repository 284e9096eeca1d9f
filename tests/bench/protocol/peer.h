#pragma once

#include <string>

#include "tests/support/daemon/process.h"
#include "tests/support/net/certificates.h"

// What the protocol is compared with: another process that answers as simply as possible.
namespace acceld::bench {

// The transports over which both the peer and the daemon serve gRPC.
enum class Transport { kUnix, kTcp, kTls };

// Where the peer listens.
struct PeerAddresses {
  std::string raw_path;     // of a plain unix socket that echoes what it reads
  std::string unix_target;  // gRPC targets
  std::string tcp_target, tls_target;
  std::string authority_pem;  // the authority of the certificate on tls_target
};

// The other process's main function. Its generic gRPC service echoes the messages of a stream
// "/echo", reads those of "/sink", and sends messages on "/source"; raw_calls.h is its client.
// Never returns.
[[noreturn]] void RunPeer(const std::string& folder, const testing::CertificateFiles& certificate);

// The first argument with which StartPeer starts this very program: "--peer", followed by those of
// RunPeer.
inline constexpr char kPeerFlag[] = "--peer";

struct Peer {
  testing::Process process;
  PeerAddresses addresses;
};
// Starts the peer; returns when it answers. Its files lie in `folder`.
Peer StartPeer(const std::string& folder, const testing::Authority& authority,
               const testing::CertificateFiles& certificate);

}  // namespace acceld::bench
