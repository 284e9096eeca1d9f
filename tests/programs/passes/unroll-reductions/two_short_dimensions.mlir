// The elements of several short dimensions have the order of their indices.
// run: unroll-reductions
func.func @main(%x: tensor<2x8x2xi32>, %low: tensor<i32>) -> tensor<8xi32> {
  %n = stablehlo.negate %x : tensor<2x8x2xi32>
  %0 = stablehlo.reduce(%n init: %low) applies stablehlo.maximum across dimensions = [2, 0] : (tensor<2x8x2xi32>, tensor<i32>) -> tensor<8xi32>
  return %0 : tensor<8xi32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x2xi32>, %1: tensor<i32>) -> tensor<8xi32> {
    %2 = stablehlo.negate %0 : tensor<2x8x2xi32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %4 = stablehlo.slice %0 [0:1, 0:8, 0:1] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %6 = stablehlo.negate %5 : tensor<8xi32>
    %7 = stablehlo.maximum %3, %6 : tensor<8xi32>
    %8 = stablehlo.slice %0 [0:1, 0:8, 1:2] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %9 = stablehlo.reshape %8 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %10 = stablehlo.negate %9 : tensor<8xi32>
    %11 = stablehlo.maximum %7, %10 : tensor<8xi32>
    %12 = stablehlo.slice %0 [1:2, 0:8, 0:1] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %13 = stablehlo.reshape %12 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %14 = stablehlo.negate %13 : tensor<8xi32>
    %15 = stablehlo.maximum %11, %14 : tensor<8xi32>
    %16 = stablehlo.slice %0 [1:2, 0:8, 1:2] : (tensor<2x8x2xi32>) -> tensor<1x8x1xi32>
    %17 = stablehlo.reshape %16 : (tensor<1x8x1xi32>) -> tensor<8xi32>
    %18 = stablehlo.negate %17 : tensor<8xi32>
    %19 = stablehlo.maximum %15, %18 : tensor<8xi32>
    return %19 : tensor<8xi32>
  }
}
