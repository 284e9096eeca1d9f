#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "kernels/cuda/program/make_program.h"
#include "kernels/cuda/program/program.h"
#include "kernels/ir/build/inline_calls.h"

namespace acceld::kernels::cuda {
namespace {

using ::testing::HasSubstr;
using Space = Slice::Space;

constexpr Slice kArgument{.space = Space::kArgument, .size_bytes = 64};
constexpr Slice kResult{.space = Space::kResult, .size_bytes = 64};
constexpr Slice kFlag{.space = Space::kArena, .offset_bytes = 128, .size_bytes = 1};
constexpr Slice kIndex{.space = Space::kArena, .offset_bytes = 64, .size_bytes = 4};
constexpr Slice kBias{.space = Space::kArena, .offset_bytes = 64, .size_bytes = 16};

const ir::TensorType kMatrix{.dtype = ir::DType::kF32, .dims = {4, 4}};

CudaProgram SomeProgram() {
  CudaProgram program{
      .cubin = std::string("\x7f\0code", 6),
      .kernels = {{.name = "add", .buffers = 2, .blocks = 7, .threads = 96, .written = {1}},
                  {.name = "spin", .buffers = 1, .polls = true}}};
  const Step add{LaunchStep{.kernel = 0, .buffers = {kArgument, kResult}}, "an addition"};
  const Step spin{LaunchStep{.kernel = 1, .buffers = {kFlag}}, "a loop"};
  program.steps = {
      add,
      {CopyStep{.from = kArgument, .to = kResult}, "a copy"},
      {WhileStep{.condition = {spin}, .predicate = kFlag, .body = {add, add}}, "w"},
      {SwitchStep{.index = kIndex, .branches = {{add}, {}, {spin}}}, "s"},
      {SwitchStep{.index = kFlag, .index_is_predicate = true, .branches = {{}, {add}}}, "i"},
      {RoutineStep{.call = {.routine = Routine::kCholesky,
                            .parameters = {1},
                            .operands = {kMatrix},
                            .results = {kMatrix}},
                   .operands = {kArgument},
                   .results = {kResult}},
       "a factor"},
      {MatmulStep{.input_dtype = ir::DType::kF32,
                  .output_dtype = ir::DType::kF32,
                  .batch = 2,
                  .m = 2,
                  .n = 4,
                  .k = 2,
                  .lhs_strides = {4, 2, 1},
                  .rhs_strides = {8, 4, 1},
                  .lhs = kArgument,
                  .rhs = kArgument,
                  .out = kResult,
                  .allow_tf32 = true,
                  .epilogue = {.alpha = 0.5,
                               .beta = -2,
                               .activation = MatmulEpilogue::Activation::kRelu,
                               .has_bias = true,
                               .bias = kBias,
                               .addend = kArgument},
                  .algorithm = std::string(64, '\xff')},
       "a product"},
      {HostCallStep{.call = {.callback = 3, .operands = {kMatrix}, .results = {kMatrix}},
                    .operands = {kArgument},
                    .results = {kResult}},
       "a call"}};
  program.measured_on = "a device";
  return program;
}

const SpaceSizes kSizes{.arguments = {64}, .results = {64}, .arena = 192, .constants = 0};

TEST(CudaProgramTest, BytesKeepHostCallsWhoseSizesAreChecked) {
  const CudaProgram program = SomeProgram();
  const auto read = Deserialize(*Serialize(program));
  ASSERT_TRUE(read.ok()) << read.status();
  const auto& kept = std::get<HostCallStep>(read->steps[7].value);
  EXPECT_EQ(kept.call, std::get<HostCallStep>(program.steps[7].value).call);
  EXPECT_EQ(kept.operands, std::vector<Slice>{kArgument});
  EXPECT_EQ(kept.results, std::vector<Slice>{kResult});
  for (const bool operand : {true, false}) {
    CudaProgram wrong = program;
    auto& call = std::get<HostCallStep>(wrong.steps[7].value);
    (operand ? call.operands : call.results).clear();
    EXPECT_FALSE(CheckProgram(wrong, kSizes).ok());
    (operand ? call.operands : call.results) = {kFlag};
    EXPECT_FALSE(CheckProgram(wrong, kSizes).ok());
  }
}

TEST(CudaProgramTest, BytesKeepAllOfIt) {
  const CudaProgram program = SomeProgram();
  const auto read = Deserialize(*Serialize(program));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->cubin, program.cubin);
  EXPECT_EQ(read->kernels, program.kernels);
  EXPECT_EQ(ToString(*read), ToString(program));
  EXPECT_EQ(read->measured_on, program.measured_on);
  EXPECT_EQ(std::get<MatmulStep>(read->steps[6].value).algorithm, std::string(64, '\xff'));
  EXPECT_TRUE(CheckProgram(*read, kSizes).ok());
}

// Loops in each other, the innermost without steps.
Steps DeepLoops(int depth) {
  Steps steps;
  for (int i = 0; i < depth; ++i) {
    Step loop{WhileStep{.predicate = kFlag, .body = std::move(steps)}, ""};
    steps.clear();
    steps.push_back(std::move(loop));
  }
  return steps;
}

TEST(CudaProgramTest, WhatIsNotTooDeepIsReadBack) {
  Plan plan;
  plan.functions.resize(1);
  plan.functions[0].steps = DeepLoops(kMaxStepDepth);
  const auto steps = InlineCalls(plan, 1000);
  ASSERT_TRUE(steps.ok()) << steps.status();
  const CudaProgram program{.steps = *steps};
  const auto read = Deserialize(*Serialize(program));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToString(*read), ToString(program));

