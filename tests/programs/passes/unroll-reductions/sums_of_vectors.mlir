// The sum of many vectors is one reduction with a result for each coordinate.
// run: unroll-reductions
func.func @main(%x: tensor<5x100x3xf32>, %zero: tensor<f32>) -> tensor<5x3xf32> {
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x100x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<5x100x3xf32>, %1: tensor<f32>) -> tensor<5x3xf32> {
    %2 = stablehlo.slice %0 [0:5, 0:100, 0:1] : (tensor<5x100x3xf32>) -> tensor<5x100x1xf32>
    %3 = stablehlo.reshape %2 : (tensor<5x100x1xf32>) -> tensor<5x100xf32>
    %4 = stablehlo.slice %0 [0:5, 0:100, 1:2] : (tensor<5x100x3xf32>) -> tensor<5x100x1xf32>
    %5 = stablehlo.reshape %4 : (tensor<5x100x1xf32>) -> tensor<5x100xf32>
    %6 = stablehlo.slice %0 [0:5, 0:100, 2:3] : (tensor<5x100x3xf32>) -> tensor<5x100x1xf32>
    %7 = stablehlo.reshape %6 : (tensor<5x100x1xf32>) -> tensor<5x100xf32>
    %8:3 = "stablehlo.reduce"(%3, %5, %7, %1, %1, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%9: tensor<f32>, %10: tensor<f32>, %11: tensor<f32>, %12: tensor<f32>, %13: tensor<f32>, %14: tensor<f32>):
      %15 = stablehlo.add %9, %12 : tensor<f32>
      %16 = stablehlo.add %10, %13 : tensor<f32>
      %17 = stablehlo.add %11, %14 : tensor<f32>
      stablehlo.return %15, %16, %17 : tensor<f32>, tensor<f32>, tensor<f32>
    }) : (tensor<5x100xf32>, tensor<5x100xf32>, tensor<5x100xf32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
    %18 = stablehlo.reshape %8#0 : (tensor<5xf32>) -> tensor<5x1xf32>
    %19 = stablehlo.reshape %8#1 : (tensor<5xf32>) -> tensor<5x1xf32>
    %20 = stablehlo.reshape %8#2 : (tensor<5xf32>) -> tensor<5x1xf32>
    %21 = stablehlo.concatenate %18, %19, %20, dim = 1 : (tensor<5x1xf32>, tensor<5x1xf32>, tensor<5x1xf32>) -> tensor<5x3xf32>
    return %21 : tensor<5x3xf32>
  }
}
