#include "server/hal/cuda/driver/find_devices.h"

#include <cstring>

#include "gtest/gtest.h"

namespace acceld::hal::cuda {
namespace {

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

}  // namespace
}  // namespace acceld::hal::cuda
