#include "server/hal/cpu/cpu_stream.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/fake_device.h"

namespace acceld::hal::cpu {
namespace {

std::shared_ptr<const Module> ModuleOf(testing::Kernel kernel) {
  return std::make_shared<const testing::FakeModule>(std::move(kernel));
}

TEST(CpuStreamTest, WorkRunsInOrderBehindWaits) {
  testing::FakeDevice device;
  CpuStream stream("test");
  Promise<Unit> gate;
  stream.Wait(gate.future());
  std::vector<int> order;
  Event last;
  for (int i = 0; i < 10; ++i) {
    last = stream.Run({.module = ModuleOf([&order, i](const auto&) {
                         order.push_back(i);
                         return absl::OkStatus();
                       })});
  }
  EXPECT_FALSE(last.IsReady());
  gate.Set(Unit{});
  EXPECT_TRUE(last.Await().ok());
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(CpuStreamTest, AnErrorBelongsToItsEventAlone) {
  CpuStream stream("test");
  Promise<Unit> bad;
  stream.Wait(bad.future());
  bad.Set(absl::InternalError("elsewhere"));
  const Event failed =
      stream.Run({.module = ModuleOf([](const auto&) { return absl::InternalError("broken"); })});
  const Event fine = stream.Run({.module = ModuleOf([](const auto&) { return absl::OkStatus(); })});
  EXPECT_EQ(failed.Await().status().message(), "broken");
  EXPECT_TRUE(fine.Await().ok());
}

TEST(CpuStreamTest, CopiesKeepTheirOrderWithWork) {
  testing::FakeDevice device;
  CpuStream stream("test");
  auto a = *device.Allocate(8);
  auto b = *device.Allocate(8);
  const std::string text = "01234567";
  stream.CopyFromHost(text.data(), 4, a, 0, nullptr);
  stream.CopyFromHost(text.data() + 4, 4, a, 4, nullptr);
  stream.CopyFromPeer(a, b);
  auto back = std::make_shared<std::string>(8, '\0');
  EXPECT_TRUE(stream.CopyToHost(b, back->data(), back).Await().ok());
  EXPECT_EQ(*back, text);
}

TEST(CpuStreamTest, CopiesOutsideTheBufferAreRefused) {
  testing::FakeDevice device;
  CpuStream stream("test");
  auto buffer = *device.Allocate(8);
  EXPECT_EQ(stream.CopyFromHost("123456789", 9, buffer, 0, nullptr).Await().status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(stream.CopyFromHost("12", 2, buffer, 7, nullptr).Await().status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(CpuStreamTest, ALaunchLetsGoOfItsBuffersBeforeItsEventIsReady) {
  testing::FakeDevice device;
  CpuStream stream("test");
  Launch launch{.module = ModuleOf([](const auto&) { return absl::OkStatus(); })};
  launch.results.push_back(*device.Allocate(1000));
  EXPECT_GT(device.memory().used_bytes, 0);
  EXPECT_TRUE(stream.Run(std::move(launch)).Await().ok());
  EXPECT_EQ(device.memory().used_bytes, 0);
}

TEST(CpuStreamTest, ABriefLaunchRunsOnTheCallingThreadOfAnIdleStreamAlone) {
  CpuStream stream("test");
  std::vector<std::thread::id> threads;
  const auto run = [&](bool may_run_inline) {
    return stream.Run({.module = ModuleOf([&](const auto&) {
                         threads.push_back(std::this_thread::get_id());
                         return absl::OkStatus();
                       }),
                       .may_run_inline = may_run_inline});
  };
  EXPECT_TRUE(run(true).IsReady());
  Promise<Unit> gate;
  stream.Wait(gate.future());
  const Event behind = run(true);
  EXPECT_FALSE(behind.IsReady());
  gate.Set(Unit{});
  EXPECT_TRUE(behind.Await().ok());
  EXPECT_TRUE(run(false).Await().ok());
  ASSERT_EQ(threads.size(), 3u);
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], std::this_thread::get_id());
  EXPECT_NE(threads[2], std::this_thread::get_id());
}

TEST(CpuStreamTest, ALaunchSaysHowLongItTook) {
  CpuStream stream("test");
  auto device_ns = std::make_shared<std::atomic<int64_t>>(-1);
  EXPECT_TRUE(stream
                  .Run({.module = ModuleOf([](const auto&) { return absl::OkStatus(); }),
                        .device_ns = device_ns})
                  .Await()
                  .ok());
  EXPECT_GE(device_ns->load(), 0);
}

TEST(RunControlTest, APauseRightAfterAResumeIsHeardToo) {
  RunControl control;
  const auto begin = std::chrono::steady_clock::now();
  std::thread run([&] {
    while (control.WaitWhilePaused()) std::this_thread::yield();
  });
  for (int i = 0; i < 200; ++i) {
    const auto promise = std::make_shared<Promise<Unit>>();
    const Event paused = promise->future();
    control.Pause([promise] { promise->Set(Unit{}); });
    (void)paused.Await();
    control.Resume();
  }
  control.Cancel();
  run.join();
  EXPECT_LE(control.paused_time(), std::chrono::steady_clock::now() - begin);
}

TEST(CpuStreamTest, ACancelledLaunchDoesNotRun) {
  CpuStream stream("test");
  bool ran = false;
  auto control = std::make_shared<RunControl>();
  control->Cancel();
  const Event event = stream.Run({.module = ModuleOf([&](const auto&) {
                                    ran = true;
                                    return absl::OkStatus();
                                  }),
                                  .control = control});
  EXPECT_EQ(event.Await().status().code(), absl::StatusCode::kCancelled);
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace acceld::hal::cpu
