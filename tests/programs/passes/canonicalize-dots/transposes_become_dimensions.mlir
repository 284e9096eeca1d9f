// A transposed operand is read through: the product names other dimensions.
// run: canonicalize-dots, dce
func.func @main(%a: tensor<40x50xf32>, %b: tensor<60x50xf32>) -> tensor<40x60xf32> {
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<60x50xf32>) -> tensor<50x60xf32>
  %0 = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] : (tensor<40x50xf32>, tensor<50x60xf32>) -> tensor<40x60xf32>
  return %0 : tensor<40x60xf32>
}
// expect
module {
  func.func public @main(%0: tensor<40x50xf32>, %1: tensor<60x50xf32>) -> tensor<40x60xf32> {
    %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [1] : (tensor<40x50xf32>, tensor<60x50xf32>) -> tensor<40x60xf32>
    return %2 : tensor<40x60xf32>
  }
}
