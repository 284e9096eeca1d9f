#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "common/memory/memory_segment.h"
#include "common/net/packet_socket.h"
#include "gtest/gtest.h"
#include "tests/support/net/raw_packet.h"

namespace acceld {
namespace {

TEST(MemorySegment, WhatOneMappingWritesTheOtherReads) {
  absl::StatusOr<MemorySegment> made = MemorySegment::Create(1 << 16);
  ASSERT_TRUE(made.ok()) << made.status();
  absl::StatusOr<MemorySegment> mapped = MemorySegment::Map(UniqueFd(dup(made->fd())));
  ASSERT_TRUE(mapped.ok()) << mapped.status();
  EXPECT_EQ(mapped->size_bytes(), size_t{1} << 16);
  std::strcpy(made->data() + 1000, "hello");
  EXPECT_STREQ(mapped->data() + 1000, "hello");
}

TEST(MemorySegment, NobodyChangesItsSize) {
  const absl::StatusOr<MemorySegment> made = MemorySegment::Create(1 << 16);
  ASSERT_TRUE(made.ok());
  EXPECT_NE(ftruncate(made->fd(), 0), 0);
  EXPECT_NE(ftruncate(made->fd(), 1 << 20), 0);
}

TEST(MemorySegment, WhatCouldShrinkIsRefused) {
  UniqueFd loose(memfd_create("loose", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(loose.get(), 4096), 0);
  EXPECT_EQ(MemorySegment::Map(std::move(loose)).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(MemorySegment::Map(UniqueFd(open("/proc/self/exe", O_RDONLY))).ok());
  EXPECT_FALSE(MemorySegment::Map(UniqueFd()).ok());
}

class PacketSocketTest : public ::testing::Test {
 protected:
  void SetUp() override {
    absl::StatusOr<SocketPair> pair = CreatePacketSocketPair();
    ASSERT_TRUE(pair.ok()) << pair.status();
    here_ = std::move(pair->one);
    there_ = std::move(pair->other);
  }
  absl::StatusOr<Packet> Receive(Blocking blocking = Blocking::kYes) {
    return ReceivePacket(there_.get(), {buffer_, sizeof(buffer_)}, blocking);
  }

  UniqueFd here_, there_;
  char buffer_[64];
};

TEST_F(PacketSocketTest, MessagesStayWholeAndInOrder) {
  ASSERT_TRUE(SendPacket(here_.get(), "one").ok());
  ASSERT_TRUE(SendPacket(here_.get(), "three").ok());
  EXPECT_EQ(Receive()->size_bytes, 3u);
  EXPECT_EQ(Receive()->size_bytes, 5u);
  EXPECT_EQ(std::string(buffer_, 5), "three");
  EXPECT_TRUE(absl::IsUnavailable(Receive(Blocking::kNo).status()));
}

TEST_F(PacketSocketTest, PassesADescriptor) {
  const absl::StatusOr<MemorySegment> made = MemorySegment::Create(4096);
  made->data()[7] = 'x';
  ASSERT_TRUE(SendPacket(here_.get(), "fd", made->fd()).ok());
  absl::StatusOr<Packet> packet = Receive();
  ASSERT_TRUE(packet.ok());
  const absl::StatusOr<MemorySegment> got = MemorySegment::Map(std::move(packet->passed));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->data()[7], 'x');
}

TEST_F(PacketSocketTest, TheEndIsAnEmptyMessage) {
  here_ = UniqueFd();
  EXPECT_EQ(Receive()->size_bytes, 0u);
  EXPECT_TRUE(absl::IsUnavailable(SendPacket(there_.get(), "gone")));
}

TEST_F(PacketSocketTest, SendingNeverWaits) {
  absl::Status status;
  for (int i = 0; i < 100000 && status.ok(); ++i) status = SendPacket(here_.get(), "full");
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
}

TEST_F(PacketSocketTest, WhatComesTooMuchIsClosedAndRefused) {
  const UniqueFd passed(memfd_create("passed", MFD_CLOEXEC));
  for (const size_t size : {size_t{0}, size_t{1}, sizeof(buffer_), sizeof(buffer_) + 1}) {
    for (const auto& batches : testing::WaysToPass(passed.get())) {
      size_t descriptors = 0;
      for (const auto& batch : batches) descriptors += batch.size();
      SCOPED_TRACE(::testing::Message() << size << " bytes, " << descriptors << " descriptors in "
                                        << batches.size() << " messages");
      if (size == 0 && descriptors == 0) continue;  // The end is received so.
      const ptrdiff_t before = testing::OpenDescriptors();
      ASSERT_TRUE(testing::SendRawPacket(here_.get(), std::string(size, 'x'), batches));
      {
        const absl::StatusOr<Packet> packet = Receive(Blocking::kNo);
        if (size > 0 && size <= sizeof(buffer_) && descriptors <= 1) {
          ASSERT_TRUE(packet.ok()) << packet.status();
          EXPECT_EQ(packet->passed.valid(), descriptors == 1);
        } else {
          EXPECT_EQ(packet.status().code(), absl::StatusCode::kInvalidArgument) << packet.status();
          EXPECT_EQ(testing::OpenDescriptors(), before);
        }
      }
      EXPECT_EQ(testing::OpenDescriptors(), before);
    }
  }
  ASSERT_TRUE(SendPacket(here_.get(), "next").ok());
  EXPECT_EQ(Receive()->size_bytes, 4u);
}

TEST_F(PacketSocketTest, ADescriptorThatThereIsNoRoomForIsSaidToBeLost) {
  const UniqueFd passed(memfd_create("passed", MFD_CLOEXEC));
  ASSERT_TRUE(SendPacket(here_.get(), "fd", passed.get()).ok());
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none_new = before;
  none_new.rlim_cur = 3;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none_new), 0);
  const absl::StatusOr<Packet> packet = Receive();
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_TRUE(packet.ok()) << packet.status();
  EXPECT_TRUE(packet->lost_descriptor);
  EXPECT_FALSE(packet->passed.valid());
}

TEST(PacketSocket, SaysWhyItCannotConnect) {
  EXPECT_EQ(ConnectPacketSocket("/nowhere/at/all").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ConnectPacketSocket(std::string(200, 'x')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace acceld
