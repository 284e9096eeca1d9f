// A conversion to narrow floats is how the product is stored.
// run: fuse-matmuls
// target: cuda
func.func @main(%a: tensor<8x16xf16>, %b: tensor<16x4xf16>) -> (tensor<8x4xf16>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf32>
  %1 = stablehlo.convert %0 : (tensor<8x4xf32>) -> tensor<8x4xf16>
  return %1 : tensor<8x4xf16>
}
// expect
module {
  func.func public @main(%0: tensor<8x16xf16>, %1: tensor<16x4xf16>) -> tensor<8x4xf16> {
    %2 = "acceld.fusion"(%0, %1) <{kind = matmul}> ({
    ^bb0(%3: tensor<8x16xf16>, %4: tensor<16x4xf16>):
      %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf32>
      %6 = stablehlo.convert %5 : (tensor<8x4xf32>) -> tensor<8x4xf16>
      stablehlo.return %6 : tensor<8x4xf16>
    }) : (tensor<8x16xf16>, tensor<16x4xf16>) -> tensor<8x4xf16>
    return %2 : tensor<8x4xf16>
  }
}
