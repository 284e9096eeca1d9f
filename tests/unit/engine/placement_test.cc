#include "server/engine/sharing/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace acceld::engine {
namespace {

using ::testing::HasSubstr;

TEST(PlacementTest, TheDeviceWithTheFewestSessionsOfItsKindIsNext) {
  const std::vector<DeviceLoad> devices = {{.kind = "cuda", .sessions = 2},
                                           {.kind = "cuda", .sessions = 1},
                                           {.kind = "cuda", .sessions = 3},
                                           {.kind = "cpu"},
                                           {.kind = "cpu"}};
  EXPECT_EQ(*LeastUsed(devices, "cuda"), 1u);
  EXPECT_EQ(*LeastUsed(devices, ""), 1u) << "the first device's kind";
  EXPECT_EQ(*LeastUsed(devices, "cpu"), 3u) << "of equals the first";
}

TEST(PlacementTest, OfAsManySessionsTheOneWithLessQueuedIsNext) {
  EXPECT_EQ(*LeastUsed({{.kind = "cuda", .sessions = 1, .queued = 7},
                        {.kind = "cuda", .sessions = 1, .queued = 2},
                        {.kind = "cuda", .sessions = 2}},
                       "cuda"),
            1u);
}

TEST(PlacementTest, LostDevicesAreGivenToNobody) {
  const absl::Status lost = absl::UnavailableError("the device 0 (H100) is lost");
  std::vector<DeviceLoad> devices = {
      {.kind = "cuda", .health = lost}, {.kind = "cuda", .sessions = 9}, {.kind = "cpu"}};
  EXPECT_EQ(*LeastUsed(devices, ""), 1u);
  devices[1].health = absl::UnavailableError("the device 1 (H100) is lost");
  EXPECT_EQ(LeastUsed(devices, "").status(), lost);
}

TEST(PlacementTest, AKindThatIsNotThereIsRefusedWithWhatIs) {
  const absl::Status status =
      LeastUsed({{.kind = "cpu"}, {.kind = "cpu"}, {.kind = "cuda"}}, "rocm").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no device 'rocm'; the daemon has cpu:0, cpu:1, cuda:0"));
}

}  // namespace
}  // namespace acceld::engine
