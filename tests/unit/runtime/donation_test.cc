// What becomes of inputs that are donated.
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/runtime/executor_client.h"

namespace acceld::runtime {
namespace {

constexpr int64_t kElements = 4096;
constexpr int64_t kBytes = kElements * int64_t{sizeof(float)};

// Where a kernel was told to work.
struct Addresses {
  const void* argument = nullptr;
  const void* result = nullptr;
};

// Adds one to each element of its first argument, in place where it may.
std::shared_ptr<const hal::LoadedExecutable> Increment(Addresses& addresses, int arguments = 1) {
  auto executable = std::make_shared<hal::Executable>();
  executable->arguments.assign(static_cast<size_t>(arguments), testing::F32({kElements}));
  executable->results = {testing::F32({kElements})};
  executable->steady = true;
  executable->may_share = {{0, 0}};
  const auto run = [&addresses](const kernels::cpu::LaunchContext& context) {
    addresses = {context.arguments[0], context.results[0]};
    const auto* in = static_cast<const float*>(context.arguments[0]);
    auto* out = static_cast<float*>(context.results[0]);
    for (int64_t i = 0; i < kElements; ++i) out[i] = in[i] + 1;
    return absl::OkStatus();
  };
  return std::make_shared<const hal::LoadedExecutable>(
      std::move(executable), std::make_shared<const testing::FakeModule>(run));
}

class DonationTest : public ::testing::Test {
 protected:
  ArrayPtr Upload(float value) {
    const ArrayPtr array = client_.Upload(std::vector<float>(kElements, value));
    return Array::ForReaders(array);
  }
  struct Started {
    std::shared_ptr<Task> task;
    ArrayPtr output;  // a pointer for readers
    std::shared_ptr<Donation> donation;
  };
  // Donates the first input, of which the caller keeps no pointer.
  Started Prepare(std::shared_ptr<const hal::LoadedExecutable> kernel, ArrayPtr donated,
                  std::vector<ArrayPtr> others = {}) {
    others.insert(others.begin(), std::move(donated));
    auto [task, output] = client_.Prepare("step", std::move(kernel), std::move(others));
    auto& execution = std::get<Execution>(task->work());
    auto donation = std::make_shared<Donation>(execution.program_name, 0);
    execution.donated.push_back({.argument = 0, .donation = donation});
    return {task, Array::ForReaders(std::move(output)), donation};
  }
  Started Donate(std::shared_ptr<const hal::LoadedExecutable> kernel, ArrayPtr donated,
                 std::vector<ArrayPtr> others = {}) {
    Started started = Prepare(std::move(kernel), std::move(donated), std::move(others));
    client_.Submit(started.task);
    return started;
  }
  static void ExpectMoved(const Addresses& addresses) {
    EXPECT_NE(addresses.argument, nullptr);
    EXPECT_EQ(addresses.argument, addresses.result);
  }
  static void ExpectCopied(const Addresses& addresses) {
    EXPECT_NE(addresses.argument, nullptr);
    EXPECT_NE(addresses.argument, addresses.result);
  }

