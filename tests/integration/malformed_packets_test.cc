// Packets as no client of ours sends them, to all unix sockets that take descriptors: none of these
// stays open in the daemon, and the daemon goes on.

#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/memory/segment_messages.h"
#include "common/net/message_socket.h"
#include "common/net/packet_socket.h"
#include "common/threads/mailbox.h"
#include "tests/integration/raw_client.h"
#include "tests/integration/raw_segments.h"
#include "tests/integration/rpc_fixture.h"
#include "tests/support/eventually.h"
#include "tests/support/net/raw_packet.h"

namespace acceld::testing {
namespace {

using segment::Request;
using segment::RequestKind;

class MalformedPacketsTest : public RpcTest {
 protected:
  void SetUp() override {
    RpcTest::SetUp();
    raw_ = std::make_unique<RawClient>(address());
    // What gRPC opens once is open from here on.
    (void)OpenSession();
  }
  std::string socket_path() const { return folder_.path() + "/d.sock"; }

  // Nothing is sent yet; invalid if it cannot connect.
  UniqueFd ConnectToFirstSocket() const {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name = {.sun_family = AF_UNIX};
    std::strncpy(name.sun_path, socket_path().c_str(), sizeof(name.sun_path) - 1);
    if (connect(fd.get(), reinterpret_cast<sockaddr*>(&name), sizeof(name)) != 0) return {};
    return fd;
  }
  // With a lease, so that it outlives what happens to its connections.
  std::string OpenSession() {
    streams_.push_back(std::make_unique<RawStream>(*raw_));
    v1::Command hello = Hello();
    hello.mutable_hello()->set_lease_ms(300'000);
    streams_.back()->Send({hello});
    return streams_.back()->Next().welcome().session_token();
  }
  // That as many are open as before, once the daemon has let go of what it had.
  static void ExpectNoneLeft(ptrdiff_t before) {
    EXPECT_TRUE(Eventually([before] { return OpenDescriptors() == before; }))
        << OpenDescriptors() << " descriptors, before: " << before;
  }
  static size_t CountOf(const std::vector<std::vector<int>>& batches) {
    size_t count = 0;
    for (const auto& batch : batches) count += batch.size();
    return count;
  }
  // Waits until the daemon has answered or has ended the connection; whether it has ended it.
  static bool EndsNext(int socket) {
    char answer[sizeof(segment::Reply)];
    const absl::StatusOr<Packet> packet =
        ReceivePacket(socket, {answer, sizeof(answer)}, Blocking::kYes);
    return !packet.ok() || packet->size_bytes == 0;
  }

  std::unique_ptr<RawClient> raw_;
  std::vector<std::unique_ptr<RawStream>> streams_;
  const UniqueFd memory_{memfd_create("passed", MFD_CLOEXEC | MFD_ALLOW_SEALING)};
};

TEST_F(MalformedPacketsTest, RequestsLeaveNoDescriptorBehind) {
  const std::string token = OpenSession();
  for (const bool attached : {false, true}) {
    for (uint32_t kind = 0; kind <= 10; ++kind) {
      for (const size_t size : {size_t{0}, size_t{1}, sizeof(Request) - 1, sizeof(Request),
                                sizeof(Request) + 1, 2 * sizeof(Request)}) {
        for (const auto& batches : WaysToPass(memory_.get())) {
          const size_t descriptors = CountOf(batches);
          if (size == 0 && descriptors == 0) continue;
          // These change the session, and leave descriptors that are meant.
          const bool is_request = size == sizeof(Request);
          if (attached && is_request && descriptors == 0) continue;
          SCOPED_TRACE(absl::StrCat(attached ? "attached" : "unknown", ", kind ", kind, ", ", size,
                                    " bytes, ", descriptors, " descriptors in ", batches.size()));
          const ptrdiff_t before = OpenDescriptors();
          {
            RawSegments segments(socket_path());
            if (attached) {
              ASSERT_EQ(segments.Attach(token), absl::StatusCode::kOk);
            }
            const Request request{.kind = static_cast<RequestKind>(kind)};
            std::string bytes(2 * sizeof(Request), '\0');
            std::memcpy(bytes.data(), &request, sizeof(request));
            bytes.resize(size);
            ASSERT_TRUE(SendRawPacket(segments.fd(), bytes, batches));
            const bool may_go_on =
                is_request &&
                (descriptors == 0 ||
                 (descriptors == 1 && request.kind == RequestKind::kShareClientMemory));
            EXPECT_EQ(EndsNext(segments.fd()), !may_go_on);
            if (!may_go_on) {
              // The connection's own end here is all that is left.
              EXPECT_TRUE(Eventually([&] { return OpenDescriptors() == before + 1; }));
            }
            if (attached) (void)segments.Ask({.kind = RequestKind::kDetach});
          }
          ExpectNoneLeft(before);
        }
      }
    }
  }
  const ir::Literal value = Ramp(100'000);
  EXPECT_EQ(*Connect()->Upload(value)->Fetch(), value);
}

TEST_F(MalformedPacketsTest, MemoryIsLentInPlaceOfTheOneBefore) {
  const std::string token = OpenSession();
  const ptrdiff_t before = OpenDescriptors();
  {
    RawSegments segments(socket_path());
    ASSERT_EQ(segments.Attach(token), absl::StatusCode::kOk);
    ptrdiff_t with_one = 0;
    for (int i = 0; i < 20; ++i) {
      ASSERT_EQ(segments.Ask({.kind = RequestKind::kShareClientMemory}, memory_.get()),
                absl::StatusCode::kOk);
      if (i == 0) with_one = OpenDescriptors();
      EXPECT_EQ(OpenDescriptors(), with_one);
    }
    EXPECT_EQ(segments.Ask({.kind = RequestKind::kDetach}), absl::StatusCode::kOk);
  }
  ExpectNoneLeft(before);
}

TEST_F(MalformedPacketsTest, CommandsLeaveNoDescriptorBehind) {
  const ptrdiff_t before_all = OpenDescriptors();
  const std::string payloads[] = {std::string("\0", 1),
                                  std::string("\0\xff\xff", 3),
                                  "\1more",
                                  "\7what",
                                  std::string(kMaxPacketBytes, '\0'),
                                  std::string(kMaxPacketBytes + 1, '\1')};
  for (const std::string& payload : payloads) {
    for (const auto& batches : WaysToPass(memory_.get())) {
      if (batches.empty()) continue;
      SCOPED_TRACE(absl::StrCat(payload.size(), " bytes of kind ", int{payload[0]}, ", ",
                                CountOf(batches), " descriptors in ", batches.size()));
      const std::string token = OpenSession();
      const ptrdiff_t before = OpenDescriptors();
      {
        RawSegments segments(socket_path());
        ASSERT_EQ(segments.Attach(token), absl::StatusCode::kOk);
        ASSERT_EQ(segments.Ask({.kind = RequestKind::kChannel}), absl::StatusCode::kOk);
        const UniqueFd channel = segments.TakePassed();
        ASSERT_TRUE(ReceiveMailboxes(channel.get()).ok());
        ASSERT_TRUE(SendRawPacket(channel.get(), payload, batches));
        MessageReceiver answers(size_t{1} << 20);
        // A Goodbye that says why, then the end.
        absl::StatusOr<absl::string_view> message;
        v1::EventBatch events;
        while ((message = answers.Receive(channel.get(), Blocking::kYes)).ok()) {
          ASSERT_TRUE(events.ParseFromString(std::string(*message)));
        }
        ASSERT_GT(events.events_size(), 0);
        EXPECT_EQ(events.events(0).goodbye().code(),
                  static_cast<uint32_t>(absl::StatusCode::kInvalidArgument));
      }
      ExpectNoneLeft(before);
      streams_.pop_back();
    }
  }
  ExpectNoneLeft(before_all);
  EXPECT_TRUE(Eventually([&] { return engine_.Sessions().size() == 1; }));
}

TEST_F(MalformedPacketsTest, TheFirstSocketTakesNoDescriptors) {
  const ptrdiff_t before = OpenDescriptors();
  for (const auto& batches : WaysToPass(memory_.get())) {
    const UniqueFd connected = ConnectToFirstSocket();
    ASSERT_TRUE(connected.valid());
    // A client's first bytes in HTTP/2, and none.
    for (const char* bytes : {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "x"}) {
      (void)SendRawPacket(connected.get(), bytes, batches);
    }
  }
  ExpectNoneLeft(before);
}

// A connection that is closed while bytes of the daemon are unread is reset, and gRPC then asks for
// errors before it has read what was sent.
TEST_F(MalformedPacketsTest, TheFirstSocketTakesNoDescriptorsOfAConnectionThatIsReset) {
  const ptrdiff_t before = OpenDescriptors();
  for (const auto& batches : WaysToPass(memory_.get())) {
    for (int i = 0; i < 10; ++i) {
      const UniqueFd connected = ConnectToFirstSocket();
      ASSERT_TRUE(connected.valid());
      pollfd readable = {.fd = connected.get(), .events = POLLIN, .revents = 0};
      ASSERT_EQ(poll(&readable, 1, 10'000), 1);
      ASSERT_TRUE(SendRawPacket(connected.get(), "x", batches));
    }
  }
  ExpectNoneLeft(before);
}

}  // namespace
}  // namespace acceld::testing
