#include "client/find_device.h"

#include <stdlib.h>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::client {
namespace {

std::vector<DeviceInfo> Devices() {
  std::vector<DeviceInfo> devices(4);
  for (uint32_t i = 0; i < devices.size(); ++i) {
    devices[i].id = i;
    devices[i].kind = i < 2 ? "cpu" : "cuda";
  }
  return devices;
}

class FindDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override { unsetenv("ACCELD_DEVICE"); }
  void TearDown() override { unsetenv("ACCELD_DEVICE"); }
};

TEST_F(FindDeviceTest, ANameIsANumberOrAKindAndANumberAmongItsKind) {
  EXPECT_EQ(*FindDevice(Devices(), "1"), 1u);
  EXPECT_EQ(*FindDevice(Devices(), "cpu:1"), 1u);
  EXPECT_EQ(*FindDevice(Devices(), "cuda:0"), 2u);
  EXPECT_EQ(*FindDevice(Devices(), "cuda:1"), 3u);
}

TEST_F(FindDeviceTest, AKindOrNothingLeavesItToTheDaemon) {
  EXPECT_TRUE(NamesNoDevice(""));
  EXPECT_TRUE(NamesNoDevice("cuda"));
  for (const char* name : {"0", "cuda:0", "cuda:", ":0"}) EXPECT_FALSE(NamesNoDevice(name));
}

TEST_F(FindDeviceTest, TheEnvironmentCountsWhereNothingElseIsSaid) {
  EXPECT_EQ(WantedDevice(""), "");
  setenv("ACCELD_DEVICE", "cuda:1", 1);
  EXPECT_EQ(WantedDevice(""), "cuda:1");
  EXPECT_EQ(WantedDevice("cpu:0"), "cpu:0");
}

TEST_F(FindDeviceTest, WhatIsNotThereIsRefusedWithWhatIs) {
  for (const char* name : {"4", "cuda:2", "cuda:", ":0", "cuda:00", "-1", "rocm:0"}) {
    const absl::Status status = FindDevice(Devices(), name).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_THAT(std::string(status.message()),
                ::testing::HasSubstr("'; the daemon has cpu:0, cpu:1, cuda:0, cuda:1"));
  }
}

}  // namespace
}  // namespace acceld::client
