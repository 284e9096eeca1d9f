// No CPU that runs this multiplies f16 in its matrix instructions.
// run: widen-dots
func.func @main(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32>
  return %0, %1 : tensor<64x64xf16>, tensor<64x64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x64xf16>, %1: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf32>) {
    %2 = stablehlo.convert %0 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %3 = stablehlo.convert %1 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %5 = stablehlo.convert %4 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %6 = stablehlo.convert %0 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %7 = stablehlo.convert %1 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %8 = stablehlo.dot_general %6, %7, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %5, %8 : tensor<64x64xf16>, tensor<64x64xf32>
  }
}
