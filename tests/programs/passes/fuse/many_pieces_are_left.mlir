// A concatenation of very many pieces is a loop for each piece, not a choice at each element.
// run: fuse
func.func @main(%x: tensor<2xf32>) -> tensor<132xf32> {
  %0 = stablehlo.negate %x : tensor<2xf32>
  %1 = stablehlo.concatenate %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, %0, %x, dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<132xf32>
  %2 = stablehlo.sine %1 : tensor<132xf32>
  return %2 : tensor<132xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2xf32>) -> tensor<132xf32> {
    %1 = stablehlo.negate %0 : tensor<2xf32>
    %2 = stablehlo.concatenate %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, %1, %0, dim = 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<132xf32>
    %3 = stablehlo.sine %2 : tensor<132xf32>
    return %3 : tensor<132xf32>
  }
}
