#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/hal/cuda/driver/open_devices.h"
#include "tests/support/fake_cuda/fake_cuda.h"

namespace acceld::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<hal::cuda::OpenedDevices> OpenWanted(const FakeCuda& cuda, absl::string_view text) {
  ACCELD_ASSIGN_OR_RETURN(const auto wanted, hal::cuda::ParseDeviceSelection(text));
  return hal::cuda::OpenSelectedDevices(cuda.found(), wanted, {}, FakeCuda::toolkit());
}

TEST(CudaOpenTest, WordsThatNameNoDevicesAreRefused) {
  for (const char* text : {"", "some", "0,", "-1", "0,0", "1 2", "9999999999"}) {
    EXPECT_EQ(hal::cuda::ParseDeviceSelection(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_THAT(hal::cuda::ParseDeviceSelection("2,0")->numbers, ElementsAre(2, 0));
}

TEST(CudaOpenTest, AllAreOpenedOrThoseThatAreNamed) {
  const FakeCuda cuda({.devices = 3});
  EXPECT_EQ(OpenWanted(cuda, "all")->devices.size(), 3u);
  const auto named = OpenWanted(cuda, "2,1");
  ASSERT_EQ(named->devices.size(), 2u);
  EXPECT_EQ(named->devices[0].device->name(), "Fake GPU 2");
  EXPECT_EQ(named->devices[0].device->kind(), "cuda");
  EXPECT_THAT(named->missing, IsEmpty());
  const absl::Status none = OpenWanted(cuda, "0,3").status();
  EXPECT_EQ(none.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.message()), HasSubstr("no number 3, the NVIDIA driver shows 3"));
}

TEST(CudaOpenTest, AGangIsForDifferentDevicesThatWereOpenedTogether) {
  const FakeCuda cuda({.devices = 2});
  const auto opened = OpenWanted(cuda, "all");
  const auto others = OpenWanted(cuda, "all");
  hal::Device* const first = opened->devices[0].device.get();
  hal::Device* const second = opened->devices[1].device.get();
  const auto gang = first->CreateGang({second, first});
  ASSERT_TRUE(gang.ok()) << gang.status();
  EXPECT_EQ((*gang)->size(), 2);
  const auto refusal = [first](std::vector<hal::Device*> devices) {
    return first->CreateGang(devices).status().ToString();
  };
  EXPECT_THAT(refusal({}), HasSubstr("no devices"));
  EXPECT_THAT(refusal({first, second, first}), HasSubstr("on one device"));
  EXPECT_THAT(refusal({first, others->devices[1].device.get()}), HasSubstr("opened together"));
}

TEST(CudaOpenTest, SeveralGpusMissNccl) {
  static const absl::StatusOr<hal::cuda::Nccl> none =
      absl::FailedPreconditionError("no NCCL: found none of a; install it");
  hal::cuda::Toolkit toolkit = FakeCuda::toolkit();
  toolkit.find_nccl = []() -> const auto& { return none; };
  const FakeCuda cuda({.devices = 2});
  const auto missing = [&](absl::string_view text) {
    return hal::cuda::OpenSelectedDevices(cuda.found(), *hal::cuda::ParseDeviceSelection(text), {},
                                          toolkit)
        ->missing_libraries;
  };
  EXPECT_THAT(missing("1"), IsEmpty());
  ASSERT_EQ(missing("all").size(), 1u);
  EXPECT_EQ(missing("all")[0].name, "NCCL");
  EXPECT_EQ(missing("0,1")[0].reason, "found none of a; install it");
}

TEST(CudaOpenTest, OneThatDoesNotOpenIsMissingUnlessItIsNamed) {
  FakeCuda cuda({.devices = 2});
  cuda.Fail("cuDevicePrimaryCtxRetain", 46);
  const auto all = OpenWanted(cuda, "all");
  ASSERT_TRUE(all.ok()) << all.status();
  EXPECT_EQ(all->devices.size(), 1u);
  EXPECT_THAT(all->missing, ElementsAre(HasSubstr("GPU 0 (Fake GPU 0): cuDevicePrimaryCtxRetain")));
  cuda.Fail("cuDevicePrimaryCtxRetain", 46);
  EXPECT_THAT(std::string(OpenWanted(cuda, "0").status().message()), HasSubstr("GPU 0"));
}

TEST(CudaOpenTest, LibrariesThatAreNotThereAreNamed) {
  const FakeCuda cuda;
  const auto wanted = hal::cuda::ParseDeviceSelection("all");
  hal::cuda::Toolkit toolkit = FakeCuda::toolkit();
  EXPECT_THAT(hal::cuda::OpenSelectedDevices(cuda.found(), *wanted, {}, toolkit)->missing_libraries,
              IsEmpty());
  static const absl::StatusOr<kernels::cuda::Cufft> none =
      absl::FailedPreconditionError("no cuFFT: found none of a, b");
  toolkit.find_cufft = []() -> const auto& { return none; };
  for (const char* text : {"all", "0"}) {
    const auto opened = hal::cuda::OpenSelectedDevices(
        cuda.found(), *hal::cuda::ParseDeviceSelection(text), {}, toolkit);
    EXPECT_EQ(opened->devices.size(), 1u);
    ASSERT_EQ(opened->missing_libraries.size(), 1u);
    EXPECT_EQ(opened->missing_libraries[0].name, "cuFFT");
    EXPECT_EQ(opened->missing_libraries[0].reason, "found none of a, b");
  }
}

TEST(CudaOpenTest, ThereIsAlwaysAReasonForNoDevice) {
  const absl::StatusOr<hal::cuda::Driver> missing = absl::FailedPreconditionError("no driver");
  const auto open = [&missing](absl::string_view text) {
    return hal::cuda::OpenSelectedDevices(missing, *hal::cuda::ParseDeviceSelection(text), {},
                                          FakeCuda::toolkit());
  };
  EXPECT_THAT(open("all")->missing, ElementsAre("no driver"));
  EXPECT_THAT(open("none")->missing, ElementsAre("none are wanted"));
  EXPECT_EQ(open("0").status(), missing.status());
  const FakeCuda empty({.devices = 0});
  EXPECT_THAT(OpenWanted(empty, "all")->missing, ElementsAre(HasSubstr("CUDA_VISIBLE_DEVICES")));
}

}  // namespace
}  // namespace acceld::testing
