#include <gmock/gmock.h>

#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "server/hal/cuda/nccl/communicator.h"
#include "tests/unit/hal/cuda_gang/cuda_gang_fixture.h"
#include "tests/unit/status_matchers.h"

// Launches on several GPUs that end early.
namespace acceld::testing {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

const absl::Status kReason = absl::AbortedError("nobody wants it");

constexpr char kAll[] =
    "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = "
    "#stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids";
constexpr char kAdd[] = R"(({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      "stablehlo.return"(%z) : (tensor<f32>) -> ()
  }))";

std::string WithGroups(absl::string_view text) {
  return LocalProgram(2, absl::StrReplaceAll(text, {{"GROUPS", kAll}, {"ADD", kAdd}}));
}

// Adds up the arguments of two participants.
std::string SumText() {
  return WithGroups(R"((%a: tensor<f32>) -> tensor<f32> {
  %b = stablehlo.sine %a : tensor<f32>
  %0 = "stablehlo.all_reduce"(%b) <{GROUPS}> ADD : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
}

// Exchanges values as long as they are not negative.
std::string EndlessText() {
  return WithGroups(R"((%a: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.while(%v = %a) : tensor<f32>
    cond {
      %sum = "stablehlo.all_reduce"(%v) <{GROUPS}> ADD : (tensor<f32>) -> tensor<f32>
      %p = stablehlo.compare GE, %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %w = stablehlo.abs %v : tensor<f32>
      stablehlo.return %w : tensor<f32>
    }
  return %0 : tensor<f32>
})");
}

// The participants wait for each other in different collectives.
std::string DeadlockText() {
  return WithGroups(R"((%a: tensor<f32>) -> tensor<f32> {
  %id = stablehlo.partition_id : tensor<ui32>
  %i = stablehlo.convert %id : (tensor<ui32>) -> tensor<i32>
  %0 = "stablehlo.case"(%i) ({
    %s = "stablehlo.all_reduce"(%a) <{GROUPS}> ADD : (tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }, {
    %p = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%p) : (tensor<f32>) -> ()
  }) : (tensor<i32>) -> tensor<f32>
  return %0 : tensor<f32>
})");
}

std::vector<std::vector<ir::Literal>> Ones() {
  return {{ir::Literal::Filled({ir::DType::kF32, {}}, 1)},
          {ir::Literal::Filled({ir::DType::kF32, {}}, 1)}};
}

