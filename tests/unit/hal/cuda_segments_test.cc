#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kernels/cuda/program/buffer_locations.h"
#include "kernels/cuda/program/dependencies.h"
#include "kernels/cuda/program/segments.h"

namespace acceld::kernels::cuda {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Space = Slice::Space;

const Step kLaunch{LaunchStep{.kernel = 0}, "launch"};
const Step kProduct{MatmulStep{}, "product"};
const Step kLoop{WhileStep{.condition = {kLaunch}, .body = {kLaunch}}, "loop"};
const Step kLoopOfProducts{WhileStep{.condition = {kLaunch}, .body = {kProduct}}, "loop"};
const Step kRoutine{RoutineStep{}, "routine"};
const Step kLoopOfRoutines{WhileStep{.condition = {kLaunch}, .body = {kRoutine}}, "loop"};
const Step kBranches{SwitchStep{.branches = {{kLaunch}, {kLoop}}}, "branches"};

// "0-4 graph, 4-5 steps".
std::string TextOf(const std::vector<Segment>& segments) {
  std::string text;
  for (const Segment& segment : segments) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", segment.begin, "-", segment.end,
                    segment.is_graph ? " graph" : " steps", segment.has_loops ? " that loops" : "");
  }
  return text;
}

TEST(CudaSegmentsTest, AGraphIsForSomeLaunchesOrALoop) {
  EXPECT_THAT(SegmentsOf({}), IsEmpty());
  EXPECT_EQ(TextOf(SegmentsOf({kLaunch, kLaunch, kLaunch})), "0-3 steps");
  EXPECT_EQ(TextOf(SegmentsOf({kLaunch, kLaunch, kLaunch, kLaunch})), "0-4 graph");
  EXPECT_EQ(TextOf(SegmentsOf({kLaunch, kLoop})), "0-2 graph that loops");
  EXPECT_EQ(TextOf(SegmentsOf({kBranches})), "0-1 graph that loops");
}

TEST(CudaSegmentsTest, RoutinesArePartOfNone) {
  EXPECT_EQ(TextOf(SegmentsOf({kRoutine, kRoutine})), "0-2 steps");
  const Step host_call{HostCallStep{}, "host call"};
  EXPECT_EQ(TextOf(SegmentsOf({host_call})), "0-1 steps");
  EXPECT_EQ(TextOf(SegmentsOf({kLaunch, kRoutine, kLoop, kLaunch, kRoutine})),
            "0-1 steps, 1-2 steps, 2-4 graph that loops, 4-5 steps");
  EXPECT_EQ(TextOf(SegmentsOf({kLoop, kLoopOfRoutines, kLoop})),
            "0-1 graph that loops, 1-2 steps that loops, 2-3 graph that loops");
}

TEST(CudaSegmentsTest, ProductsArePartOfLoops) {
  const std::vector<Segment> segments = SegmentsOf({kProduct, kLoopOfProducts, kProduct});
  EXPECT_EQ(TextOf(segments), "0-3 graph that loops");
  EXPECT_EQ(segments[0].calls, 3);
  EXPECT_THAT(segments[0].pieces, IsEmpty());
}

TEST(CudaSegmentsTest, WithoutLoopsTheyCanBeGoneWithout) {
  const std::vector<Segment> segments =
      SegmentsOf({kLaunch, kLaunch, kLaunch, kLaunch, kProduct, kLaunch, kProduct, kRoutine});
  EXPECT_EQ(TextOf(segments), "0-7 graph, 7-8 steps");
  EXPECT_EQ(segments[0].calls, 2);
  EXPECT_EQ(TextOf(segments[0].pieces), "0-4 graph, 4-5 steps, 5-6 steps, 6-7 steps");
}

TEST(CudaSegmentsTest, WithoutGraphsThereAreNone) {
  EXPECT_EQ(TextOf(SegmentsOf({kLaunch, kLoop, kProduct}, /*graphs=*/false)),
            "0-3 steps that loops");
}

