#include "client/transport/bulk/segment_channel.h"

#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/net/packet_socket.h"
#include "gtest/gtest.h"

namespace acceld::client {
namespace {

segment::RequestKind NextRequest(int socket) {
  segment::Request request;
  const absl::StatusOr<Packet> packet =
      ReceivePacket(socket, {reinterpret_cast<char*>(&request), sizeof(request)}, Blocking::kYes);
  EXPECT_TRUE(packet.ok()) << packet.status();
  EXPECT_EQ(packet->size_bytes, sizeof(request));
  return request.kind;
}

TEST(SegmentChannelTest, WhoWaitsNoLongerForASlowDaemonDoesNotLookDead) {
  std::string folder = absl::StrCat(::testing::TempDir(), "/slow-XXXXXX");
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = absl::StrCat(folder, "/slow.sock");
  const std::string segments = absl::StrCat(path, segment::kSocketSuffix);
  absl::StatusOr<UniqueFd> listener = ListenPacketSocket(segments, 0600);
  ASSERT_TRUE(listener.ok()) << listener.status();
  const absl::Status opened =
      SegmentChannel::Open({.path = path}, "sixteen letters!", std::chrono::milliseconds(50))
          .status();
  EXPECT_TRUE(absl::IsUnavailable(opened)) << opened;
  // What a daemon that wakes up now finds.
  const UniqueFd connection(accept4(listener->get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_EQ(NextRequest(connection.get()), segment::RequestKind::kAttach);
  EXPECT_EQ(NextRequest(connection.get()), segment::RequestKind::kDetach);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace acceld::client
