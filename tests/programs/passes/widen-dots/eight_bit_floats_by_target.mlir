// cuBLASLt multiplies f8E4M3FN, but not f8E5M2 with itself.
// run: widen-dots
// target: cuda
func.func @main(%a: tensor<64x64xf8E4M3FN>, %b: tensor<64x64xf8E5M2>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) -> tensor<64x64xbf16>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<64x64xf8E5M2>, tensor<64x64xf8E5M2>) -> tensor<64x64xbf16>
  return %0, %1 : tensor<64x64xbf16>, tensor<64x64xbf16>
}
// expect
module {
  func.func public @main(%0: tensor<64x64xf8E4M3FN>, %1: tensor<64x64xf8E5M2>) -> (tensor<64x64xbf16>, tensor<64x64xbf16>) {
    %2 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN>) -> tensor<64x64xbf16>
    %3 = stablehlo.convert %1 : (tensor<64x64xf8E5M2>) -> tensor<64x64xf32>
    %4 = stablehlo.convert %1 : (tensor<64x64xf8E5M2>) -> tensor<64x64xf32>
    %5 = stablehlo.dot_general %3, %4, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %6 = stablehlo.convert %5 : (tensor<64x64xf32>) -> tensor<64x64xbf16>
    return %2, %6 : tensor<64x64xbf16>, tensor<64x64xbf16>
  }
}
