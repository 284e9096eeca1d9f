// The elements of several short dimensions have the order of their indices.
// run: unroll-reductions
func.func @main(%x: tensor<2x8x2xi32>, %low: tensor<i32>) -> tensor<8xi32> {
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2, 0] : (tensor<2x8x2xi32>, tensor<i32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x2xi32>, %1: tensor<i32>) -> tensor<8xi32> {
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %3 = stablehlo.slice %0 [0:1, 0:8, 0:1] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %4 = stablehlo.reshape %3 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %5 = stablehlo.maximum %2, %4 : tensor<8xi32>
    %6 = stablehlo.slice %0 [0:1, 0:8, 1:2] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %7 = stablehlo.reshape %6 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %8 = stablehlo.maximum %5, %7 : tensor<8xi32>
    %9 = stablehlo.slice %0 [1:2, 0:8, 0:1] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %10 = stablehlo.reshape %9 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %11 = stablehlo.maximum %8, %10 : tensor<8xi32>
    %12 = stablehlo.slice %0 [1:2, 0:8, 1:2] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %13 = stablehlo.reshape %12 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %14 = stablehlo.maximum %11, %13 : tensor<8xi32>
    return %14 : tensor<8xi32>
  }
}