class CudaGangEndsTest : public CudaGangTest {
 protected:
  CudaGangEndsTest() {
    Open(2);
    sum_ = Compile(SumText());
  }
  // Whether a launch on both devices gives the sum.
  void ExpectSum() {
    const std::vector<Run> runs = StartAll(*sum_, NewGang(), Ones());
    ASSERT_THAT(EndsOf(runs), Each(IsOk()));
    const auto first = Fetch(runs[0], *sum_, 0, 0), second = Fetch(runs[1], *sum_, 1, 0);
    ASSERT_THAT(first, IsOk());
    ASSERT_THAT(second, IsOk());
    EXPECT_EQ(first->DenseBytes(), second->DenseBytes());
  }
  // Waits until that many collectives have been enqueued.
  void AwaitCollectives(int count) {
    while (cuda_->CountOf("ncclKernel") < count) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  std::shared_ptr<const hal::Executable> sum_;
};

TEST_F(CudaGangEndsTest, WithoutTheLibraryProgramsWithCollectivesAreNotLoaded) {
  static const absl::StatusOr<hal::cuda::Nccl> none = absl::FailedPreconditionError("no NCCL");
  hal::cuda::Toolkit toolkit = FakeCuda::toolkit();
  toolkit.find_nccl = []() -> const auto& { return none; };
  Open(2, toolkit);
  EXPECT_THAT(Load(*sum_, 0), FailsWith(absl::StatusCode::kFailedPrecondition, "no NCCL"));
  // Other programs are.
  EXPECT_THAT(Load(*Compile(LocalProgram(2, R"((%a: tensor<f32>) -> tensor<f32> {
  %b = stablehlo.sine %a : tensor<f32>
  return %b : tensor<f32>
})")),
                   0),
              IsOk());
}

TEST_F(CudaGangEndsTest, OldVersionsOfTheLibraryAreRefused) {
  hal::cuda::Nccl library = *FakeCuda::toolkit().find_nccl();
  EXPECT_THAT(library.CheckVersion(), IsOk());
  library.ncclGetVersion = [](int* version) {
    *version = 21705;
    return 0;
  };
  EXPECT_THAT(library.CheckVersion(),
              FailsWith(absl::StatusCode::kFailedPrecondition, "NCCL 2.17.5 is too old"));
  library.ncclGetVersion = [](int* version) {
    *version = 2804;
    return 0;
  };
  EXPECT_THAT(library.CheckVersion(),
              FailsWith(absl::StatusCode::kFailedPrecondition, "NCCL 2.8.4 is too old"));
}

TEST_F(CudaGangEndsTest, ErrorsOfTheLibraryFailOneLaunch) {
  for (const char* const function : {"ncclGetUniqueId", "ncclCommInitRankConfig", "ncclKernel",
                                     "ncclGroupEnd", "ncclAllGather"}) {
    Open(2);
    cuda_->Fail(function, 2);
    EXPECT_THAT(EndsOf(StartAll(*sum_, NewGang(), Ones())),
                Each(FailsWith(absl::StatusCode::kInternal, "NCCL system error (2)")))
        << function;
    ExpectSum();
  }
}

TEST_F(CudaGangEndsTest, ErrorsWhileCommunicatorsAreInUseFailOneLaunch) {
  ExpectSum();
  for (const char* const function : {"ncclKernel", "cuLaunchKernel", "ncclGroupEnd"}) {
    cuda_->Fail(function, 1, 1);
    for (const absl::Status& end : EndsOf(StartAll(*sum_, NewGang(), Ones()))) {
      EXPECT_FALSE(end.ok()) << function;
    }
    ExpectSum();
  }
}

TEST_F(CudaGangEndsTest, NobodyWaitsForAParticipantThatNeverComes) {
  for (int round = 0; round < 2; ++round) {
    const auto gang = NewGang();
    const Run run = Start(*sum_, gang, 1, Ones()[0]);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(run.event.IsReady());
    gang->Abort(kReason);
    EXPECT_EQ(run.event.Await().status(), kReason);
    ExpectSum();
  }
  EXPECT_EQ(cuda_->CountOf("ncclCommAbort"), 0);
}

TEST_F(CudaGangEndsTest, LaunchesBehindOneThatLacksAParticipantGoOn) {
  for (int round = 0; round < 5; ++round) {
    const auto gang = NewGang();
    const Run lonely = Start(*sum_, gang, 0, Ones()[0]);
    const std::vector<Run> next = StartAll(*sum_, NewGang(), Ones());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_FALSE(next[1].event.IsReady());
    gang->Abort(kReason);
    EXPECT_EQ(lonely.event.Await().status(), kReason);
    EXPECT_THAT(EndsOf(next), Each(IsOk()));
  }
  EXPECT_EQ(cuda_->CountOf("ncclCommAbort"), 0);
}

TEST_F(CudaGangEndsTest, ParticipantsOfAnAbortedLaunchDoNotBegin) {
  const auto gang = NewGang();
  gang->Abort(kReason);
  EXPECT_THAT(EndsOf(StartAll(*sum_, gang, Ones())), Each(kReason));
  EXPECT_EQ(cuda_->CountOf("ncclCommInitRankConfig"), 0);
}

TEST_F(CudaGangEndsTest, CancelledLoopsLeaveTogether) {
  ExpectSum();
  const auto endless = Compile(EndlessText());
  const auto gang = NewGang();
  const int before = cuda_->CountOf("ncclKernel");
  const std::vector<Run> runs = StartAll(*endless, gang, Ones());
  AwaitCollectives(before + 20);
  runs[1].control->Cancel();
  EXPECT_THAT(EndsOf(runs), Each(FailsWith(absl::StatusCode::kCancelled, "cancelled")));
  ExpectSum();
  // Nothing had to be broken.
  EXPECT_EQ(cuda_->CountOf("ncclCommAbort"), 0);
  EXPECT_EQ(cuda_->CountOf("ncclCommInitRankConfig"), 2);
}

TEST_F(CudaGangEndsTest, LaunchesBehindACancelledOneGoOn) {
  const auto endless = Compile(EndlessText());
  for (int round = 0; round < 5; ++round) {
    const auto gang = NewGang();
    const int before = cuda_->CountOf("ncclKernel");
    const std::vector<Run> first = StartAll(*endless, gang, Ones());
    std::vector<std::vector<Run>> later;
    for (int i = 0; i < 3; ++i) later.push_back(StartAll(*sum_, NewGang(), Ones()));
    AwaitCollectives(before + round * 3);
    gang->Abort(kReason);
    EXPECT_THAT(EndsOf(first), Each(kReason));
    for (const std::vector<Run>& runs : later) EXPECT_THAT(EndsOf(runs), Each(IsOk()));
  }
  EXPECT_EQ(cuda_->CountOf("ncclCommInitRankConfig"), 2);
}

TEST_F(CudaGangEndsTest, DeadlocksEndAtOnce) {
  const auto deadlock = Compile(DeadlockText());
  const std::vector<Run> runs = StartAll(*deadlock, NewGang(), Ones());
  for (const absl::Status& end : EndsOf(runs)) {
    EXPECT_THAT(end, FailsWith(absl::StatusCode::kInternal, "deadlock: participant 0 waits in"));
    EXPECT_THAT(std::string(end.message()), HasSubstr("all_reduce of tensor<f32> (step "));
    EXPECT_THAT(std::string(end.message()), HasSubstr("collective_permute of tensor<f32> (step "));
  }
  ExpectSum();
}

TEST_F(CudaGangEndsTest, AParticipantThatFailsOnItsDeviceEndsTheLaunch) {
  ExpectSum();
  cuda_->FailKernel("collective_combine_f32_Add", 700);
  const std::vector<absl::Status> ends = EndsOf(StartAll(*sum_, NewGang(), Ones()));
  EXPECT_TRUE(!ends[0].ok() || !ends[1].ok());
  EXPECT_TRUE(cuda_->IsBroken(0) != cuda_->IsBroken(1));
}

TEST_F(CudaGangEndsTest, UnusedCommunicatorsAreDestroyedInTheEnd) {
  Open(4);
  int sets = 0;
  for (size_t i = 0; i < 4; ++i) {
    for (size_t j = 0; j < 4; ++j) {
      if (i == j) continue;
      const auto gang = NewGangOn({i, j});
      const std::vector<Run> runs = {Start(*sum_, gang, 0, Ones()[0], i),
                                     Start(*sum_, gang, 1, Ones()[0], j)};
      ASSERT_THAT(EndsOf(runs), Each(IsOk()));
      sets += i < j;
    }
  }
  // Devices in another order share a communicator.
  EXPECT_EQ(sets, 6);
  const int made = cuda_->CountOf("ncclCommInitRankConfig");
  EXPECT_LE(made, 2 * 12);
  const auto kept = static_cast<int>(hal::cuda::Communicators::kMaxUnused);
  EXPECT_GE(cuda_->CountOf("ncclCommAbort"), made - 2 * (kept + 1));
}

}  // namespace
}  // namespace acceld::testing
