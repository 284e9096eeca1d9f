#include "tests/bench/protocol/peer.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <memory>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/grpcpp.h"
#include "tests/bench/protocol/raw_calls.h"

namespace acceld::bench {
namespace {

constexpr size_t kSourceBytes = size_t{256} << 20;

// One stream of the peer.
class PeerStream : public grpc::ServerGenericBidiReactor {
 public:
  explicit PeerStream(const std::string& method) : method_(method) { StartRead(&message_); }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    if (method_ == "/sink") return StartRead(&message_);
    if (method_ == "/source") {
      // The question's size says how many chunks are wanted.
      left_ = message_.Length();
      return WriteChunk();
    }
    StartWrite(&message_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::CANCELLED);
    if (method_ == "/echo") return StartRead(&message_);
    if (left_ == 0) return Finish(grpc::Status::OK);
    WriteChunk();
  }
  void OnDone() override { delete this; }

  // Each chunk is read from other memory, as those of an array are.
  void WriteChunk() {
    static const std::string* const memory = new std::string(kSourceBytes, 'x');
    --left_;
    message_ = RawMessageOf(
        absl::string_view(*memory).substr(left_ * kRawChunkBytes % kSourceBytes, kRawChunkBytes));
    StartWrite(&message_);
  }

  const std::string method_;
  grpc::ByteBuffer message_;
  size_t left_ = 0;
};

class PeerService : public grpc::CallbackGenericService {
 private:
  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* call) override {
    return new PeerStream(call->method());
  }
};

std::string RawPath(const std::string& folder) { return folder + "/raw"; }
std::string UnixTarget(const std::string& folder) { return absl::StrCat("unix:", folder, "/grpc"); }
std::string PortsPath(const std::string& folder) { return folder + "/ports"; }

void ServeRaw(const std::string& folder) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = RawSocketAddress(RawPath(folder));
  ACCELD_CHECK(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
  ACCELD_CHECK(listen(listener, 4) == 0);
  while (true) {
    const int fd = accept(listener, nullptr, nullptr);
    char buffer[64 << 10];
    for (ssize_t size; (size = read(fd, buffer, sizeof(buffer))) > 0;) {
      if (write(fd, buffer, size) != size) break;
    }
    close(fd);
  }
}

}  // namespace

void RunPeer(const std::string& folder, const testing::CertificateFiles& certificate) {
  grpc::SslServerCredentialsOptions tls;
  tls.pem_key_cert_pairs.push_back(
      {testing::ReadText(certificate.key), testing::ReadText(certificate.certificate)});
  PeerService service;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  int tcp_port = 0, tls_port = 0;
  builder.AddListeningPort(UnixTarget(folder), grpc::InsecureServerCredentials());
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &tcp_port);
  builder.AddListeningPort("127.0.0.1:0", grpc::SslServerCredentials(tls), &tls_port);
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ACCELD_CHECK(server != nullptr);
  std::ofstream(PortsPath(folder)) << tcp_port << " " << tls_port << "\n";
  ServeRaw(folder);
  std::abort();
}

Peer StartPeer(const std::string& folder, const testing::Authority& authority,
               const testing::CertificateFiles& certificate) {
  char self[4096] = {};
  ACCELD_CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
  auto process = testing::Process::Start(
      {self, kPeerFlag, folder, certificate.certificate, certificate.key}, folder + "/peer.log");
  ACCELD_CHECK(process.ok());
  // The raw socket is the last that the peer opens.
  while (access(RawPath(folder).c_str(), F_OK) != 0) {
    ACCELD_CHECK(!process->HasEnded());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  int tcp_port = 0, tls_port = 0;
  std::ifstream(PortsPath(folder)) >> tcp_port >> tls_port;
  return {*std::move(process),
          {.raw_path = RawPath(folder),
           .unix_target = UnixTarget(folder),
           .tcp_target = absl::StrCat("ipv4:127.0.0.1:", tcp_port),
           .tls_target = absl::StrCat("ipv4:127.0.0.1:", tls_port),
           .authority_pem = testing::ReadText(authority.certificate())}};
}

}  // namespace acceld::bench
