#include "server/hal/cuda/find_devices.h"

#include <cstring>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::hal::cuda {
namespace {

using ::testing::HasSubstr;

// A driver of two GPUs, the second of which is broken when `broken` says so.
bool broken = false;
int num_devices = 2;

Driver FakeDriver() {
  Driver driver;
  driver.cuGetErrorName = [](int error, const char** name) {
    *name = error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_DEVICE_LOST";
    return 0;
  };
  driver.cuGetErrorString = [](int, const char** text) {
    *text = "it is gone";
    return 0;
  };
  driver.cuDeviceGetCount = [](int* count) {
    *count = num_devices;
    return 0;
  };
  driver.cuDeviceGet = [](int* device, int ordinal) {
    *device = 10 + ordinal;
    return broken && ordinal == 1 ? 999 : 0;
  };
  driver.cuDeviceGetName = [](char* name, int size, int device) {
    std::strncpy(name, device == 10 ? "First" : "Second", static_cast<size_t>(size));
    return 0;
  };
  driver.cuDeviceGetAttribute = [](int* value, int attribute, int device) {
    *value = attribute == 75 ? device - 1 : 0;
    return 0;
  };
  driver.cuDeviceTotalMem_v2 = [](size_t* bytes, int) {
    *bytes = size_t{80} << 30;
    return 0;
  };
  return driver;
}

class FindDevicesTest : public ::testing::Test {
 protected:
  FindDevicesTest() {
    broken = false;
    num_devices = 2;
  }
};

TEST_F(FindDevicesTest, TellsWhatTheDriverShows) {
  const auto devices = FindCudaDevices(FakeDriver());
  ASSERT_TRUE(devices.ok()) << devices.status();
  ASSERT_EQ(devices->size(), 2u);
  EXPECT_EQ((*devices)[0].name, "First");
  EXPECT_EQ((*devices)[0].architecture, 90);
  EXPECT_EQ((*devices)[1].ordinal, 1);
  EXPECT_EQ((*devices)[1].architecture, 100);
  EXPECT_EQ((*devices)[1].memory_bytes, int64_t{80} << 30);
}

TEST_F(FindDevicesTest, PassesOnWhatTheDriverSays) {
  broken = true;
  const absl::Status status = FindCudaDevices(FakeDriver()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_EQ(status.message(), "cuDeviceGet: CUDA_ERROR_DEVICE_LOST (999) it is gone");
  EXPECT_EQ(FakeDriver().Check(2, "cuMemAlloc").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(FakeDriver().Check(0, "cuMemAlloc").ok());
}

TEST_F(FindDevicesTest, ThereIsAlwaysAReasonForNoDevice) {
  EXPECT_EQ(WhyNoCudaDevices(absl::FailedPreconditionError("no NVIDIA driver: not found")),
            "no NVIDIA driver: not found");
  EXPECT_THAT(WhyNoCudaDevices(FakeDriver()), HasSubstr("First (sm_90), Second (sm_100)"));
  broken = true;
  EXPECT_THAT(WhyNoCudaDevices(FakeDriver()), HasSubstr("CUDA_ERROR_DEVICE_LOST"));
  num_devices = 0;
  EXPECT_THAT(WhyNoCudaDevices(FakeDriver()), HasSubstr("CUDA_VISIBLE_DEVICES"));
  // That of this machine, whichever it has.
  EXPECT_NE(WhyNoCudaDevices(Driver::Get()), "");
}

}  // namespace
}  // namespace acceld::hal::cuda
