// Left alone: a product that something else reads too, and transposes that do more than change the places of the free dimensions.
// run: swap-dots
func.func @main(%a: tensor<32x40xf32>, %b: tensor<32x50xf32>, %c: tensor<3x8x4x5xf32>, %d: tensor<3x5x6xf32>) -> (tensor<40x50xf32>, tensor<50x40xf32>, tensor<3x6x4x8xf32>, tensor<8x3x4x6xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<32x40xf32>, tensor<32x50xf32>) -> tensor<40x50xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<40x50xf32>) -> tensor<50x40xf32>
  %2 = stablehlo.dot_general %c, %d, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<3x8x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x8x4x6xf32>
  %3 = stablehlo.transpose %2, dims = [0, 3, 2, 1] : (tensor<3x8x4x6xf32>) -> tensor<3x6x4x8xf32>
  %4 = stablehlo.dot_general %c, %d, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<3x8x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x8x4x6xf32>
  %5 = stablehlo.transpose %4, dims = [1, 0, 2, 3] : (tensor<3x8x4x6xf32>) -> tensor<8x3x4x6xf32>
  return %0, %1, %3, %5 : tensor<40x50xf32>, tensor<50x40xf32>, tensor<3x6x4x8xf32>, tensor<8x3x4x6xf32>
}
// expect
module {
  func.func public @main(%0: tensor<32x40xf32>, %1: tensor<32x50xf32>, %2: tensor<3x8x4x5xf32>, %3: tensor<3x5x6xf32>) -> (tensor<40x50xf32>, tensor<50x40xf32>, tensor<3x6x4x8xf32>, tensor<8x3x4x6xf32>) {
    %4 = stablehlo.dot_general %0, %1, contracting_dims = [0] x [0] : (tensor<32x40xf32>, tensor<32x50xf32>) -> tensor<40x50xf32>
    %5 = stablehlo.transpose %4, dims = [1, 0] : (tensor<40x50xf32>) -> tensor<50x40xf32>
    %6 = stablehlo.dot_general %2, %3, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<3x8x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x8x4x6xf32>
    %7 = stablehlo.transpose %6, dims = [0, 3, 2, 1] : (tensor<3x8x4x6xf32>) -> tensor<3x6x4x8xf32>
    %8 = stablehlo.dot_general %2, %3, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<3x8x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x8x4x6xf32>
    %9 = stablehlo.transpose %8, dims = [1, 0, 2, 3] : (tensor<3x8x4x6xf32>) -> tensor<8x3x4x6xf32>
    return %4, %5, %7, %9 : tensor<40x50xf32>, tensor<50x40xf32>, tensor<3x6x4x8xf32>, tensor<8x3x4x6xf32>
  }
}
