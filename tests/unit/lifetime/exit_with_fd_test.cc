#include "server/lifetime/exit_with_fd.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/support/eventually.h"

namespace acceld::lifetime {
namespace {

using testing::Eventually;

TEST(ExitWithFdTest, TheEndOfTheOtherSideIsHeardOnce) {
  for (const bool is_socket : {false, true}) {
    int ends[2];
    ASSERT_EQ(is_socket ? socketpair(AF_UNIX, SOCK_STREAM, 0, ends) : pipe(ends), 0);
    std::atomic<int> closed{0};
    auto watch = ExitWithFd::Start(ends[0], [&] { ++closed; });
    ASSERT_TRUE(watch.ok()) << watch.status();
    EXPECT_NE(fcntl(ends[0], F_GETFD) & FD_CLOEXEC, 0);
    EXPECT_EQ(closed, 0);
    close(ends[1]);
    EXPECT_TRUE(Eventually([&] { return closed == 1; })) << is_socket;
    watch->reset();
    close(ends[0]);
  }
}

TEST(ExitWithFdTest, AWatchThatIsStoppedHearsNothing) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::atomic<int> closed{0};
  auto watch = ExitWithFd::Start(ends[0], [&] { ++closed; });
  ASSERT_TRUE(watch.ok()) << watch.status();
  watch->reset();
  close(ends[1]);
  EXPECT_EQ(closed, 0);
  close(ends[0]);
}

TEST(ExitWithFdTest, WhatHasNoOtherSideIsRefused) {
  const int file = open("/dev/null", O_RDONLY);
  EXPECT_EQ(ExitWithFd::Start(file, [] {}).status().code(), absl::StatusCode::kInvalidArgument);
  close(file);
  const absl::Status closed = ExitWithFd::Start(file, [] {}).status();
  EXPECT_THAT(std::string(closed.message()), ::testing::HasSubstr("exit-with-fd"));
}

}  // namespace
}  // namespace acceld::lifetime
