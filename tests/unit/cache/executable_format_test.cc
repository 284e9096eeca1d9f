#include "acceld/v1/executable.pb.h"
#include "gtest/gtest.h"
#include "server/hal/executable.h"

namespace acceld::hal {
namespace {

Executable ExecutableWith(std::string constants) {
  Executable executable;
  executable.program_name = "name";
  executable.architecture = "fake";
  executable.build_id = "build";
  executable.arguments = {{ir::DType::kF32, {2, 3}}};
  executable.results = {{ir::DType::kF32, {3, 2}}};
  executable.arena_bytes = 128;
  executable.may_share = {{0, 0}};
  executable.constants = std::move(constants);
  executable.code = std::string("\0code", 5);
  executable.steady = true;
  executable.compile_ms = 1.5;
  return executable;
}

// Lengths around those at which the length of the length changes.
TEST(ExecutableFormatTest, ConstantsOfAnySizeAreReadBack) {
  for (const size_t size : {0u, 1u, 127u, 128u, 16'383u, 16'384u, 3'000'000u}) {
    std::string constants(size, '\0');
    for (size_t i = 0; i < size; ++i) constants[i] = static_cast<char>(i * 31 % 251);
    const std::string bytes = Serialize(ExecutableWith(constants));
    const auto back = Deserialize(bytes);
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(back->constants, constants);
    EXPECT_EQ(back->code, ExecutableWith("").code);
    EXPECT_EQ(back->Signature(), "(tensor<2x3xf32>) -> tensor<3x2xf32>");
    EXPECT_EQ(back->may_share, ExecutableWith("").may_share);
    EXPECT_EQ(back->arena_bytes, 128);
    EXPECT_TRUE(back->steady);
  }
}

TEST(ExecutableFormatTest, IsTheMessageOfItsProtoFile) {
  v1::Executable proto;
  ASSERT_TRUE(proto.ParseFromString(Serialize(ExecutableWith("constants"))));
  EXPECT_EQ(proto.constants(), "constants");
  EXPECT_EQ(proto.program_name(), "name");
}

}  // namespace
}  // namespace acceld::hal
