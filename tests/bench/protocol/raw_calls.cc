#include "tests/bench/protocol/raw_calls.h"

#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "common/check.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"
#include "tests/bench/protocol/report.h"

namespace acceld::bench {
namespace {

std::unique_ptr<grpc::GenericStub> Connect(const PeerAddresses& peer, Transport transport) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  // Each stream has a connection of its own.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (transport == Transport::kTls) {
    credentials = grpc::SslCredentials({.pem_root_certs = peer.authority_pem});
    arguments.SetSslTargetNameOverride("localhost");
  }
  const std::string& target = transport == Transport::kUnix  ? peer.unix_target
                              : transport == Transport::kTcp ? peer.tcp_target
                                                             : peer.tls_target;
  auto channel = grpc::CreateCustomChannel(target, credentials, arguments);
  ACCELD_CHECK(
      channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10)));
  return std::make_unique<grpc::GenericStub>(channel);
}

// A stream used from one thread, as a synchronous client would.
class Call {
 public:
  Call(const PeerAddresses& peer, Transport transport, const std::string& method)
      : stub_(Connect(peer, transport)), stream_(stub_->PrepareCall(&context_, method, &queue_)) {
    stream_->StartCall(this);
    Wait();
  }
  ~Call() {
    context_.TryCancel();
    grpc::Status status;
    stream_->Finish(&status, this);
    Wait();
    queue_.Shutdown();
  }
  void Write(const grpc::ByteBuffer& message) {
    stream_->Write(message, this);
    Wait();
  }
  bool Read(grpc::ByteBuffer& message) {
    stream_->Read(&message, this);
    return Wait();
  }
  void WritesDone() {
    stream_->WritesDone(this);
    Wait();
  }

 private:
  bool Wait() {
    void* tag;
    bool ok = false;
    queue_.Next(&tag, &ok);
    return ok;
  }

  std::unique_ptr<grpc::GenericStub> stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
};

}  // namespace

grpc::ByteBuffer RawMessage(size_t bytes) {
  const grpc::Slice slice{std::string(bytes, 'x')};
  return grpc::ByteBuffer(&slice, 1);
}

grpc::ByteBuffer RawMessageOf(absl::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size(), grpc::Slice::STATIC_SLICE);
  return grpc::ByteBuffer(&slice, 1);
}

sockaddr_un RawSocketAddress(const std::string& path) {
  sockaddr_un address = {.sun_family = AF_UNIX};
  ACCELD_CHECK(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

struct GrpcPingPong::Impl {
  Call call;
};

GrpcPingPong::GrpcPingPong(const PeerAddresses& peer, Transport transport)
    : impl_(new Impl{{peer, transport, "/echo"}}) {}
GrpcPingPong::~GrpcPingPong() = default;

double GrpcPingPong::Ask(size_t question_bytes) {
  const grpc::ByteBuffer question = RawMessage(question_bytes);
  grpc::ByteBuffer answer;
  const Clock::time_point start = Clock::now();
  impl_->call.Write(question);
  ACCELD_CHECK(impl_->call.Read(answer));
  return SecondsSince(start);
}

SocketPingPong::SocketPingPong(const PeerAddresses& peer)
    : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_un address = RawSocketAddress(peer.raw_path);
  while (connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}
SocketPingPong::~SocketPingPong() { close(fd_); }

double SocketPingPong::Ask(size_t question_bytes) {
  buffer_.resize(question_bytes, 'x');
  const Clock::time_point start = Clock::now();
  ACCELD_CHECK(write(fd_, buffer_.data(), question_bytes) == static_cast<ssize_t>(question_bytes));
  for (size_t got = 0; got < question_bytes;) {
    const ssize_t size = read(fd_, buffer_.data(), question_bytes - got);
    ACCELD_CHECK(size > 0);
    got += size;
  }
  return SecondsSince(start);
}

double GrpcSend(const PeerAddresses& peer, Transport transport, absl::string_view bytes) {
  Call call(peer, transport, "/sink");
  const Clock::time_point start = Clock::now();
  for (size_t sent = 0; sent < bytes.size(); sent += kRawChunkBytes) {
    call.Write(RawMessageOf(bytes.substr(sent, kRawChunkBytes)));
  }
  call.WritesDone();
  grpc::ByteBuffer end;
  (void)call.Read(end);  // The peer ends the stream when it has everything.
  return SecondsSince(start);
}

double GrpcReceive(const PeerAddresses& peer, Transport transport, absl::Span<char> into) {
  Call call(peer, transport, "/source");
  size_t received = 0;
  const Clock::time_point start = Clock::now();
  call.Write(RawMessage(into.size() / kRawChunkBytes));
  grpc::ByteBuffer chunk;
  while (received < into.size() && call.Read(chunk)) {
    std::vector<grpc::Slice> slices;
    ACCELD_CHECK(chunk.Dump(&slices).ok());
    for (const grpc::Slice& slice : slices) {
      ACCELD_CHECK(slice.size() <= into.size() - received);
      std::memcpy(into.data() + received, slice.begin(), slice.size());
      received += slice.size();
    }
  }
  return SecondsSince(start);
}

}  // namespace acceld::bench
