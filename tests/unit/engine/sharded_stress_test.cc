#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "tests/support/eventually.h"
#include "tests/unit/engine/fake_engine.h"
#include "tests/unit/engine/sharded_fixture.h"
#include "tests/unit/status_matchers.h"

// Sessions whose executions want the same devices in opposite orders, while some are cancelled and
// others fail. ACCELD_GANG_ROUNDS says how many rounds each session has.
namespace acceld::engine {
namespace {

using ::acceld::testing::Eventually;
using ::acceld::testing::FetchFloats;
using ::testing::Each;
using ::testing::ElementsAre;

int Rounds() {
  int rounds = 0;
  const char* const wanted = std::getenv("ACCELD_GANG_ROUNDS");
  return wanted != nullptr && absl::SimpleAtoi(wanted, &rounds) ? rounds : 20;
}

// Executes programs of all kinds, several at a time, and checks how each of them ends.
class Contender {
 public:
  // `order` has all three devices.
  Contender(const Engine& engine, Session& session, std::vector<uint32_t> order, unsigned seed)
      : engine_(engine), session_(session), order_(std::move(order)), random_(seed) {}

  void Round() {
    const std::vector<uint32_t> first = {order_[0], order_[1]}, last = {order_[1], order_[2]};
    const std::vector<Handle> total = Execute(kTotal3, order_);
    const std::vector<Handle> failed = Execute(kFailLate2, first);
    const std::vector<Handle> cancelled = Meet(last);
    const std::vector<Handle> late = Meet(first, std::chrono::milliseconds(Random(5)));
    const std::vector<Handle> after = Execute(kTotal2, last);
    if (Random(2) == 0) AwaitRunning();
    session_.Cancel({cancelled[Random(2)]}, kReason);
    EXPECT_THAT(Ends(cancelled), Each(kReason));
    for (const Handle handle : total)
      EXPECT_THAT(FetchFloats(session_, handle), ElementsAre(6, 60));
    const std::vector<absl::Status> failures = Ends(failed);
    EXPECT_THAT(failures[0], FailsWith(absl::StatusCode::kInternal, "library call failed"));
    EXPECT_THAT(failures, Each(failures[0]));
    EXPECT_THAT(Ends(late), Each(FailsWith(absl::StatusCode::kDeadlineExceeded, "meet_of_2")));
    const auto sum = static_cast<float>(last[0] + last[1] + 2);
    for (const Handle handle : after) {
      EXPECT_THAT(FetchFloats(session_, handle), ElementsAre(sum, 10 * sum));
    }
    session_.Release(handles_);
    handles_.clear();
  }

 private:
  size_t Random(size_t below) { return random_() % below; }
  std::vector<Handle> NewHandles(size_t count) {
    std::vector<Handle> handles;
    for (size_t i = 0; i < count; ++i) handles.push_back(next_++);
    handles_.insert(handles_.end(), handles.begin(), handles.end());
    return handles;
  }
  // The input of each process is the array of its device.
  std::vector<Handle> Execute(ProgramId program, const std::vector<uint32_t>& devices) {
    std::vector<Handle> inputs;
    for (const uint32_t device : devices) inputs.push_back(10 + device);
    std::vector<Handle> outputs = NewHandles(devices.size());
    EXPECT_THAT(session_.ExecuteSharded(program, devices, inputs, outputs, {}), IsOk());
    return outputs;
  }
  // Executes what never ends by itself.
  std::vector<Handle> Meet(const std::vector<uint32_t>& devices,
                           absl::optional<std::chrono::milliseconds> timeout = {}) {
    std::vector<Handle> outputs = NewHandles(devices.size());
    ExecuteOptions options;
    if (timeout.has_value()) options.deadline = std::chrono::steady_clock::now() + *timeout;
    EXPECT_THAT(session_.ExecuteSharded(kMeet2, devices, {}, outputs, options), IsOk());
    return outputs;
  }
  // Awaits that something of the session is on a device. What never ends will be.
  void AwaitRunning() {
    EXPECT_TRUE(Eventually([&] {
      const std::vector<RunningExecution> running = engine_.Running();
      return std::any_of(running.begin(), running.end(), [&](const RunningExecution& execution) {
        return execution.session == session_.id();
      });
    }));
  }
  std::vector<absl::Status> Ends(const std::vector<Handle>& outputs) {
    std::vector<absl::Status> ends;
    for (const Handle output : outputs) ends.push_back(testing::Await(session_, output).status);
    return ends;
  }

  const Engine& engine_;
  Session& session_;
  const std::vector<uint32_t> order_;
  std::minstd_rand random_;
  Handle next_ = 100;
  std::vector<Handle> handles_;  // of this round
};

class ShardedStressTest : public ShardedTest {};

TEST_F(ShardedStressTest, SessionsInOppositeOrdersGoOnWhileOthersFailAndAreCancelled) {
  const int rounds = Rounds();
  const std::shared_ptr<Session> other = Open("other"), alone = Open("alone");
  const uint64_t arrays = engine_->Stats().arrays;
  std::atomic<int> contending{2};
  const auto contend = [&](Session& session, const std::vector<uint32_t>& order, unsigned seed) {
    Contender contender(*engine_, session, order, seed);
    for (int i = 0; i < rounds; ++i) contender.Round();
    --contending;
  };
  std::thread first([&] { contend(*session_, {0, 1, 2}, 1); });
  std::thread second([&] { contend(*other, {2, 1, 0}, 2); });
  // Executions of one device are served meanwhile.
  int served = 0;
  for (; contending.load() > 0 || served == 0; ++served) {
    const uint32_t device = static_cast<uint32_t>(served) % 3;
    ASSERT_THAT(alone->Execute(kAddOne, {10 + device}, {100}, device), IsOk());
    EXPECT_EQ(FetchFloats(*alone, 100)[0], static_cast<float>(device) + 2);
    alone->Release({100});
  }
  first.join();
  second.join();
  EXPECT_GE(served, rounds);
  EXPECT_TRUE(Eventually([&] { return session_->queued() + other->queued() == 0; }));
  EXPECT_TRUE(Eventually([&] { return engine_->Running().empty(); }));
  EXPECT_EQ(engine_->Stats().gangs_running, 0u);
  EXPECT_EQ(engine_->Stats().gangs_waiting, 0u);
  EXPECT_TRUE(Eventually([&] { return engine_->Stats().arrays == arrays; }));
}

}  // namespace
}  // namespace acceld::engine
