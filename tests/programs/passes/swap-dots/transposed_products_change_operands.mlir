// The transpose of a product is the product of the operands in the other order, also where the transpose stands in a loop or a branch.
// run: swap-dots
func.func @main(%a: tensor<32x40xf32>, %b: tensor<32x50xf32>, %c: tensor<3x8x4x5xf32>, %d: tensor<3x5x6xf32>, %p: tensor<i1>) -> (tensor<50x40xf32>, tensor<3x6x8x4xf32>, tensor<50x40xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], precision = [HIGHEST, DEFAULT] : (tensor<32x40xf32>, tensor<32x50xf32>) -> tensor<40x50xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<40x50xf32>) -> tensor<50x40xf32>
  %2 = stablehlo.dot_general %c, %d, batching_dims = [0] x [0], contracting_dims = [3] x [1] : (tensor<3x8x4x5xf32>, tensor<3x5x6xf32>) -> tensor<3x8x4x6xf32>
  %3 = stablehlo.transpose %2, dims = [0, 3, 1, 2] : (tensor<3x8x4x6xf32>) -> tensor<3x6x8x4xf32>
  %4 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0] : (tensor<32x40xf32>, tensor<32x50xf32>) -> tensor<40x50xf32>
  %5 = "stablehlo.if"(%p) ({
    %6 = stablehlo.transpose %4, dims = [1, 0] : (tensor<40x50xf32>) -> tensor<50x40xf32>
    stablehlo.return %6 : tensor<50x40xf32>
  }, {
    stablehlo.return %1 : tensor<50x40xf32>
  }) : (tensor<i1>) -> tensor<50x40xf32>
  return %1, %3, %5 : tensor<50x40xf32>, tensor<3x6x8x4xf32>, tensor<50x40xf32>
}
// expect
module {
  func.func public @main(%0: tensor<32x40xf32>, %1: tensor<32x50xf32>, %2: tensor<3x8x4x5xf32>, %3: tensor<3x5x6xf32>, %4: tensor<i1>) -> (tensor<50x40xf32>, tensor<3x6x8x4xf32>, tensor<50x40xf32>) {
    %5 = stablehlo.dot_general %1, %0, contracting_dims = [0] x [0], precision = [DEFAULT, HIGHEST] : (tensor<32x50xf32>, tensor<32x40xf32>) -> tensor<50x40xf32>
    %6 = stablehlo.dot_general %3, %2, batching_dims = [0] x [0], contracting_dims = [1] x [3] : (tensor<3x5x6xf32>, tensor<3x8x4x5xf32>) -> tensor<3x6x8x4xf32>
    %7 = stablehlo.dot_general %1, %0, contracting_dims = [0] x [0] : (tensor<32x50xf32>, tensor<32x40xf32>) -> tensor<50x40xf32>
    %8 = "stablehlo.if"(%4) ({
      stablehlo.return %7 : tensor<50x40xf32>
    }, {
      stablehlo.return %5 : tensor<50x40xf32>
    }) : (tensor<i1>) -> tensor<50x40xf32>
    return %5, %6, %8 : tensor<50x40xf32>, tensor<3x6x8x4xf32>, tensor<50x40xf32>
  }
}