TEST(CudaSegmentsTest, AGraphHasABound) {
  std::vector<Segment> segments = SegmentsOf(Steps(50'000, kLaunch));
  EXPECT_EQ(TextOf(segments), "0-20000 graph, 20000-40000 graph, 40000-50000 graph");
  const Step large{WhileStep{.body = Steps(30'000, kLaunch)}, "large"};
  EXPECT_EQ(TextOf(SegmentsOf({large})), "0-1 steps that loops");
}

Access Read(int64_t begin, int64_t end, uint32_t index = 0) {
  return {
      {.space = Space::kArena, .index = index, .offset_bytes = begin, .size_bytes = end - begin}};
}
Access Write(int64_t begin, int64_t end, uint32_t index = 0) {
  Access access = Read(begin, end, index);
  access.is_written = true;
  return access;
}

TEST(CudaDependenciesTest, ReadersWaitForWritersAndWritersForAll) {
  Dependencies nodes;
  EXPECT_THAT(nodes.Add({Write(0, 64)}), IsEmpty());
  EXPECT_THAT(nodes.Add({Read(0, 64), Write(64, 128)}), ElementsAre(0));
  EXPECT_THAT(nodes.Add({Read(0, 64), Write(128, 192)}), ElementsAre(0));
  // Nobody waits for one that only reads as well.
  EXPECT_THAT(nodes.Add({Read(0, 64)}), ElementsAre(0));
  EXPECT_THAT(nodes.Add({Write(0, 64)}), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(nodes.Add({Read(0, 192)}), ElementsAre(1, 2, 4));
}

TEST(CudaDependenciesTest, PartsOfPlacesCount) {
  Dependencies nodes;
  EXPECT_THAT(nodes.Add({Write(0, 100)}), IsEmpty());
  EXPECT_THAT(nodes.Add({Write(50, 150)}), ElementsAre(0));
  EXPECT_THAT(nodes.Add({Read(0, 50)}), ElementsAre(0));
  EXPECT_THAT(nodes.Add({Read(149, 151)}), ElementsAre(1));
  EXPECT_THAT(nodes.Add({Read(150, 200)}), IsEmpty());
  EXPECT_THAT(nodes.Add({Write(160, 161)}), ElementsAre(4));
  EXPECT_THAT(nodes.Add({Write(0, 200)}), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(CudaDependenciesTest, OtherSpacesAndEmptyPlacesDoNotCount) {
  Dependencies nodes;
  EXPECT_THAT(nodes.Add({Write(0, 64)}), IsEmpty());
  EXPECT_THAT(nodes.Add({Write(0, 64, 1)}), IsEmpty());
  EXPECT_THAT(nodes.Add({Write(32, 32)}), IsEmpty());
  // It reads what it writes.
  EXPECT_THAT(nodes.Add({Write(64, 128), Read(64, 128)}), IsEmpty());
}

TEST(CudaPlacesTest, EachPlaceHasOneNumber) {
  const Slice argument{.space = Space::kArgument, .index = 1, .size_bytes = 64};
  const Slice part{.space = Space::kArena, .offset_bytes = 128, .size_bytes = 4};
  Slice larger = part;
  larger.size_bytes = 64;
  CudaProgram program{.kernels = {{.name = "k", .buffers = 2, .written = {1}}}};
  program.steps = {{WhileStep{.condition = {{LaunchStep{0, {argument, part}}, ""}},
                              .predicate = part,
                              .body = {{CopyStep{.from = larger, .to = larger}, ""}}},
                    ""}};
  const BufferLocations locations(program, /*num_arguments=*/2, /*num_results=*/3);
  ASSERT_EQ(locations.all().size(), 3);
  EXPECT_EQ(locations.num_bases(), 8);
  EXPECT_EQ(locations.all()[locations.cancelled()].base, 7);
  EXPECT_EQ(locations.all()[locations.NumberOf(argument)].base, 1);
  EXPECT_EQ(locations.all()[locations.NumberOf(part)].base, 5);
  EXPECT_EQ(locations.all()[locations.NumberOf(part)].offset_bytes, 128);
  EXPECT_EQ(locations.NumberOf(part), locations.NumberOf(larger));
}

}  // namespace
}  // namespace acceld::kernels::cuda
