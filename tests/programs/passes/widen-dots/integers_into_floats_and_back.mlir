// Integers are converted to the float that they are summed in; a sum of floats is rounded to the
// operands' type before it becomes an integer.
// run: widen-dots
func.func @main(%a: tensor<64x64xi8>, %b: tensor<64x64xi32>, %c: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf64>, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xi64>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xi8>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xf64>
  %2 = stablehlo.dot_general %c, %c, contracting_dims = [1] x [0] : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xi32>
  %3 = stablehlo.dot_general %a, %d, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xf32>) -> tensor<64x64xbf16>
  %4 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xi32>) -> tensor<64x64xi64>
  return %0, %1, %2, %3, %4 : tensor<64x64xf32>, tensor<64x64xf64>, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xi64>
}
// expect
module {
  func.func public @main(%0: tensor<64x64xi8>, %1: tensor<64x64xi32>, %2: tensor<64x64xf16>, %3: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf64>, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xi64>) {
    %4 = stablehlo.convert %0 : (tensor<64x64xi8>) -> tensor<64x64xf32>
    %5 = stablehlo.convert %0 : (tensor<64x64xi8>) -> tensor<64x64xf32>
    %6 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %7 = stablehlo.convert %1 : (tensor<64x64xi32>) -> tensor<64x64xf64>
    %8 = stablehlo.convert %1 : (tensor<64x64xi32>) -> tensor<64x64xf64>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0] : (tensor<64x64xf64>, tensor<64x64xf64>) -> tensor<64x64xf64>
    %10 = stablehlo.convert %2 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %11 = stablehlo.convert %2 : (tensor<64x64xf16>) -> tensor<64x64xf32>
    %12 = stablehlo.dot_general %10, %11, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %13 = stablehlo.convert %12 : (tensor<64x64xf32>) -> tensor<64x64xf16>
    %14 = stablehlo.convert %13 : (tensor<64x64xf16>) -> tensor<64x64xi32>
    %15 = stablehlo.convert %0 : (tensor<64x64xi8>) -> tensor<64x64xf32>
    %16 = stablehlo.dot_general %15, %3, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %17 = stablehlo.convert %16 : (tensor<64x64xf32>) -> tensor<64x64xbf16>
    %18 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xi32>) -> tensor<64x64xi64>
    return %6, %9, %14, %17, %18 : tensor<64x64xf32>, tensor<64x64xf64>, tensor<64x64xi32>, tensor<64x64xbf16>, tensor<64x64xi64>
  }
}
