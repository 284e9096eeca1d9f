#include "client/pjrt/compile/compile_answer.h"

#include <deque>

#include "gtest/gtest.h"

namespace acceld::pjrt {
namespace {

using client::CompileInfo;
using client::ExecutableMemory;

class CompileAnswerTest : public ::testing::Test {
 protected:
  CompileInfo WithCode(uint64_t bytes) {
    CompileInfo info;
    info.memory = ExecutableMemory{.code_bytes = bytes};
    return info;
  }

  std::deque<Promise<CompileInfo>> asked_;
  CompileAnswer answer_{[this] { return asked_.emplace_back().future(); }};
};

TEST_F(CompileAnswerTest, TheDaemonIsAskedOnce) {
  EXPECT_FALSE(answer_.KnownMemory().has_value());
  const Future<CompileInfo> first = answer_.Begin(), second = answer_.Begin();
  ASSERT_EQ(asked_.size(), 1u);
  EXPECT_FALSE(answer_.KnownMemory().has_value());
  asked_[0].Set(WithCode(7));
  EXPECT_TRUE(first.IsReady() && second.IsReady());
  EXPECT_EQ(answer_.KnownMemory()->code_bytes, 7u);
  EXPECT_EQ(answer_.AwaitMemory()->code_bytes, 7u);
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(CompileAnswerTest, AFailedCompileIsTriedAgain) {
  (void)answer_.Begin();
  asked_[0].Set(absl::ResourceExhaustedError("full"));
  EXPECT_FALSE(answer_.KnownMemory().has_value());
  (void)answer_.Begin();
  ASSERT_EQ(asked_.size(), 2u);
  asked_[1].Set(WithCode(8));
  EXPECT_EQ(answer_.AwaitMemory()->code_bytes, 8u);
}

TEST_F(CompileAnswerTest, ADaemonThatDoesNotSayIsNoFailureOfTheCompile) {
  const Future<CompileInfo> compiled = answer_.Begin();
  asked_[0].Set(CompileInfo());
  EXPECT_TRUE(compiled.Await().ok());
  EXPECT_EQ(answer_.AwaitMemory().status().code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(asked_.size(), 1u);
}

}  // namespace
}  // namespace acceld::pjrt
