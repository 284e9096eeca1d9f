// Whose connections a server keeps, how many of them, and for how long.

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/memory/segment_messages.h"
#include "common/net/message_socket.h"
#include "common/threads/mailbox.h"
#include "grpcpp/create_channel_posix.h"
#include "tests/integration/raw_client.h"
#include "tests/integration/raw_segments.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/support/daemon/as_user.h"
#include "tests/support/eventually.h"
#include "tests/support/net/raw_packet.h"

namespace acceld::testing {
namespace {

using engine::QuotaId;
using observability::Refusal;
using segment::RequestKind;

constexpr uid_t kAnn = 64'001, kBob = 64'002;

class ConnectionsTest : public RpcTest {
 protected:
  void SetUp() override {}
  // On a unix socket that everybody can open, and on a port of this machine.
  void Serve(rpc::RpcOptions options) {
    server_.reset();
    chmod(folder_.path().c_str(), 0711);
    options.listen = {*ParseAddress(address()), *ParseAddress("127.0.0.1:0")};
    options.access.socket_mode = 0666;
    options.version = "test";
    auto server = rpc::Server::Start(engine_, options);
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }
  std::string socket_path() const { return folder_.path() + "/d.sock"; }
  std::string segments_path() const { return socket_path() + segment::kSocketSuffix; }
  uint16_t port() const { return server_->addresses()[1].port; }
  std::string tcp_target() const { return absl::StrCat("127.0.0.1:", port()); }

  UniqueFd ConnectOverTcp() const {
    UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in name = {.sin_family = AF_INET, .sin_port = htons(port())};
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)) != 0) return {};
    return fd;
  }
  static size_t CountOpen(const std::vector<UniqueFd>& sockets) {
    return static_cast<size_t>(std::count_if(
        sockets.begin(), sockets.end(), [](const UniqueFd& fd) { return !IsClosed(fd.get()); }));
  }
  static grpc::Status ListDevices(v1::Acceld::Stub& stub) {
    grpc::ClientContext context;
    v1::ListDevicesReply reply;
    return stub.ListDevices(&context, {}, &reply);
  }
  // A call over a connection that is there.
  static grpc::Status ListDevicesOver(UniqueFd socket) {
    fcntl(socket.get(), F_SETFL, O_NONBLOCK);
    const auto channel = grpc::CreateInsecureChannelFromFd("test", socket.Release());
    return ListDevices(*v1::Acceld::NewStub(channel));
  }
  uint64_t Refusals(Refusal reason) const { return server_->instruments().refusals(reason); }
};

class OtherUsersTest : public ConnectionsTest {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  }
};

TEST_F(OtherUsersTest, WhoMayNotUseTheDaemonIsClosedAtOnce) {
  ASSERT_NO_FATAL_FAILURE(Serve({}));
  const ptrdiff_t before = OpenDescriptors();
  {
    std::vector<UniqueFd> sockets;
    for (int i = 0; i < 50; ++i) {
      sockets.push_back(ConnectAsUser(kAnn, socket_path(), SOCK_STREAM));
      sockets.push_back(ConnectAsUser(kAnn, segments_path(), SOCK_SEQPACKET));
    }
    EXPECT_TRUE(Eventually([&] { return CountOpen(sockets) == 0; }));
    EXPECT_EQ(OpenDescriptors(), before + 100);
  }
  EXPECT_TRUE(Eventually([&] { return Refusals(Refusal::kIdentity) == 100u; }))
      << Refusals(Refusal::kIdentity);
  RawClient own(address());
  EXPECT_TRUE(ListDevices(own.stub()).ok());
}

TEST_F(OtherUsersTest, OneUsersConnectionsLeaveOthersTheirs) {
  engine_.SetAllowance(QuotaId::kDescriptors, 5);
  ASSERT_NO_FATAL_FAILURE(Serve({.access = {.users = {"uid:*"}}}));
  std::vector<UniqueFd> anns;
  for (int i = 0; i < 40; ++i) anns.push_back(ConnectAsUser(kAnn, socket_path(), SOCK_STREAM));
  EXPECT_TRUE(Eventually([&] { return CountOpen(anns) == 5; })) << CountOpen(anns);
  EXPECT_TRUE(Eventually([&] { return Refusals(Refusal::kConnections) == 35u; }))
      << Refusals(Refusal::kConnections);
  EXPECT_TRUE(ListDevicesOver(ConnectAsUser(kBob, socket_path(), SOCK_STREAM)).ok());
  // The daemon's own user has as many as there are.
  for (int i = 0; i < 8; ++i) {
    EXPECT_TRUE(ListDevicesOver(ConnectAsUser(geteuid(), socket_path(), SOCK_STREAM)).ok());
  }
  anns.clear();
  EXPECT_TRUE(Eventually([&] { return engine_.taken(QuotaId::kDescriptors) == 0; }));
  EXPECT_TRUE(ListDevicesOver(ConnectAsUser(kAnn, socket_path(), SOCK_STREAM)).ok());
}

