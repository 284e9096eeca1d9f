#include "tests/bench/protocol/peer.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>

#include "common/check.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/grpcpp.h"

namespace acceld::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kChunkBytes = size_t{1} << 20;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

grpc::ByteBuffer Message(size_t bytes) {
  const grpc::Slice slice{std::string(bytes, 'x')};
  return grpc::ByteBuffer(&slice, 1);
}

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
      message_ = Message(kChunkBytes);
      left_ -= 1;
    }
    StartWrite(&message_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::CANCELLED);
    if (method_ == "/echo") return StartRead(&message_);
    if (left_ == 0) return Finish(grpc::Status::OK);
    --left_;
    StartWrite(&message_);
  }
  void OnDone() override { delete this; }

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

sockaddr_un RawAddress(const std::string& folder) {
  const std::string path = folder + "/raw";
  sockaddr_un address = {.sun_family = AF_UNIX};
  ACCELD_CHECK(path.size() < sizeof(address.sun_path));
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

void ServeRaw(const std::string& folder) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = RawAddress(folder);
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

std::unique_ptr<grpc::GenericStub> Connect(const std::string& folder) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  auto channel = grpc::CreateCustomChannel("unix:" + folder + "/grpc",
                                           grpc::InsecureChannelCredentials(), arguments);
  ACCELD_CHECK(
      channel->WaitForConnected(std::chrono::system_clock::now() + std::chrono::seconds(10)));
  return std::make_unique<grpc::GenericStub>(channel);
}

// A stream used from one thread, as a synchronous client would.
class Call {
 public:
  Call(const std::string& folder, const std::string& method)
      : stub_(Connect(folder)), stream_(stub_->PrepareCall(&context_, method, &queue_)) {
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

void RunPeer(const std::string& folder) {
  PeerService service;
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(-1);
  builder.AddListeningPort("unix:" + folder + "/grpc", grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  ACCELD_CHECK(server != nullptr);
  ServeRaw(folder);
  std::abort();
}

testing::Process StartPeer(const std::string& folder) {
  char self[4096] = {};
  ACCELD_CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
  auto process = testing::Process::Start({self, "--peer", folder}, folder + "/peer.log");
  ACCELD_CHECK(process.ok());
  while (access((folder + "/raw").c_str(), F_OK) != 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return *std::move(process);
}

struct GrpcPingPong::Impl {
  Call call;
};

GrpcPingPong::GrpcPingPong(const std::string& folder) : impl_(new Impl{{folder, "/echo"}}) {}
GrpcPingPong::~GrpcPingPong() = default;

double GrpcPingPong::Ask(size_t question_bytes) {
  const grpc::ByteBuffer question = Message(question_bytes);
  grpc::ByteBuffer answer;
  const Clock::time_point start = Clock::now();
  impl_->call.Write(question);
  ACCELD_CHECK(impl_->call.Read(answer));
  return SecondsSince(start);
}

SocketPingPong::SocketPingPong(const std::string& folder)
    : fd_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  const sockaddr_un address = RawAddress(folder);
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

double GrpcSend(const std::string& folder, size_t bytes) {
  Call call(folder, "/sink");
  const grpc::ByteBuffer chunk = Message(kChunkBytes);
  const Clock::time_point start = Clock::now();
  for (size_t sent = 0; sent < bytes; sent += kChunkBytes) call.Write(chunk);
  call.WritesDone();
  grpc::ByteBuffer end;
  (void)call.Read(end);  // The peer ends the stream when it has everything.
  return SecondsSince(start);
}

double GrpcReceive(const std::string& folder, absl::Span<char> into) {
  Call call(folder, "/source");
  size_t received = 0;
  const Clock::time_point start = Clock::now();
  call.Write(Message(into.size() / kChunkBytes));
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
