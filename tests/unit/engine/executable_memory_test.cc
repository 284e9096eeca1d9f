#include "server/engine/cache/executable_memory.h"

#include <string>

#include "gtest/gtest.h"

namespace acceld::engine {
namespace {

const ir::TensorType kFloats{ir::DType::kF32, {10}};
const ir::TensorType kDoubles{ir::DType::kF64, {10}};

hal::Executable AnExecutable() {
  return {.arguments = {kFloats, kDoubles, kDoubles},
          .results = {kDoubles, kFloats},
          .arena_bytes = 640,
          .may_share = {{1, 0}, {2, 0}, {0, 1}},
          .constants = std::string(7, 'c'),
          .code = std::string(100, 'x')};
}

TEST(ExecutableMemoryTest, IsThatOfCodeConstantsAndArena) {
  const ExecutableMemory memory = MemoryOf(AnExecutable(), {}, {});
  EXPECT_EQ(memory.code_bytes, 100u);
  EXPECT_EQ(memory.constants_bytes, 7u);
  EXPECT_EQ(memory.arena_bytes, 640u);
  EXPECT_EQ(memory.alias_bytes, 0u);
}

TEST(ExecutableMemoryTest, CountsResultsOverDonatedArgumentsOnce) {
  const hal::Executable executable = AnExecutable();
  EXPECT_EQ(MemoryOf(executable, {0}, {}).alias_bytes, 40u);
  EXPECT_EQ(MemoryOf(executable, {1, 2}, {}).alias_bytes, 80u);
  EXPECT_EQ(MemoryOf(executable, {0, 1, 2}, {{2, 0}}).alias_bytes, 120u);
  EXPECT_EQ(MemoryOf(executable, {99}, {{99, 0}}).alias_bytes, 0u);
}

}  // namespace
}  // namespace acceld::engine
