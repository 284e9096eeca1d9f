// Programs whose regions nest as deep as the limit allows, and one deeper, in every form; and how
// much stack it takes to read, compile and run them.
#include <pthread.h>

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "common/ir/fingerprint.h"
#include "common/ir/text.h"
#include "common/ir/verify/limits.h"
#include "common/ir/wire/wire.h"
#include "common/threads/thread_stack.h"
#include "gmock/gmock.h"
#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "gtest/gtest.h"
#include "tests/unit/compiler/random/cpu_runner.h"

namespace acceld::compiler {
namespace {

using ::testing::HasSubstr;

// Runs `work` on a thread with half the stack that the daemon's threads have.
void OnHalfAStack(const std::function<void()>& work) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kThreadStackBytes / 2), 0);
  pthread_t thread;
  const auto run = [](void* function) -> void* {
    (*static_cast<const std::function<void()>*>(function))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)),
            0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&attributes);
}

enum class Kind { kIf, kCase, kWhile, kMixed };

// One level: its op with `$body` for what stands in it; `$0` is its number and `$1` that outside.
std::string LevelOf(Kind kind, int level) {
  if (kind == Kind::kMixed) kind = static_cast<Kind>(level % 3);
  switch (kind) {
    case Kind::kIf:
      return "%p$0 = stablehlo.compare LT, %x$1, %limit : (tensor<f32>, tensor<f32>) -> "
             "tensor<i1>\n"
             "%y$0 = \"stablehlo.if\"(%p$0) ({\n%x$0 = stablehlo.add %x$1, %one : tensor<f32>\n"
             "$body\nstablehlo.return %z$0 : tensor<f32>\n}, {\nstablehlo.return %x$1 : "
             "tensor<f32>\n"
             "}) : (tensor<i1>) -> tensor<f32>";
    case Kind::kCase:
      return "%p$0 = stablehlo.convert %x$1 : (tensor<f32>) -> tensor<i32>\n"
             "%y$0 = \"stablehlo.case\"(%p$0) ({\nstablehlo.return %x$1 : tensor<f32>\n}, {\n"
             "%x$0 = stablehlo.add %x$1, %one : tensor<f32>\n$body\n"
             "stablehlo.return %z$0 : tensor<f32>\n}) : (tensor<i32>) -> tensor<f32>";
    case Kind::kWhile:
      return "%y$0 = stablehlo.while(%a$0 = %x$1) : tensor<f32> cond {\n"
             "%p$0 = stablehlo.compare LT, %a$0, %limit : (tensor<f32>, tensor<f32>) -> "
             "tensor<i1>\n"
             "stablehlo.return %p$0 : tensor<i1>\n} do {\n"
             "%x$0 = stablehlo.add %a$0, %one : tensor<f32>\n$body\n"
             "stablehlo.return %z$0 : tensor<f32>\n}";
    case Kind::kMixed:
      break;
  }
  return "";
}

// The ops of `levels` levels, where %x0 is a value from outside and %y1 becomes the result.
std::string Levels(Kind kind, int levels, absl::string_view innermost) {
  std::string before, after;
  for (int i = 1; i <= levels; ++i) {
    const std::string level = absl::StrReplaceAll(
        LevelOf(kind, i), {{"$0", absl::StrCat(i)}, {"$1", absl::StrCat(i - 1)}});
    const size_t body = level.find("$body");
    absl::StrAppend(&before, level.substr(0, body));
    std::string rest = level.substr(body + 5);
    if (i < levels)
      rest = absl::StrCat("\n%z", i, " = stablehlo.abs %y", i + 1, " : tensor<f32>", rest);
    after = absl::StrCat(rest, after);
  }
  return absl::StrCat(before, innermost, after);
}