TEST_F(ConnectionsTest, WhoSaysNothingOverTcpIsOneOfAFewAndEnds) {
  const std::chrono::milliseconds patience(500);
  ASSERT_NO_FATAL_FAILURE(Serve({.max_unidentified = 8, .identify_timeout = patience}));
  RawClient known(tcp_target());
  ASSERT_TRUE(ListDevices(known.stub()).ok());
  const ptrdiff_t before = OpenDescriptors();
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(ConnectOverTcp());
    ASSERT_TRUE(silent.back().valid());
  }
  // The oldest made room for the others, who make room for who says who it is.
  RawClient newcomer(tcp_target());
  EXPECT_TRUE(ListDevices(newcomer.stub()).ok());
  EXPECT_TRUE(Eventually([&] { return CountOpen(silent) <= 8; }));
  EXPECT_TRUE(Eventually([&] { return CountOpen(silent) == 0; }));
  EXPECT_TRUE(Eventually([&] { return Refusals(Refusal::kSilence) == 100u; }))
      << Refusals(Refusal::kSilence);
  silent.clear();
  // Both ends of the newcomer's are open.
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() <= before + 2; })) << OpenDescriptors();
  EXPECT_TRUE(ListDevices(known.stub()).ok());
  EXPECT_TRUE(ListDevices(newcomer.stub()).ok());
}

TEST_F(ConnectionsTest, WhoAsksForHealthAloneStaysAsLongAsThereIsRoom) {
  ASSERT_NO_FATAL_FAILURE(
      Serve({.max_unidentified = 2, .identify_timeout = std::chrono::milliseconds(100)}));
  RawClient probe(tcp_target());
  EXPECT_EQ(*probe.HealthOf(""), RawClient::Health::kServing);
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  EXPECT_EQ(probe.channel()->GetState(false), GRPC_CHANNEL_READY);
}

TEST_F(ConnectionsTest, ConnectionsWithoutCallsEnd) {
  ASSERT_NO_FATAL_FAILURE(Serve({.connection_idle = std::chrono::milliseconds(200)}));
  RawClient raw(tcp_target());
  ASSERT_TRUE(ListDevices(raw.stub()).ok());
  EXPECT_TRUE(Eventually([&] { return raw.channel()->GetState(false) != GRPC_CHANNEL_READY; }));
  // Its owner does not notice.
  EXPECT_TRUE(ListDevices(raw.stub()).ok());
  EXPECT_TRUE(Eventually([&] { return engine_.taken(QuotaId::kDescriptors) == 0; }));
}

TEST_F(ConnectionsTest, AChannelThatDoesNotBeginEnds) {
  ASSERT_NO_FATAL_FAILURE(Serve({.identify_timeout = std::chrono::milliseconds(200)}));
  RawClient raw(address());
  RawStream greeted(raw);
  greeted.Send({Hello()});
  EXPECT_TRUE(greeted.Next().has_welcome());
  RawStream silent(raw);
  const grpc::Status status = silent.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << status.error_message();
  greeted.Send({Put(1), Fetch(2, 1)});
  v1::Event event = greeted.Next();
  while (event.has_credit()) event = greeted.Next();
  EXPECT_TRUE(event.has_ready());
}

TEST_F(ConnectionsTest, UploadsWhoseNextChunkDoesNotComeEnd) {
  ASSERT_NO_FATAL_FAILURE(Serve({.connection_idle = std::chrono::milliseconds(200)}));
  RawClient raw(address());
  RawStream stream(raw);
  v1::Command begin;
  begin.mutable_begin_upload()->set_handle(5);
  *begin.mutable_begin_upload()->mutable_type() = TwoFloats(0, 0).type();
  stream.Send({Hello(), begin, Fetch(1, 5)});
  const std::string token = stream.Next().welcome().session_token();
  v1::UploadReply reply;

  grpc::ClientContext silent_context;
  const auto silent = raw.stub().Upload(&silent_context, &reply);
  grpc::Status status = silent->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << status.error_message();

  grpc::ClientContext half_context;
  const auto half = raw.stub().Upload(&half_context, &reply);
  v1::UploadChunk chunk;
  chunk.set_session_token(token);
  chunk.set_handle(5);
  chunk.set_data(std::string(4, 'x'));
  EXPECT_TRUE(half->Write(chunk));
  status = half->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED) << status.error_message();
  v1::Event event = stream.Next();
  while (event.has_credit()) event = stream.Next();
  EXPECT_EQ(event.ready().code(), static_cast<uint32_t>(absl::StatusCode::kDeadlineExceeded));
}

