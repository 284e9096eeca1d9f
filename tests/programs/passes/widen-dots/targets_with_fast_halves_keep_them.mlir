// cuBLASLt multiplies halves in tensor cores, whatever the compiling machine's CPU does.
// run: widen-dots
// target: cuda
func.func @main(%a: tensor<64x64xf16>, %b: tensor<64x64xbf16>, %c: tensor<64x64xf8E8M0FNU>) -> (tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
  %2 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<64x64xf8E8M0FNU>, tensor<64x64xf8E8M0FNU>) -> tensor<64x64xf32>
  return %0, %1, %2 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x64xf16>, %1: tensor<64x64xbf16>, %2: tensor<64x64xf8E8M0FNU>) -> (tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xf32>) {
    %3 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %4 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [0] : (tensor<64x64xbf16>, tensor<64x64xbf16>) -> tensor<64x64xf32>
    %5 = stablehlo.convert %2 : (tensor<64x64xf8E8M0FNU>) -> tensor<64x64xf32>
    %6 = stablehlo.convert %2 : (tensor<64x64xf8E8M0FNU>) -> tensor<64x64xf32>
    %7 = stablehlo.dot_general %5, %6, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %3, %4, %7 : tensor<64x64xf16>, tensor<64x64xf32>, tensor<64x64xf32>
  }
}