// A function whose regions nest `depth` deep, its body among them.
std::string Nested(Kind kind, int depth, absl::string_view name = "main",
                   absl::string_view op = "stablehlo.abs") {
  const int levels = depth - 1;
  const std::string innermost =
      op == "stablehlo.abs"
          ? absl::StrCat("%z", levels, " = stablehlo.abs %x", levels, " : tensor<f32>")
          : absl::StrCat("%z", levels, " = func.call @", op, "(%x", levels,
                         ") : (tensor<f32>) -> tensor<f32>");
  return absl::StrCat("func.func @", name,
                      "(%x0: tensor<f32>) -> tensor<f32> {\n"
                      "%one = stablehlo.constant dense<1.0> : tensor<f32>\n"
                      "%limit = stablehlo.constant dense<3.0> : tensor<f32>\n",
                      Levels(kind, levels, innermost), "\nreturn %y1 : tensor<f32>\n}\n");
}

bool ParseDeep(const std::string& bytes, v1::Module& proto) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream input(&stream);
  input.SetRecursionLimit(4 * ir::limits::kMaxRegionDepth);
  return proto.ParseFromCodedStream(&input);
}

void RunsTo(const ir::Module& module, float expected) {
  const ir::Literal argument = ir::Literal::FromValues<float>({ir::DType::kF32, {}}, {1.5f});
  const auto results = RunOnCpu(module, {&argument, 1}, 1);
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0], ir::Literal::FromValues<float>({ir::DType::kF32, {}}, {expected}));
}

class NestingTest : public testing::TestWithParam<Kind> {};

TEST_P(NestingTest, AsDeepAsTheLimitRunsOnHalfAStack) {
  OnHalfAStack([] {
    const auto module =
        ir::ParseModule(Nested(GetParam(), ir::limits::kMaxRegionDepth), "deep.mlir");
    ASSERT_TRUE(module.ok()) << module.status();
    const auto printed = ir::ParseModule(ir::PrintModule(*module), "printed.mlir");
    ASSERT_TRUE(printed.ok()) << printed.status();
    v1::Module proto;
    ASSERT_TRUE(ParseDeep(ir::ToProto(*module).SerializeAsString(), proto));
    const auto read = ir::FromProto(proto);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(ir::Fingerprint(*module, "main"), ir::Fingerprint(*read, "main"));
    EXPECT_EQ(ir::Fingerprint(*module, "main"), ir::Fingerprint(*printed, "main"));
    // An if or a loop ends past the limit of 3; a case has only branches 0 and 1.
    RunsTo(*read, GetParam() == Kind::kCase ? 256.5f : 3.5f);
  });
}

TEST_P(NestingTest, DeeperIsRefusedWithTheLimit) {
  const std::string text = Nested(GetParam(), ir::limits::kMaxRegionDepth + 1);
  EXPECT_THAT(std::string(ir::ParseModule(text, "deep.mlir").status().message()),
              HasSubstr("regions are nested deeper than 256"));
}

// What one function may not have, several may have that call each other.
TEST_P(NestingTest, CallsAddToTheDepth) {
  OnHalfAStack([] {
    const auto module = ir::ParseModule(
        absl::StrCat(Nested(GetParam(), 200, "main", "f"), Nested(GetParam(), 200, "f", "g"),
                     Nested(GetParam(), 200, "g")),
        "deep.mlir");
    ASSERT_TRUE(module.ok()) << module.status();
    RunsTo(*module, GetParam() == Kind::kCase ? 598.5f : 3.5f);
  });
}

INSTANTIATE_TEST_SUITE_P(Kinds, NestingTest,
                         testing::Values(Kind::kIf, Kind::kCase, Kind::kWhile, Kind::kMixed));

TEST(NestingTest, WireFormIsRefusedWithTheLimit) {
  v1::Module proto;
  v1::Function& function = *proto.add_functions();
  function.set_name("main");
  v1::Region* region = function.mutable_body();
  for (int i = 0; i < ir::limits::kMaxRegionDepth; ++i) {
    v1::Op& op = *region->add_ops();
    op.set_name("stablehlo.case");
    region = op.add_regions();
  }
  EXPECT_THAT(std::string(ir::FromProto(proto).status().message()),
              HasSubstr("regions are nested deeper than 256"));
}

}  // namespace
}  // namespace acceld::compiler
