#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "tests/unit/hal/cuda_gang/cuda_gang_fixture.h"

// What collectives between GPUs give: the bits that the interpreter gives, on all participants.
namespace acceld::testing {
namespace {

using ir::DType;
using ir::TensorType;

// The text of an op of one operand %a of type `from` and one result of type `to`.
std::string Op(absl::string_view name, absl::string_view attributes, const TensorType& from,
               const TensorType& to, absl::string_view region = "") {
  return absl::StrCat("(%a: ", from.ToString(), ") -> ", to.ToString(), " {\n  %0 = \"stablehlo.",
                      name, "\"(%a) <{", attributes, "}> ", region, " : (", from.ToString(),
                      ") -> ", to.ToString(), "\n  return %0 : ", to.ToString(), "\n}");
}

std::string Region(absl::string_view op, DType dtype) {
  return absl::StrReplaceAll(R"(({
    ^bb0(%x: T, %y: T):
      %z = stablehlo.OP %x, %y : T
      "stablehlo.return"(%z) : (T) -> ()
  }))",
                             {{"T", TensorType{dtype, {}}.ToString()}, {"OP", op}});
}

// "replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>".
std::string Groups(absl::string_view groups, absl::string_view shape) {
  return absl::StrCat("replica_groups = dense<", groups, "> : tensor<", shape,
                      "xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>");
}
std::string GlobalGroups(absl::string_view groups, absl::string_view shape) {
  return absl::StrCat(Groups(groups, shape), ", use_global_device_ids");
}

using CudaCollectivesTest = CudaGangTest;

// A sum or the like of one type.
struct Reduction {
  std::string op;
  DType dtype;
};

// Reduces values of several types in one program, which takes less time than many programs.
class CudaReductionsTest : public CudaGangTest {
 protected:
  void ExpectReductions(int partitions, const std::string& groups,
                        const std::vector<Reduction>& reductions) {
    Open(partitions);
    std::vector<std::string> parameters, results, values;
    std::string body;
    std::vector<std::vector<ir::Literal>> arguments(static_cast<size_t>(partitions));
    for (size_t i = 0; i < reductions.size(); ++i) {
      const TensorType type{reductions[i].dtype, {5, 7}};
      const std::string text = type.ToString();
      parameters.push_back(absl::StrCat("%a", i, ": ", text));
      results.push_back(text);
      values.push_back(absl::StrCat("%r", i));
      absl::StrAppend(&body, "  %r", i, " = \"stablehlo.all_reduce\"(%a", i, ") <{", groups, "}> ",
                      Region(reductions[i].op, type.dtype), " : (", text, ") -> ", text, "\n");
      const auto distinct = DistinctArguments(partitions, type, /*with_nan=*/true);
      for (size_t p = 0; p < arguments.size(); ++p) arguments[p].push_back(distinct[p][0]);
    }
    ExpectAsInterpreted(
        LocalProgram(partitions, absl::StrCat("(", absl::StrJoin(parameters, ", "), ") -> (",
                                              absl::StrJoin(results, ", "), ") {\n", body,
                                              "  return ", absl::StrJoin(values, ", "), " : ",
                                              absl::StrJoin(results, ", "), "\n}")),
        arguments);
  }
};

TEST_F(CudaReductionsTest, SumsOfAllTypes) {
  std::vector<Reduction> reductions;
  for (const DType dtype : {DType::kI1,       DType::kI2,         DType::kI4,
                            DType::kI8,       DType::kI16,        DType::kI32,
                            DType::kI64,      DType::kUI2,        DType::kUI4,
                            DType::kUI8,      DType::kUI16,       DType::kUI32,
                            DType::kUI64,     DType::kF4E2M1FN,   DType::kF6E2M3FN,
                            DType::kF6E3M2FN, DType::kF8E3M4,     DType::kF8E4M3,
                            DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E4M3B11FNUZ,
                            DType::kF8E5M2,   DType::kF8E5M2FNUZ, DType::kF8E8M0FNU,
                            DType::kF16,      DType::kBF16,       DType::kF32,
                            DType::kF64,      DType::kC64,        DType::kC128}) {
    reductions.push_back({"add", dtype});
  }
  ExpectReductions(3, GlobalGroups("[[0, 1, 2]]", "1x3"), reductions);
}

TEST_F(CudaReductionsTest, CombinersOfTheirTypes) {
  std::vector<Reduction> reductions;
  for (const char* const op : {"multiply", "minimum", "maximum"}) {
    for (const DType dtype : {DType::kI1, DType::kI4, DType::kI16, DType::kUI64, DType::kF8E5M2,
                              DType::kF16, DType::kBF16, DType::kF32, DType::kF64}) {
      reductions.push_back({op, dtype});
    }
  }
  for (const char* const op : {"and", "or", "xor"}) {
    for (const DType dtype : {DType::kI1, DType::kUI2, DType::kI8, DType::kUI32, DType::kI64}) {
      reductions.push_back({op, dtype});
    }
  }
  // The library combines integers of all devices itself, but not these.
  ExpectReductions(2, GlobalGroups("[[1, 0]]", "1x2"), reductions);
  ExpectReductions(3, GlobalGroups("[[1, 0], [2, -1]]", "2x2"), reductions);
}