  plan.functions[0].steps = DeepLoops(kMaxStepDepth + 1);
  const absl::Status refused = InlineCalls(plan, 1000).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("more than 256 deep"));
}

TEST(CudaProgramTest, DamagedBytesAreDataLoss) {
  const std::string bytes = *Serialize(SomeProgram());
  EXPECT_EQ(Deserialize(bytes.substr(0, bytes.size() - 3)).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(Deserialize("").status().code(), absl::StatusCode::kDataLoss);
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x15);
    const auto read = Deserialize(damaged);
    if (read.ok()) (void)CheckProgram(*read, kSizes);
  }
}

TEST(CudaProgramTest, NoStepLeavesItsSpaces) {
  const auto check = [](auto change) {
    CudaProgram program = SomeProgram();
    change(program);
    return std::string(CheckProgram(program, kSizes).message());
  };
  const auto launch = [](CudaProgram& program) -> LaunchStep& {
    return std::get<LaunchStep>(program.steps[0].value);
  };
  EXPECT_THAT(check([&](CudaProgram& p) { launch(p).kernel = 2; }), HasSubstr("no such kernel"));
  EXPECT_THAT(check([&](CudaProgram& p) { launch(p).buffers.pop_back(); }),
              HasSubstr("add takes 2 buffers, not 1"));
  EXPECT_THAT(check([&](CudaProgram& p) { launch(p).buffers[0].index = 1; }),
              HasSubstr("no such slice"));
  EXPECT_THAT(check([&](CudaProgram& p) { launch(p).buffers[0].size_bytes = 65; }),
              HasSubstr("no such slice"));
  EXPECT_THAT(check([&](CudaProgram& p) { launch(p).buffers[0].offset_bytes = INT64_MAX - 63; }),
              HasSubstr("no such slice"));
  EXPECT_THAT(check([&](CudaProgram& p) { launch(p).buffers[0].offset_bytes = -64; }),
              HasSubstr("no such slice"));
  EXPECT_THAT(check([&](CudaProgram& p) { std::get<CopyStep>(p.steps[1].value).to = kArgument; }),
              HasSubstr("a read-only slice is written"));
  EXPECT_THAT(
      check([&](CudaProgram& p) { std::get<WhileStep>(p.steps[2].value).predicate = kIndex; }),
      HasSubstr("not one byte"));
  EXPECT_THAT(check([&](CudaProgram& p) { std::get<SwitchStep>(p.steps[3].value).branches = {}; }),
              HasSubstr("no branches"));
  const auto routine = [](CudaProgram& program) -> RoutineStep& {
    return std::get<RoutineStep>(program.steps[5].value);
  };
  EXPECT_THAT(check([&](CudaProgram& p) { routine(p).call.parameters = {2}; }),
              HasSubstr("cholesky"));
  EXPECT_THAT(check([&](CudaProgram& p) { routine(p).results = {}; }), HasSubstr("other slices"));
  EXPECT_THAT(check([&](CudaProgram& p) { routine(p).operands[0].size_bytes = 32; }),
              HasSubstr("a wrong size"));
  const auto matmul = [](CudaProgram& program) -> MatmulStep& {
    return std::get<MatmulStep>(program.steps[6].value);
  };
  for (const auto& change : std::vector<std::function<void(MatmulStep&)>>{
           [](MatmulStep& m) { m.batch = 3; }, [](MatmulStep& m) { m.k = 3; },
           [](MatmulStep& m) { m.lhs_strides[1] = 1 << 20; },
           [](MatmulStep& m) { m.rhs_strides[0] = INT64_MAX; },
           [](MatmulStep& m) { m.output_dtype = ir::DType::kF64; },
           [](MatmulStep& m) { m.epilogue.activation = MatmulEpilogue::Activation::kGelu; }}) {
    EXPECT_THAT(check([&](CudaProgram& p) { change(matmul(p)); }),
                HasSubstr("a product of a wrong shape"));
  }
  EXPECT_THAT(check([&](CudaProgram& p) { matmul(p).algorithm.resize(63); }),
              HasSubstr("an algorithm of a wrong size"));
  using Change = std::function<void(MatmulEpilogue&)>;
  for (const auto& [change, message] : std::vector<std::pair<Change, std::string>>{
           {[](MatmulEpilogue& e) { e.bias.size_bytes = 12; }, "a bias of a wrong size"},
           {[](MatmulEpilogue& e) { e.bias.offset_bytes = 192; }, "no such slice"},
           {[](MatmulEpilogue& e) { e.addend.size_bytes = 32; }, "an addend of a wrong size"},
           {[](MatmulEpilogue& e) { e.addend.index = 1; }, "no such slice"}}) {
    EXPECT_THAT(check([&](CudaProgram& p) { change(matmul(p).epilogue); }), HasSubstr(message));
  }
  EXPECT_THAT(check([&](CudaProgram& p) {
                Slice& out = matmul(p).out;
                Slice& addend = matmul(p).epilogue.addend;
                out = addend = {.space = Space::kArena, .size_bytes = 128};
                addend.offset_bytes = 64;
              }),
              HasSubstr("an addend that the product runs into"));
  EXPECT_THAT(check([&](CudaProgram& p) { p.kernels[0].threads = 2048; }),
              HasSubstr("7 blocks of 2048 threads"));
}

