// A prime number of rows: what is left behind the blocks is one more block. A maximum may start from
// the initial value in every block.
// run: split-reductions
func.func @main(%x: tensor<100003x3xf32>, %z: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0] : (tensor<100003x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100003x3xf32>, %1: tensor<f32>) -> tensor<3xf32> {
    %2 = stablehlo.slice %0 [0:99972, 0:3] : (tensor<100003x3xf32>) -> tensor<99972x3xf32>
    %3 = stablehlo.reshape %2 : (tensor<99972x3xf32>) -> tensor<36x2777x3xf32>
    %4 = "stablehlo.reduce"(%3, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = stablehlo.maximum %5, %6 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<36x2777x3xf32>, tensor<f32>) -> tensor<36x3xf32>
    %8 = stablehlo.slice %0 [99972:100003, 0:3] : (tensor<100003x3xf32>) -> tensor<31x3xf32>
    %9 = "stablehlo.reduce"(%8, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%10: tensor<f32>, %11: tensor<f32>):
      %12 = stablehlo.maximum %10, %11 : tensor<f32>
      stablehlo.return %12 : tensor<f32>
    }) : (tensor<31x3xf32>, tensor<f32>) -> tensor<3xf32>
    %13 = stablehlo.reshape %9 : (tensor<3xf32>) -> tensor<1x3xf32>
    %14 = stablehlo.concatenate %4, %13, dim = 0 : (tensor<36x3xf32>, tensor<1x3xf32>) -> tensor<37x3xf32>
    %15 = "stablehlo.reduce"(%14, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%16: tensor<f32>, %17: tensor<f32>):
      %18 = stablehlo.maximum %16, %17 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<37x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %15 : tensor<3xf32>
  }
}