TEST_F(CudaCollectivesTest, LargeSumsAreDividedAmongTheMembers) {
  Open(3);
  // More than ExchangeSizes::small_reduction_bytes; not divisible by three.
  for (const DType dtype : {DType::kF32, DType::kBF16}) {
    const TensorType type{dtype, {400'001}};
    ExpectAsInterpreted(LocalProgram(3, Op("all_reduce", GlobalGroups("[[0, 1, 2]]", "1x3"), type,
                                           type, Region("add", dtype))),
                        DistinctArguments(3, type));
  }
  EXPECT_EQ(cuda_->CountOf("ncclAllReduce"), 0);
}

TEST_F(CudaCollectivesTest, TheLibraryItselfCombinesIntegersOfAllDevices) {
  Open(2);
  const TensorType type{DType::kI32, {9}};
  const std::string all =
      Op("all_reduce", GlobalGroups("[[0, 1]]", "1x2"), type, type, Region("maximum", DType::kI32));
  ExpectAsInterpreted(LocalProgram(2, all), DistinctArguments(2, type));
  EXPECT_EQ(cuda_->CountOf("ncclAllReduce"), 2);
}

TEST_F(CudaCollectivesTest, GroupsOfSomeDevices) {
  Open(4);
  const TensorType type{DType::kF32, {6, 4}};
  for (const auto& [groups, shape] :
       {std::pair("[[0, 1], [2, 3]]", "2x2"), std::pair("[[3, 0], [1, 2]]", "2x2"),
        std::pair("[[0], [1], [2], [3]]", "4x1"), std::pair("[[2, 0, 3, 1]]", "1x4"),
        std::pair("[[0, 1, 2], [3, -1, -1]]", "2x3")}) {
    ExpectAsInterpreted(LocalProgram(4, Op("all_reduce", GlobalGroups(groups, shape), type, type,
                                           Region("add", DType::kF32))),
                        DistinctArguments(4, type));
  }
}

TEST_F(CudaCollectivesTest, AllGatherAlongEachDimension) {
  Open(4);
  for (const DType dtype : {DType::kI8, DType::kBF16, DType::kF32, DType::kC128}) {
    const TensorType type{dtype, {3, 5, 2}};
    for (size_t d = 0; d < 3; ++d) {
      for (const auto& [groups, shape, count] :
           {std::tuple("[[0, 1, 2, 3]]", "1x4", 4), std::tuple("[[3, 1], [0, 2]]", "2x2", 2)}) {
        TensorType result = type;
        result.dims[d] *= count;
        ExpectAsInterpreted(LocalProgram(4, Op("all_gather",
                                               absl::StrCat("all_gather_dim = ", d, " : i64, ",
                                                            GlobalGroups(groups, shape)),
                                               type, result)),
                            DistinctArguments(4, type));
      }
    }
  }
}

TEST_F(CudaCollectivesTest, ReduceScatterAlongEachDimension) {
  Open(4);
  for (const DType dtype : {DType::kI32, DType::kF16, DType::kF32}) {
    const TensorType type{dtype, {8, 4, 12}};
    for (size_t d = 0; d < 3; ++d) {
      for (const auto& [groups, shape, count] :
           {std::tuple("[[0, 1, 2, 3]]", "1x4", 4), std::tuple("[[3, 1], [0, 2]]", "2x2", 2)}) {
        TensorType result = type;
        result.dims[d] /= count;
        ExpectAsInterpreted(LocalProgram(4, Op("reduce_scatter",
                                               absl::StrCat("scatter_dimension = ", d, " : i64, ",
                                                            GlobalGroups(groups, shape)),
                                               type, result, Region("add", dtype))),
                            DistinctArguments(4, type));
      }
    }
  }
}

TEST_F(CudaCollectivesTest, AllToAllBetweenDimensions) {
  Open(4);
  for (const DType dtype : {DType::kUI8, DType::kF32}) {
    const TensorType type{dtype, {4, 3, 8}};
    for (const size_t split : {size_t{0}, size_t{2}}) {
      for (size_t concat = 0; concat < 3; ++concat) {
        for (const auto& [groups, shape, count] :
             {std::tuple("[[0, 1, 2, 3]]", "1x4", 4), std::tuple("[[3, 1], [0, 2]]", "2x2", 2)}) {
          TensorType result = type;
          result.dims[split] /= count;
          result.dims[concat] *= count;
          ExpectAsInterpreted(LocalProgram(4, Op("all_to_all",
                                                 absl::StrCat("split_dimension = ", split,
                                                              " : i64, concat_dimension = ", concat,
                                                              " : i64, split_count = ", count,
                                                              " : i64, ", Groups(groups, shape)),
                                                 type, result)),
                              DistinctArguments(4, type));
        }
      }
    }
  }
}

TEST_F(CudaCollectivesTest, PermutesGiveZerosWithoutASource) {
  Open(4);
  for (const DType dtype : {DType::kF32, DType::kF8E8M0FNU}) {
    const TensorType type{dtype, {3, 3}};
    for (const auto& [pairs, shape] :
         {std::pair("[[0, 1], [1, 2], [2, 3], [3, 0]]", "4x2"),
          std::pair("[[0, 1], [1, 0]]", "2x2"), std::pair("[[2, 2], [0, 3]]", "2x2"),
          std::pair("[[0, 1], [1, 2]]", "2x2")}) {
      ExpectAsInterpreted(
          LocalProgram(
              4, Op("collective_permute",
                    absl::StrCat("source_target_pairs = dense<", pairs, "> : tensor<", shape,
                                 "xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, "
                                 "type = 1>"),
                    type, type)),
          DistinctArguments(4, type));
    }
  }
}

TEST_F(CudaCollectivesTest, BroadcastsReachTheirGroups) {
  Open(4);
  const TensorType type{DType::kBF16, {5}};
  for (const auto& [groups, shape] :
       {std::pair("[[2, 0, 1, 3]]", "1x4"), std::pair("[[3, 1]]", "1x2"),
        std::pair("[[1, 0], [2, 3]]", "2x2")}) {
    ExpectAsInterpreted(
        LocalProgram(4, Op("collective_broadcast", Groups(groups, shape), type, type)),
        DistinctArguments(4, type));
  }
}

TEST_F(CudaCollectivesTest, ValuesWithoutElements) {
  Open(2);
  const TensorType type{DType::kF32, {0, 3}};
  ExpectAsInterpreted(LocalProgram(2, Op("all_reduce", GlobalGroups("[[0, 1]]", "1x2"), type, type,
                                         Region("add", DType::kF32))),
                      DistinctArguments(2, type));
}

TEST_F(CudaCollectivesTest, LoopsExchangeValuesUntilTheyAgreeToEnd) {
  Open(2);
  const TensorType type{DType::kI32, {}};
  ExpectAsInterpreted(
      LocalProgram(2, absl::StrReplaceAll(R"((%a: tensor<i32>) -> tensor<i32> {
  %limit = stablehlo.constant dense<40> : tensor<i32>
  %0 = stablehlo.while(%v = %a) : tensor<i32>
    cond {
      %p = stablehlo.compare LT, %v, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %all = "stablehlo.all_reduce"(%p) <{GROUPS}> REGION : (tensor<i1>) -> tensor<i1>
      stablehlo.return %all : tensor<i1>
    } do {
      %sum = "stablehlo.all_reduce"(%v) <{GROUPS}> SUM : (tensor<i32>) -> tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %w = stablehlo.add %sum, %one : tensor<i32>
      stablehlo.return %w : tensor<i32>
    }
  return %0 : tensor<i32>
})",
                                          {{"GROUPS", GlobalGroups("[[0, 1]]", "1x2")},
                                           {"REGION", Region("and", DType::kI1)},
                                           {"SUM", Region("add", DType::kI32)}})),
      {{ir::Literal::FromValues<int32_t>(type, {1})},
       {ir::Literal::FromValues<int32_t>(type, {3})}});
}