TEST(CudaProgramTest, CallsBecomeStepsAtThePlacesOfTheCaller) {
  const Slice arena{.space = Space::kArena, .offset_bytes = 256, .size_bytes = 128};
  Plan plan;
  plan.functions.resize(2);
  const ir::TensorType type{.dtype = ir::DType::kF32, .dims = {16}};
  for (PlanFunction& function : plan.functions) function.arguments = function.results = {type};
  plan.functions[0].steps.push_back(
      {CallStep{.function = 1, .arguments = {arena}, .results = {kResult}, .arena = arena}, "c"});
  plan.functions[1].steps.push_back({CopyStep{.from = kArgument, .to = kIndex}, "first"});
  plan.functions[1].steps.push_back({CopyStep{.from = kFlag, .to = kResult}, "second"});
  const auto steps = InlineCalls(plan, 10);
  ASSERT_TRUE(steps.ok()) << steps.status();
  EXPECT_EQ(ToString(CudaProgram{.steps = *steps}),
            "copy arena0[256:320] -> arena0[320:324]  // first\n"
            "copy arena0[384:385] -> result0[0:64]  // second\n");
  EXPECT_EQ(InlineCalls(plan, 2).status().code(), absl::StatusCode::kResourceExhausted);
}

// A plan of one collective, which exchanges its argument for its result, within `inside`.
Plan PlanWithCollective(const std::function<Step(Step)>& inside) {
  const Collective sum{.kind = Collective::Kind::kAllReduce,
                       .groups = {{0, 1}},
                       .operands = {kMatrix},
                       .results = {kMatrix}};
  Plan plan;
  PlanFunction main{"main", {kMatrix}, {kMatrix}, kBufferAlignment, {}};
  main.steps = {inside(
      {CollectiveStep{.collective = sum, .operands = {kArgument}, .results = {kResult}}, "a sum"})};
  plan.functions.push_back(std::move(main));
  return plan;
}

TEST(CudaProgramTest, CollectivesGetTheirKernelsWhereverTheyAre) {
  const auto compile = [](const std::string&) -> absl::StatusOr<std::string> { return ""; };
  const auto uses_library = [](const ConvolutionStep&) { return false; };
  const Slice predicate{.space = Space::kArena, .size_bytes = 1};
  for (const std::function<Step(Step)>& inside : std::vector<std::function<Step(Step)>>{
           [](Step step) { return step; },
           [&](Step step) {
             return Step{WhileStep{.predicate = predicate, .body = {std::move(step)}}, "w"};
           },
           [&](Step step) {
             return Step{SwitchStep{.index = predicate,
                                    .index_is_predicate = true,
                                    .branches = {{}, {std::move(step)}}},
                         "s"};
           }}) {
    std::string source;
    auto program = MakeProgram(PlanWithCollective(inside), uses_library, compile, &source);
    ASSERT_TRUE(program.ok()) << program.status();
    ASSERT_EQ(program->kernels.size(), 1u);
    EXPECT_EQ(program->kernels[0].name, "collective_combine_f32_Add");
    EXPECT_THAT(source, HasSubstr("collective_combine_f32_Add(u64 to"));
    const auto bytes = Serialize(*program);
    ASSERT_TRUE(bytes.ok()) << bytes.status();
    const auto read = Deserialize(*bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(ToString(*read), ToString(*program));
    EXPECT_THAT(ToString(*read), HasSubstr("all_reduce add {0, 1}"));
    const int64_t size = kMatrix.size_bytes();
    const SpaceSizes sizes{.arguments = {size}, .results = {size}, .arena = kBufferAlignment};
    EXPECT_TRUE(CheckProgram(*read, sizes).ok());
    program->kernels.clear();
    EXPECT_THAT(CheckProgram(*program, sizes).message(),
                HasSubstr("without its kernel collective_combine_f32_Add"));
  }
}

}  // namespace
}  // namespace acceld::kernels::cuda
