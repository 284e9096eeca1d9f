// Scatters whose updates may meet: in order, by as many blocks as the input has parts.

#include "gtest/gtest.h"
#include "kernels/lowering/lower.h"
#include "tests/unit/kernels/cuda/cuda_runner.h"
#include "tests/unit/kernels/lowering/lowering_test_util.h"

namespace acceld::kernels::cuda {
namespace {

TEST(CudaScatterTest, RowsOfUpdatesAreAddedByABlockForEachPart) {
  ir::FunctionBuilder b("main");
  const ir::ValueId input = b.AddParameter(ir::TensorType{DType::kI32, {70, 260}});
  const ir::ValueId rows = b.AddParameter(ir::TensorType{DType::kI8, {100, 1}});
  const ir::ValueId updates = b.AddParameter(ir::TensorType{DType::kI32, {100, 260}});
  const ir::ScatterAttributes attributes{
      .scatter_dimension_numbers = {.update_window_dims = {1},
                                    .inserted_window_dims = {0},
                                    .scatter_dims_to_operand_dims = {0},
                                    .index_vector_dim = 1}};
  std::vector<ir::Region> regions;
  regions.push_back(ir::BinaryRegion(b, ir::OpKind::kAdd, DType::kI32));
  const auto results =
      b.Add(ir::OpKind::kScatter, {input, rows, updates}, attributes, std::move(regions));
  ASSERT_TRUE(results.ok()) << results.status();
  const ir::Function function = b.Finish(*results);
  const auto lowered = Lower(function, function.body.ops.back(), "scatter");
  ASSERT_TRUE(lowered.ok()) << lowered.status();
  const Kernel& update = lowered->kernels.back();
  EXPECT_EQ(PrintKernel(update).blocks, 32);
  const auto module = testing::CudaHostModule::Compile({&update});
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectAsInterpreted(**module, 0, update);
}

}  // namespace
}  // namespace acceld::kernels::cuda