TEST_F(CudaCollectivesTest, ManyLaunchesOnOneCommunicator) {
  Open(3);
  const TensorType type{DType::kF32, {16}};
  const auto executable =
      Compile(LocalProgram(3, Op("all_reduce", GlobalGroups("[[0, 1, 2]]", "1x3"), type, type,
                                 Region("add", DType::kF32))));
  std::vector<std::vector<Run>> launches;
  for (int i = 0; i < 20; ++i) {
    launches.push_back(StartAll(*executable, NewGang(), DistinctArguments(3, type)));
  }
  for (const std::vector<Run>& runs : launches) {
    for (const absl::Status& end : EndsOf(runs)) EXPECT_TRUE(end.ok()) << end;
  }
  EXPECT_EQ(cuda_->CountOf("ncclCommInitRankConfig"), 3);
}

TEST_F(CudaCollectivesTest, GangsCountWhatIsExchanged) {
  Open(2);
  const TensorType type{DType::kF32, {16}};
  const auto executable = Compile(LocalProgram(2, Op("all_reduce", GlobalGroups("[[0, 1]]", "1x2"),
                                                     type, type, Region("add", DType::kF32))));
  const auto gang = NewGang();
  for (const absl::Status& end : EndsOf(StartAll(*executable, gang, DistinctArguments(2, type)))) {
    EXPECT_TRUE(end.ok()) << end;
  }
  EXPECT_EQ(gang->stats().collectives, 2);
  EXPECT_EQ(gang->stats().bytes, 2 * 64);
}

}  // namespace
}  // namespace acceld::testing
