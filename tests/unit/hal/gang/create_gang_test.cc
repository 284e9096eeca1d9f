#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "server/hal/cpu/cpu_device.h"
#include "tests/unit/hal/counting_device.h"
#include "tests/unit/runtime/fake_device.h"
#include "tests/unit/status_matchers.h"

namespace acceld::hal::cpu {
namespace {

TEST(CreateGangTest, AGangIsForDifferentDevicesOfOneKind) {
  const auto devices = OpenCpuDevices({.num_devices = 3});
  ASSERT_THAT(devices, IsOk());
  Device* const first = (*devices)[0].get();
  Device* const second = (*devices)[1].get();
  testing::CountingDevice third(*(*devices)[2]);
  testing::FakeDevice other;

  const auto gang = first->CreateGang({second, &third});
  ASSERT_THAT(gang, IsOk());
  EXPECT_EQ((*gang)->size(), 2);
  EXPECT_EQ((*gang)->stats().collectives, 0);
  EXPECT_THAT(first->CreateGang({first}), IsOk());
  EXPECT_THAT(first->CreateGang({}), IsRefused("no devices"));
  EXPECT_THAT(first->CreateGang({first, &other}), IsRefused("kind cpu and fake"));
  EXPECT_THAT(first->CreateGang({first, second, first}), IsRefused("on one device"));
}

}  // namespace
}  // namespace acceld::hal::cpu