  // Three arrays fit, and some small ones.
  testing::FakeDevice device_{3 * kBytes + 8192};
  DeviceExecutor executor_{device_, 0, {.memory_wait = std::chrono::milliseconds(100)}};
  Client client_{{&executor_}};
};

TEST_F(DonationTest, AnArrayThatNobodyElseHasIsWhereTheResultIs) {
  Addresses addresses;
  ArrayPtr x = Upload(1);
  ASSERT_TRUE(Final(x).ok());
  const Started step = Donate(Increment(addresses), std::move(x));
  EXPECT_EQ(FirstValue(executor_, step.output), 2);
  ExpectMoved(addresses);
  EXPECT_EQ(step.donation->returned(), nullptr);
  EXPECT_TRUE(executor_.WaitUntilIdle(kForever));
  EXPECT_EQ(client_.account().bytes(), kBytes);
  EXPECT_EQ(executor_.instruments().donated_bytes.value(), static_cast<uint64_t>(kBytes));
}

TEST_F(DonationTest, AnArrayThatSomebodyElseHasKeepsItsValue) {
  Addresses addresses;
  ArrayPtr x = Upload(1);
  const ArrayPtr kept = x;
  const Started step = Donate(Increment(addresses), std::move(x));
  EXPECT_EQ(FirstValue(executor_, step.output), 2);
  ExpectCopied(addresses);
  EXPECT_EQ(FirstValue(executor_, kept), 1);
  EXPECT_TRUE(executor_.WaitUntilIdle(kForever));
  EXPECT_EQ(client_.account().bytes(), 2 * kBytes);
}

TEST_F(DonationTest, AnotherQueuedExecutionThatReadsItKeepsItsValue) {
  Gate gate;
  gate.kernel->cost.Record(std::chrono::nanoseconds(std::chrono::hours(1)).count());
  const ArrayPtr held = client_.Run("gate", gate.kernel, {});
  gate.door.AwaitArrival();
  Addresses addresses, others;
  ArrayPtr x = Upload(1);
  ASSERT_TRUE(Final(x).ok());
  ArrayPtr y = Array::ForReaders(client_.Run("reader", Increment(others), {x}));
  const Started step = Donate(Increment(addresses), std::move(x));
  gate.door.Open();
  EXPECT_EQ(FirstValue(executor_, step.output), 2);
  EXPECT_EQ(FirstValue(executor_, y), 2);
}

// As training does: each step is submitted while the one before still runs.
TEST_F(DonationTest, StepsThatAreSubmittedAheadAllWorkInOnePlace) {
  Addresses addresses;
  ArrayPtr x = Upload(0);
  ASSERT_TRUE(Final(x).ok());
  const int64_t before = device_.memory().used_bytes;
  for (int i = 0; i < 200; ++i) {
    Started step = Donate(Increment(addresses), std::move(x));
    x = std::move(step.output);
  }
  EXPECT_EQ(FirstValue(executor_, x), 200);
  ExpectMoved(addresses);
  EXPECT_EQ(device_.memory().peak_bytes, before);
  EXPECT_EQ(executor_.instruments().donated_bytes.value(), static_cast<uint64_t>(200 * kBytes));
}

TEST_F(DonationTest, WhileTheArrayIsBeingMadeItsMemoryCanBeTaken) {
  Addresses addresses;
  Door door;
  const auto slow = testing::LoadedKernel(0, kElements, [door](const auto& context) {
    door.Pass();
    *static_cast<float*>(context.results[0]) = 5;
    return absl::OkStatus();
  });
  slow->cost.Record(1000);
  ArrayPtr x = Array::ForReaders(client_.Run("slow", slow, {}));
  door.AwaitArrival();
  const Started step = Donate(Increment(addresses), std::move(x));
  door.Open();
  EXPECT_EQ(FirstValue(executor_, step.output), 6);
  ExpectMoved(addresses);
}

TEST_F(DonationTest, AnExecutionThatIsPoisonedByAnotherInputGivesItBack) {
  Addresses addresses;
  const ArrayPtr broken = client_.NewArray(kElements);
  broken->Fail(absl::InternalError("broken before"));
  const Started step = Donate(Increment(addresses, 2), Upload(1), {broken});
  EXPECT_EQ(Final(step.output).message(), "broken before");
  EXPECT_TRUE(executor_.WaitUntilIdle(kForever));
  ASSERT_NE(step.donation->returned(), nullptr);
  EXPECT_EQ(FirstValue(executor_, step.donation->returned()), 1);
}

TEST_F(DonationTest, AnExecutionThatIsCancelledInTimeGivesItBack) {
  Addresses addresses;
  const ArrayPtr pending = client_.NewArray(kElements);
  const Started step = Donate(Increment(addresses, 2), Upload(1), {pending});
  executor_.Cancel(step.task, absl::CancelledError("not wanted"));
  EXPECT_EQ(Final(step.output).message(), "not wanted");
  ASSERT_NE(step.donation->returned(), nullptr);
  EXPECT_EQ(FirstValue(executor_, step.donation->returned()), 1);
  // And it may be donated again.
  ArrayPtr again = step.donation->returned();
  step.donation->Return(nullptr);
  const Started second = Donate(Increment(addresses), std::move(again));
  EXPECT_EQ(FirstValue(executor_, second.output), 2);
  ExpectMoved(addresses);
  pending->Fail(absl::CancelledError("over"));
}

TEST_F(DonationTest, AnExecutionThatFindsNoMemoryGivesItBack) {
  auto executable = std::make_shared<hal::Executable>();
  executable->arguments = {testing::F32({kElements})};
  executable->results = {testing::F32({kElements})};
  executable->arena_bytes = 4 * kBytes;
  executable->may_share = {{0, 0}};
  const auto large = std::make_shared<const hal::LoadedExecutable>(
      std::move(executable), std::make_shared<const testing::FakeModule>(Nothing));
  const Started step = Donate(large, Upload(1));
  EXPECT_TRUE(absl::IsResourceExhausted(Final(step.output)));
  EXPECT_TRUE(executor_.WaitUntilIdle(kForever));
  ASSERT_NE(step.donation->returned(), nullptr);
  EXPECT_EQ(FirstValue(executor_, step.donation->returned()), 1);
  EXPECT_EQ(client_.account().bytes(), kBytes);
}

TEST_F(DonationTest, AnExecutionThatFailsOnTheDeviceHasConsumedIt) {
  auto executable = std::make_shared<hal::Executable>();
  executable->arguments = {testing::F32({kElements})};
  executable->results = {testing::F32({kElements})};
  executable->may_share = {{0, 0}};
  const auto failing = std::make_shared<const hal::LoadedExecutable>(
      std::move(executable), std::make_shared<const testing::FakeModule>(
                                 [](const auto&) { return absl::InternalError("no luck"); }));
  const Started step = Donate(failing, Upload(1));
  EXPECT_EQ(Final(step.output).message(), "program step: no luck");
  EXPECT_TRUE(executor_.WaitUntilIdle(kForever));
  EXPECT_EQ(step.donation->returned(), nullptr);
  EXPECT_EQ(client_.account().bytes(), 0);
  EXPECT_EQ(device_.memory().used_bytes, 0);
}

TEST_F(DonationTest, BytesThatAreBeingReadStay) {
  Addresses addresses;
  ArrayPtr x = Upload(1);
  ASSERT_TRUE(Final(x).ok());
  absl::StatusOr<SharedBytes> bytes = absl::UnknownError("");
  executor_.Download(x, [&](absl::StatusOr<SharedBytes> read) { bytes = std::move(read); });
  ASSERT_TRUE(bytes.ok());
  const Started step = Donate(Increment(addresses), std::move(x));
  EXPECT_EQ(FirstValue(executor_, step.output), 2);
  ExpectCopied(addresses);
  float first = 0;
  std::memcpy(&first, bytes->view.data(), sizeof(first));
  EXPECT_EQ(first, 1);
}

TEST_F(DonationTest, MemoryThatOtherArraysMayHaveIsNotTaken) {
  Addresses addresses;
  const ArrayPtr array = client_.NewArray(kElements);
  array->ShareContent();
  client_.UploadTo(array, std::vector<float>(kElements, 1));
  ASSERT_TRUE(Final(array).ok());
  const Started step = Donate(Increment(addresses), Array::ForReaders(array));
  EXPECT_EQ(FirstValue(executor_, step.output), 2);
  ExpectCopied(addresses);
}

TEST_F(DonationTest, EachAccountPaysForWhatItsArrayHas) {
  Addresses addresses;
  Client other({&executor_});
  const ArrayPtr theirs = other.Upload(std::vector<float>(kElements, 1));
  ASSERT_TRUE(Final(theirs).ok());
  ArrayPtr x = Array::ForReaders(theirs);
  const Started step = Donate(Increment(addresses), std::move(x));
  EXPECT_EQ(FirstValue(executor_, step.output), 2);
  ExpectMoved(addresses);
  EXPECT_EQ(other.account().bytes(), 0);
  EXPECT_EQ(client_.account().bytes(), kBytes);
}

TEST_F(DonationTest, ALimitOfOneArrayIsEnoughForStepsInPlace) {
  Addresses addresses;
  Client small({&executor_}, kBytes);
  ArrayPtr x = Array::ForReaders(small.Upload(std::vector<float>(kElements, 1)));
  auto [task, output] = small.Prepare("step", Increment(addresses), {x});
  auto& execution = std::get<Execution>(task->work());
  auto donation = std::make_shared<Donation>(execution.program_name, 0);
  execution.donated.push_back({.argument = 0, .donation = donation});
  x.reset();
  small.Submit(task);
  EXPECT_EQ(FirstValue(executor_, output), 2);
  EXPECT_EQ(small.account().bytes(), kBytes);
}

TEST_F(DonationTest, AnArrayOfAnotherDeviceIsCopiedOver) {
  testing::FakeDevice second_device;
  DeviceExecutor second(second_device, 1, {});
  Client both({&executor_, &second});
  Addresses addresses;
  ArrayPtr x = Array::ForReaders(both.Upload(std::vector<float>(kElements, 1), 0));
  auto [task, output] = both.Prepare("step", Increment(addresses), {x}, 1);
  auto& execution = std::get<Execution>(task->work());
  auto donation = std::make_shared<Donation>(execution.program_name, 0);
  execution.donated.push_back({.argument = 0, .donation = donation});
  x.reset();
  both.Submit(task);
  EXPECT_EQ(FirstValue(second, output), 2);
  ExpectCopied(addresses);
  EXPECT_TRUE(second.WaitUntilIdle(kForever));
  EXPECT_EQ(device_.memory().used_bytes, 0);
}

TEST_F(DonationTest, ASpilledArrayComesBackAndIsTaken) {
  testing::FakeDevice small_device(2 * kBytes + 4096);
  DeviceExecutor small(small_device, 0,
                       {.memory = {.host = std::make_shared<HostMemory>(1 << 20)},
                        .memory_wait = std::chrono::milliseconds(200)});
  Client client({&small});
  ArrayPtr x = Array::ForReaders(client.Upload(std::vector<float>(kElements, 1)));
  ASSERT_TRUE(Final(x).ok());
  {
    // These two leave no room for it.
    const ArrayPtr a = client.Upload(std::vector<float>(kElements, 2));
    ASSERT_TRUE(Final(a).ok());
    const ArrayPtr b = client.Upload(std::vector<float>(kElements, 3));
    ASSERT_TRUE(Final(b).ok());
    ASSERT_NE(x->view().spilled, nullptr);
  }
  Addresses addresses;
  auto [task, output] = client.Prepare("step", Increment(addresses), {x});
  auto& execution = std::get<Execution>(task->work());
  auto donation = std::make_shared<Donation>(execution.program_name, 0);
  execution.donated.push_back({.argument = 0, .donation = donation});
  x.reset();
  client.Submit(task);
  EXPECT_EQ(FirstValue(small, output), 2);
  ExpectMoved(addresses);
  EXPECT_TRUE(small.WaitUntilIdle(kForever));
  EXPECT_EQ(client.account().bytes(), kBytes);
}

}  // namespace
}  // namespace acceld::runtime
