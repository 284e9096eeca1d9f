// What the CPU multiplies itself stays.
// run: widen-dots
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xi8>) -> (tensor<64x64xf32>, tensor<64x64xi32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xi8>) -> tensor<64x64xi32>
  return %0, %1 : tensor<64x64xf32>, tensor<64x64xi32>
}
// expect
module {
  func.func public @main(%0: tensor<64x64xf32>, %1: tensor<64x64xi8>) -> (tensor<64x64xf32>, tensor<64x64xi32>) {
    %2 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [0] : (tensor<64x64xi8>, tensor<64x64xi8>) -> tensor<64x64xi32>
    return %2, %3 : tensor<64x64xf32>, tensor<64x64xi32>
  }
}
