// Clients that are killed in the middle of anything, many times.

#include <signal.h>

#include <chrono>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "tests/integration/faults/fault_fixture.h"

namespace acceld::testing {
namespace {

using std::chrono::milliseconds;

class FaultKillClientsTest : public FaultTest {
 protected:
  Process StartMixed(uint32_t seed) {
    // Every second one could come back within its lease, and never will.
    return StartClient("mix", {absl::StrCat(seed), seed % 2 == 0 ? "0" : "3000"});
  }
};

TEST_F(FaultKillClientsTest, ProcessesKilledAtRandomMomentsLeaveNothing) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount());
  constexpr uint32_t kProcesses = 8, kKills = 48;
  std::mt19937 random(20261122);
  std::vector<Process> processes;
  uint32_t seed = 100;
  while (processes.size() < kProcesses) processes.push_back(StartMixed(seed++));
  for (uint32_t kills = 0; kills < kKills; ++kills) {
    std::this_thread::sleep_for(milliseconds(random() % 200));
    Process& victim = processes[random() % kProcesses];
    victim.Signal(SIGKILL);
    // It would have ended by itself only with an error.
    EXPECT_EQ(victim.Wait(), 128 + SIGKILL);
    victim = StartMixed(seed++);
  }
  ExpectServes();
  for (Process& process : processes) process.Signal(SIGKILL);
  for (Process& process : processes) EXPECT_EQ(process.Wait(), 128 + SIGKILL);
  EXPECT_EQ(ClientsLog(), "");
  ExpectNothingLeft();
}

TEST_F(FaultKillClientsTest, ClientsThatAreStoppedForAWhileGoOn) {
  ASSERT_NO_FATAL_FAILURE(StartAndCount());
  std::vector<Process> processes;
  for (uint32_t seed = 0; seed < 4; ++seed) processes.push_back(StartMixed(seed));
  for (int round = 0; round < 10; ++round) {
    Process& frozen = processes[round % processes.size()];
    frozen.Signal(SIGSTOP);
    ExpectServes();
    frozen.Signal(SIGCONT);
    std::this_thread::sleep_for(milliseconds(50));
  }
  // Frozen for good, then gone.
  for (Process& process : processes) process.Signal(SIGSTOP);
  ExpectServes();
  for (Process& process : processes) process.Signal(SIGKILL);
  for (Process& process : processes) EXPECT_EQ(process.Wait(), 128 + SIGKILL);
  EXPECT_EQ(ClientsLog(), "");
  ExpectNothingLeft();
}

}  // namespace
}  // namespace acceld::testing
