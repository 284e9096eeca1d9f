#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "tests/unit/engine/fake_engine.h"
#include "tests/unit/status_matchers.h"

// What tests of executions on several devices have in common.
namespace acceld::engine {

inline constexpr ProgramId kTotal2 = 1, kTotal3 = 2, kNumber3 = 3, kFailLate2 = 4, kMeet2 = 5,
                           kStay2 = 6, kBad2 = 7, kAddOne = 8, kFail = 9;
inline const absl::Status kReason = absl::AbortedError("nobody wants it");
inline const std::vector<uint32_t> kFirst = {0};

inline void RegisterPrograms(Session& session) {
  const auto add = [&](ProgramId id, const ir::Module& module) {
    EXPECT_THAT(session.RegisterProgram(id, module, "main"), IsOk());
  };
  add(kTotal2, testing::ModuleForProcesses("total", 2));
  add(kTotal3, testing::ModuleForProcesses("total", 3));
  add(kNumber3, testing::ModuleForProcesses("number", 3));
  add(kFailLate2, testing::ModuleForProcesses("fail_late", 2));
  add(kMeet2, testing::ModuleForProcesses("meet", 2));
  add(kStay2, testing::ModuleForProcesses("stay", 2));
  add(kBad2, testing::ModuleForProcesses("bad_total", 2));
  add(kAddOne, testing::ModuleNamed("add_one"));
  add(kFail, testing::ModuleNamed("fail"));
}

// Three devices. Handles 10, 11 and 12 are {1, 10} on device 0, {2, 20} on device 1 and {3, 30} on
// device 2.
class ShardedTest : public ::testing::Test {
 protected:
  ShardedTest() : ShardedTest(EngineOptions{}) {}
  explicit ShardedTest(const EngineOptions& options)
      : engine_(testing::MakeFakeEngine(compiler_, {.engine = options, .devices = 3})),
        session_(Open("first")) {}

  std::shared_ptr<Session> Open(const std::string& name) {
    std::shared_ptr<Session> session = *engine_->OpenSession({.client_name = name});
    RegisterPrograms(*session);
    for (uint32_t device = 0; device < 3; ++device) {
      const auto value = static_cast<float>(device + 1);
      EXPECT_THAT(session->Put(10 + device, testing::Floats({value, 10 * value}), device), IsOk());
      EXPECT_THAT(testing::Await(*session, 10 + device).status, IsOk());
    }
    return session;
  }
  // Awaits the ends of executions that define these handles.
  std::vector<absl::Status> Ends(const std::vector<Handle>& outputs) {
    std::vector<absl::Status> ends;
    for (const Handle output : outputs) ends.push_back(testing::Await(*session_, output).status);
    return ends;
  }

  testing::FakeCompiler compiler_;
  std::unique_ptr<Engine> engine_;
  std::shared_ptr<Session> session_;
};

}  // namespace acceld::engine
