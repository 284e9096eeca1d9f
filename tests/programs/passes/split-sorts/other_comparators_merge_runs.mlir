// Runs for teams of threads, and what two operands would bring along is gathered.
// run: split-sorts
// target: cuda
func.func @main(%x: tensor<5000xi32>, %y: tensor<5000xi32>, %z: tensor<5000xf64>) -> (tensor<5000xi32>, tensor<5000xf64>) {
  %0:3 = "stablehlo.sort"(%x, %y, %z) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<f64>, %f: tensor<f64>):
    %1 = stablehlo.multiply %a, %a : tensor<i32>
    %2 = stablehlo.compare LT, %1, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %2 : tensor<i1>
  }) : (tensor<5000xi32>, tensor<5000xi32>, tensor<5000xf64>) -> (tensor<5000xi32>, tensor<5000xi32>, tensor<5000xf64>)
  return %0#1, %0#2 : tensor<5000xi32>, tensor<5000xf64>
}
// expect
module {
  func.func public @main(%0: tensor<5000xi32>, %1: tensor<5000xi32>, %2: tensor<5000xf64>) -> (tensor<5000xi32>, tensor<5000xf64>) {
    %3 = stablehlo.reshape %0 : (tensor<5000xi32>) -> tensor<1x5000xi32>
    %4 = stablehlo.reshape %1 : (tensor<5000xi32>) -> tensor<1x5000xi32>
    %5 = stablehlo.reshape %2 : (tensor<5000xf64>) -> tensor<1x5000xf64>
    %6 = stablehlo.iota dim = 1 : tensor<1x5000xui32>
    %7:2 = "acceld.sort_runs"(%3, %6) <{keep = 2048 : i64, piece = 2 : i64, run = 2048 : i64}> ({
    ^bb0(%8: tensor<i32>, %9: tensor<i32>, %10: tensor<ui32>, %11: tensor<ui32>):
      %12 = stablehlo.multiply %8, %8 : tensor<i32>
      %13 = stablehlo.compare LT, %12, %9 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<1x5000xi32>, tensor<1x5000xui32>) -> (tensor<1x5000xi32>, tensor<1x5000xui32>)
    %14:2 = "acceld.merge_runs"(%7#0, %7#1) <{piece = 16 : i64, run = 2048 : i64}> ({
    ^bb0(%15: tensor<i32>, %16: tensor<i32>, %17: tensor<ui32>, %18: tensor<ui32>):
      %19 = stablehlo.multiply %15, %15 : tensor<i32>
      %20 = stablehlo.compare LT, %19, %16 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %20 : tensor<i1>
    }) : (tensor<1x5000xi32>, tensor<1x5000xui32>) -> (tensor<1x5000xi32>, tensor<1x5000xui32>)
    %21:2 = "acceld.merge_runs"(%14#0, %14#1) <{piece = 16 : i64, run = 4096 : i64}> ({
    ^bb0(%22: tensor<i32>, %23: tensor<i32>, %24: tensor<ui32>, %25: tensor<ui32>):
      %26 = stablehlo.multiply %22, %22 : tensor<i32>
      %27 = stablehlo.compare LT, %26, %23 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %27 : tensor<i1>
    }) : (tensor<1x5000xi32>, tensor<1x5000xui32>) -> (tensor<1x5000xi32>, tensor<1x5000xui32>)
    %28 = stablehlo.reshape %21#0 : (tensor<1x5000xi32>) -> tensor<5000xi32>
    %29 = "stablehlo.gather"(%4, %21#1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], index_vector_dim = 2, operand_batching_dims = [0], start_index_map = [1], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x5000xi32>, tensor<1x5000xui32>) -> tensor<1x5000xi32>
    %30 = stablehlo.reshape %29 : (tensor<1x5000xi32>) -> tensor<5000xi32>
    %31 = "stablehlo.gather"(%5, %21#1) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], index_vector_dim = 2, operand_batching_dims = [0], start_index_map = [1], start_indices_batching_dims = [0]>, slice_sizes = array<i64: 1, 1>}> : (tensor<1x5000xf64>, tensor<1x5000xui32>) -> tensor<1x5000xf64>
    %32 = stablehlo.reshape %31 : (tensor<1x5000xf64>) -> tensor<5000xf64>
    return %30, %32 : tensor<5000xi32>, tensor<5000xf64>
  }
}
