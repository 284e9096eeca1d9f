// cuBLASLt has products of bytes only where both operands contract their last dimension, in multiples.
// run: canonicalize-dots
// target: cuda
func.func @main(%a: tensor<32x64xi8>, %b: tensor<64x32xi8>, %c: tensor<32x62xi8>, %d: tensor<62x32xi8>, %e: tensor<32x64xf8E4M3FN>, %f: tensor<64x32xf8E4M3FN>) -> (tensor<32x32xi32>, tensor<32x32xi32>, tensor<32x32xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x64xi8>, tensor<64x32xi8>) -> tensor<32x32xi32>
  %1 = stablehlo.dot_general %c, %d, contracting_dims = [1] x [0] : (tensor<32x62xi8>, tensor<62x32xi8>) -> tensor<32x32xi32>
  %2 = stablehlo.dot_general %e, %f, contracting_dims = [1] x [0] : (tensor<32x64xf8E4M3FN>, tensor<64x32xf8E4M3FN>) -> tensor<32x32xf32>
  return %0, %1, %2 : tensor<32x32xi32>, tensor<32x32xi32>, tensor<32x32xf32>
}
// expect
module {
  func.func public @main(%0: tensor<32x64xi8>, %1: tensor<64x32xi8>, %2: tensor<32x62xi8>, %3: tensor<62x32xi8>, %4: tensor<32x64xf8E4M3FN>, %5: tensor<64x32xf8E4M3FN>) -> (tensor<32x32xi32>, tensor<32x32xi32>, tensor<32x32xf32>) {
    %6 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x32xi8>) -> tensor<32x64xi8>
    %7 = stablehlo.dot_general %0, %6, contracting_dims = [1] x [1] : (tensor<32x64xi8>, tensor<32x64xi8>) -> tensor<32x32xi32>
    %8 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [0] : (tensor<32x62xi8>, tensor<62x32xi8>) -> tensor<32x32xi32>
    %9 = stablehlo.transpose %5, dims = [1, 0] : (tensor<64x32xf8E4M3FN>) -> tensor<32x64xf8E4M3FN>
    %10 = stablehlo.dot_general %4, %9, contracting_dims = [1] x [1] : (tensor<32x64xf8E4M3FN>, tensor<32x64xf8E4M3FN>) -> tensor<32x32xf32>
    return %7, %8, %10 : tensor<32x32xi32>, tensor<32x32xi32>, tensor<32x32xf32>
  }
}