TEST_F(ConnectionsTest, SegmentConnectionsThatAttachToNothingAreAFewAndEnd) {
  ASSERT_NO_FATAL_FAILURE(
      Serve({.max_unidentified = 4, .identify_timeout = std::chrono::milliseconds(500)}));
  const ptrdiff_t before = OpenDescriptors();
  std::vector<UniqueFd> silent;
  for (int i = 0; i < 100; ++i) {
    silent.push_back(*ConnectPacketSocket(segments_path()));
  }
  {
    // With its own connections for bulk bytes.
    const ir::Literal value = Ramp(200'000);
    EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
  }
  EXPECT_TRUE(Eventually([&] { return CountOpen(silent) == 0; }));
  silent.clear();
  EXPECT_TRUE(Eventually([&] { return OpenDescriptors() <= before + 4; })) << OpenDescriptors();
}

TEST_F(OtherUsersTest, OneUsersSegmentConnectionsLeaveOthersTheirs) {
  ASSERT_NO_FATAL_FAILURE(Serve({.access = {.users = {"uid:*"}}, .max_segment_connections = 8}));
  // The token of a session of ann's.
  UniqueFd socket = ConnectAsUser(kAnn, socket_path(), SOCK_STREAM);
  fcntl(socket.get(), F_SETFL, O_NONBLOCK);
  const auto channel = grpc::CreateInsecureChannelFromFd("ann", socket.Release());
  const auto stub = v1::Acceld::NewStub(channel);
  grpc::ClientContext context;
  const auto stream = stub->Channel(&context);
  v1::CommandBatch batch;
  *batch.add_commands() = Hello();
  v1::EventBatch events;
  ASSERT_TRUE(stream->Write(batch) && stream->Read(&events));
  const std::string token = events.events(0).welcome().session_token();
  std::vector<std::unique_ptr<RawSegments>> anns;
  std::vector<absl::StatusCode> codes;
  for (int i = 0; i < 4; ++i) {
    AsUser(kAnn, [&] { anns.push_back(std::make_unique<RawSegments>(socket_path())); });
    codes.push_back(anns.back()->Attach(token));
  }
  EXPECT_EQ(codes, (std::vector{absl::StatusCode::kOk, absl::StatusCode::kOk,
                                absl::StatusCode::kResourceExhausted,
                                absl::StatusCode::kResourceExhausted}));
  // One that goes makes room.
  EXPECT_EQ(anns[0]->Ask({.kind = RequestKind::kDetach}), absl::StatusCode::kOk);
  anns.erase(anns.begin());
  EXPECT_TRUE(Eventually([&] {
    std::unique_ptr<RawSegments> again;
    AsUser(kAnn, [&] { again = std::make_unique<RawSegments>(socket_path()); });
    if (again->Attach(token) != absl::StatusCode::kOk) return false;
    return again->Ask({.kind = RequestKind::kDetach}) == absl::StatusCode::kOk;
  }));
  const ir::Literal value = Ramp(200'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
  context.TryCancel();
}

TEST_F(ConnectionsTest, MessagesThatComeInPartAreCountedAndRefused) {
  ASSERT_NO_FATAL_FAILURE(Serve({}));
  const int64_t limit = 4 << 20;
  engine_.SetAllowance(QuotaId::kReceiveMemory, limit);
  RawClient raw(address());
  RawStream stream(raw);
  v1::Command hello = Hello();
  hello.mutable_hello()->set_lease_ms(60'000);
  stream.Send({hello});
  const std::string token = stream.Next().welcome().session_token();
  RawSegments segments(socket_path());
  ASSERT_EQ(segments.Attach(token), absl::StatusCode::kOk);
  ASSERT_EQ(segments.Ask({.kind = RequestKind::kChannel}), absl::StatusCode::kOk);
  const UniqueFd channel = segments.TakePassed();
  ASSERT_TRUE(ReceiveMailboxes(channel.get()).ok());
  const std::string part = std::string("\1", 1) + std::string(kMaxPacketBytes - 1, 'x');
  const auto send = [&](int parts) {
    absl::Status status;
    for (int i = 0; i < parts && status.ok(); ++i) {
      status = SendPacket(channel.get(), part, -1, Blocking::kYes);
    }
    return status;
  };
  ASSERT_TRUE(send(16).ok());
  EXPECT_TRUE(Eventually([&] { return engine_.taken(QuotaId::kReceiveMemory) >= 1'000'000; }));
  EXPECT_LE(engine_.taken(QuotaId::kReceiveMemory), limit);
  (void)send(100);
  MessageReceiver answers(size_t{1} << 20);
  v1::EventBatch events;
  absl::StatusOr<absl::string_view> message;
  while ((message = answers.Receive(channel.get(), Blocking::kYes)).ok()) {
    ASSERT_TRUE(events.ParseFromString(std::string(*message)));
  }
  ASSERT_GT(events.events_size(), 0);
  EXPECT_EQ(events.events(0).goodbye().code(),
            static_cast<uint32_t>(absl::StatusCode::kResourceExhausted));
  EXPECT_TRUE(Eventually([&] { return engine_.taken(QuotaId::kReceiveMemory) == 0; }));
  const ir::Literal value = Ramp(200'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

}  // namespace
}  // namespace acceld::testing
