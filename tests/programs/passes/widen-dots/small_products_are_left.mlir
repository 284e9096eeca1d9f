// A loop nest converts the elements of a small product as it goes.
// run: widen-dots
func.func @main(%a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  return %0 : tensor<4x4xf16>
}
// expect
module {
  func.func public @main(%0: tensor<4x4xf16>) -> tensor<4x4xf16> {
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
    return %1 : tensor<4x4xf16>
  }
}
