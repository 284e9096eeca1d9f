#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/hal/cuda/nccl/communicator.h"
#include "tests/support/fake_cuda/fake_cuda.h"
#include "tests/unit/status_matchers.h"

// A communicator of one rank: on the stand-in for a GPU, and on the GPU of this machine if it has
// one.
namespace acceld::hal::cuda {
namespace {

constexpr size_t kCount = 300;

// Sends numbers through the library's functions to the device itself.
void ExpectOneRankWorks(const Driver& driver, const CudaDevice& device,
                        const absl::StatusOr<Nccl>& nccl) {
  const auto context = Context::Open(driver, device);
  ASSERT_THAT(context, IsOk());
  ASSERT_THAT((*context)->Enter(), IsOk());
  Communicators communicators(nccl);
  const auto communicator = communicators.Of({*context});
  ASSERT_THAT(communicator, IsOk());
  const auto poll = [] {};
  ASSERT_THAT((*communicator)->Join(0, poll), IsOk());

  constexpr size_t kBytes = kCount * sizeof(int32_t);
  std::vector<int32_t> numbers(kCount), read(kCount);
  for (size_t i = 0; i < kCount; ++i) numbers[i] = static_cast<int32_t>(i * i);
  CuStream stream = nullptr;
  CuPointer buffers[4] = {};
  const auto expect = [&](Driver::Result result) { EXPECT_EQ(result, 0); };
  expect(driver.cuStreamCreateWithPriority(&stream, 1, 0));
  for (CuPointer& buffer : buffers) expect(driver.cuMemAlloc_v2(&buffer, kBytes));
  const auto address = [&](int i) { return reinterpret_cast<void*>(buffers[i]); };
  expect(driver.cuMemcpyAsync(buffers[0], reinterpret_cast<CuPointer>(numbers.data()), kBytes,
                              stream));
  const absl::Status enqueued = (*communicator)
                                    ->Enqueue(
                                        0,
                                        [&](Nccl::Comm comm) {
                                          return nccl->ncclAllGather(address(0), address(1), kBytes,
                                                                     Nccl::kBytes, comm, stream);
                                        },
                                        poll);
  EXPECT_THAT(enqueued, IsOk());
  EXPECT_THAT((*communicator)
                  ->Enqueue(
                      0,
                      [&](Nccl::Comm comm) {
                        constexpr int kInt32 = 2, kMaximum = 2;
                        return nccl->ncclAllReduce(address(1), address(2), kCount, kInt32, kMaximum,
                                                   comm, stream);
                      },
                      poll),
              IsOk());
  EXPECT_THAT((*communicator)
                  ->Enqueue(
                      0,
                      [&](Nccl::Comm comm) {
                        return nccl->ncclBroadcast(address(2), address(3), kBytes, Nccl::kBytes, 0,
                                                   comm, stream);
                      },
                      poll),
              IsOk());
  expect(
      driver.cuMemcpyAsync(reinterpret_cast<CuPointer>(read.data()), buffers[3], kBytes, stream));
  expect(driver.cuStreamSynchronize(stream));
  EXPECT_EQ(read, numbers);
  EXPECT_THAT((*communicator)->Check(0), IsOk());
  (*communicator)->Break(absl::AbortedError("enough"));
  EXPECT_THAT((*communicator)->Join(0, poll), FailsWith(absl::StatusCode::kAborted, "enough"));
  const auto next = communicators.Of({*context});
  ASSERT_THAT(next, IsOk());
  EXPECT_THAT((*next)->Join(0, poll), IsOk());
  for (const CuPointer buffer : buffers) expect(driver.cuMemFree_v2(buffer));
  expect(driver.cuStreamDestroy_v2(stream));
}

TEST(NcclDeviceTest, OneRankOnAStandIn) {
  const testing::FakeCuda cuda;
  ExpectOneRankWorks(cuda.driver(), cuda.devices()[0], testing::FakeCuda::toolkit().find_nccl());
  EXPECT_EQ(cuda.live_objects(), 0);
}

TEST(NcclDeviceTest, OneRankOnTheGpuOfThisMachine) {
  const absl::StatusOr<Driver>& driver = Driver::Get();
  if (!driver.ok()) GTEST_SKIP() << driver.status();
  if (!Nccl::Get().ok()) GTEST_SKIP() << Nccl::Get().status();
  const auto devices = FindCudaDevices(*driver);
  ASSERT_THAT(devices, IsOk());
  if (devices->empty()) GTEST_SKIP() << "the NVIDIA driver shows no GPU";
  ExpectOneRankWorks(*driver, (*devices)[0], Nccl::Get());
}

}  // namespace
}  // namespace acceld::hal::cuda
