#include <gmock/gmock.h>

#include "kernels/cuda/program/program.h"
#include "tests/unit/hal/device_fixture.h"

namespace acceld::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kDouble[] = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})";

constexpr hal::cuda::Driver::Result kIllegalAddress = 700, kLaunchOutOfResources = 701;

class CudaFailuresTest : public CudaDeviceTest {
 protected:
  void SetUp() override {
    Open({.devices = 2});
    executable_ = Compile(kDouble);
    module_ = Load(*executable_);
    argument_ = Put(Vector({1, 2, 3, 4}));
    ASSERT_TRUE(Once().ok());
  }
  void TearDown() override {
    argument_.reset();
    module_.reset();
    CudaDeviceTest::TearDown();
  }

  absl::Status Once() {
    return stream_->Run(LaunchOf(module_, *executable_, {argument_})).Await().status();
  }

  // The kernel of kDouble.
  std::string KernelName() const {
    return kernels::cuda::Deserialize(executable_->code)->kernels.at(0).name;
  }

  std::shared_ptr<const hal::Executable> executable_;
  std::shared_ptr<const hal::Module> module_;
  std::shared_ptr<hal::Buffer> argument_;
};

TEST_F(CudaFailuresTest, ALaunchThatTheDriverRefusesFailsThatRunAlone) {
  cuda_->Fail("cuLaunchKernel", kLaunchOutOfResources);
  const absl::Status failed = Once();
  EXPECT_EQ(failed.code(), absl::StatusCode::kInternal) << failed;
  EXPECT_THAT(std::string(failed.message()), HasSubstr("cuLaunchKernel"));
  EXPECT_TRUE(Once().ok());
}

TEST_F(CudaFailuresTest, NoCallThatFailsLeavesAnythingBehind) {
  for (const char* function : {"cuEventRecord", "cuMemcpyAsync", "cuEventElapsedTime",
                               "cuLaunchKernel", "cuMemAllocFromPoolAsync"}) {
    for (int calls = 0; calls < 3; ++calls) {
      cuda_->Fail(function, kLaunchOutOfResources, calls);
      (void)Once();
      (void)Fetch(argument_, executable_->arguments[0]);
      (void)Run(kDouble, {Vector({1, 2, 3, 4})});
      cuda_->Fail(function, 0);  // Whether or not it has.
    }
  }
  EXPECT_TRUE(Once().ok());
}

TEST_F(CudaFailuresTest, AModuleThatDoesNotLoadIsAStatus) {
  for (const char* function : {"cuModuleLoadData", "cuModuleGetFunction"}) {
    cuda_->Fail(function, 209);
    const absl::Status refused = devices_[0]->Load(*executable_).status();
    EXPECT_THAT(std::string(refused.message()), HasSubstr(function));
  }
  hal::Executable broken = *executable_;
  broken.code.resize(broken.code.size() / 2);
  EXPECT_EQ(devices_[0]->Load(broken).status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(CudaFailuresTest, ABrokenDeviceFailsAllThatIsOnItWithTheReason) {
  cuda_->Pause();
  cuda_->FailKernel(KernelName(), kIllegalAddress);
  const Event first = stream_->Run(LaunchOf(module_, *executable_, {argument_}));
  const Event second = stream_->Run(LaunchOf(module_, *executable_, {argument_}));
  cuda_->Resume();
  for (const Event& event : {first, second}) {
    EXPECT_EQ(event.Await().status().code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(event.Await().status().message()),
                HasSubstr("the device 0 (Fake GPU 0) is lost: "));
    EXPECT_THAT(std::string(event.Await().status().message()),
                HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
  }
  EXPECT_EQ(Once().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(Fetch(argument_, executable_->arguments[0]).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(devices_[0]->Load(*executable_).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(CudaFailuresTest, TheOtherDeviceGoesOn) {
  cuda_->FailKernel(KernelName(), kIllegalAddress);
  EXPECT_EQ(Once().code(), absl::StatusCode::kUnavailable);
  stream_ = devices_[1]->CreateStream("run");
  std::swap(devices_[0], devices_[1]);
  const auto results = Run(kDouble, {Vector({1, 2, 3, 4})});
  std::swap(devices_[0], devices_[1]);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(FloatsOf((*results)[0]), ElementsAre(2, 4, 6, 8));
}

TEST_F(CudaFailuresTest, AStreamThatCannotBeMadeFailsItsWork) {
  cuda_->Fail("cuStreamCreateWithPriority", kLaunchOutOfResources);
  stream_ = devices_[0]->CreateStream("broken");
  EXPECT_THAT(std::string(Once().message()), HasSubstr("cuStreamCreateWithPriority"));
}

}  // namespace
}  // namespace acceld::testing
