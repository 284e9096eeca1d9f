#include "client/serialized_program.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace acceld::client {
namespace {

using ::testing::HasSubstr;

Program Donating() {
  return *Program::FromText(R"(
    module @step {
      func.func public @train(%p: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %g: tensor<4xf32>)
          -> tensor<4xf32> {
        %0 = stablehlo.subtract %p, %g : tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    })",
                            "step.mlir", "train");
}

TEST(SerializedProgram, IsReadAsTheSameProgram) {
  const Program program = Donating();
  const std::string bytes = SerializeProgram(program);
  EXPECT_TRUE(IsSerializedProgram(bytes));
  const auto read = Program::FromBytes(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->fingerprint(), program.fingerprint());
  EXPECT_EQ(read->entry(), "train");
  EXPECT_EQ(read->module().name, "step");
  EXPECT_EQ(read->module().Find("train")->donations.size(), 1u);
}

TEST(SerializedProgram, IsRefusedWithAnyByteChangedOrMissing) {
  const std::string bytes = SerializeProgram(Donating());
  const std::string magic = "acceld program 1\n";
  for (size_t i = magic.size(); i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_EQ(Program::FromBytes(changed).status().code(), absl::StatusCode::kDataLoss) << i;
    EXPECT_FALSE(Program::FromBytes(bytes.substr(0, i)).ok()) << i;
  }
  EXPECT_EQ(Program::FromBytes(bytes + "x").status().code(), absl::StatusCode::kDataLoss);
}

TEST(SerializedProgram, OtherBytesAreNone) {
  EXPECT_FALSE(IsSerializedProgram("module {}"));
  EXPECT_FALSE(IsSerializedProgram(""));
  EXPECT_THAT(DeserializeProgram("acceld program 2\n").status().message(),
              HasSubstr("no serialized program"));
}

}  // namespace
}  // namespace acceld::client
