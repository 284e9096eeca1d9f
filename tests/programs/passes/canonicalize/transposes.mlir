// Two transposes compose; one that only moves dimensions of size one is a reshape.
// run: canonicalize
func.func @main(%x: tensor<2x3x4xf32>, %y: tensor<1x5x1x6xf32>) -> (tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<5x6x1x1xf32>) {
  %0 = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<4x3x2xf32>) -> tensor<3x4x2xf32>
  %2 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<4x3x2xf32>) -> tensor<2x3x4xf32>
  %3 = stablehlo.transpose %y, dims = [1, 3, 0, 2] : (tensor<1x5x1x6xf32>) -> tensor<5x6x1x1xf32>
  return %1, %2, %3 : tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<5x6x1x1xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x3x4xf32>, %1: tensor<1x5x1x6xf32>) -> (tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<5x6x1x1xf32>) {
    %2 = stablehlo.transpose %0, dims = [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
    %3 = stablehlo.transpose %0, dims = [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
    %4 = stablehlo.reshape %1 : (tensor<1x5x1x6xf32>) -> tensor<5x6x1x1xf32>
    return %3, %0, %4 : tensor<3x4x2xf32>, tensor<2x3x4xf32>, tensor<5x6x1x1xf32>
  }
}
