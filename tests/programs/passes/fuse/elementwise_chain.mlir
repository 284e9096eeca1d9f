// A chain of elementwise ops is one loop, constants and broadcasts included.
// run: fuse
func.func @main(%x: tensor<64x8xf32>, %b: tensor<8xf32>) -> tensor<64x8xf32> {
  %c = stablehlo.constant dense<1.5> : tensor<f32>
  %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<64x8xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<8xf32>) -> tensor<64x8xf32>
  %2 = stablehlo.multiply %x, %0 : tensor<64x8xf32>
  %3 = stablehlo.add %2, %1 : tensor<64x8xf32>
  %4 = stablehlo.tanh %3 : tensor<64x8xf32>
  return %4 : tensor<64x8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x8xf32>, %1: tensor<8xf32>) -> tensor<64x8xf32> {
    %2 = "acceld.fusion"(%1, %0) ({
    ^bb0(%3: tensor<8xf32>, %4: tensor<64x8xf32>):
      %5 = stablehlo.constant dense<1.5> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<64x8xf32>
      %7 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<8xf32>) -> tensor<64x8xf32>
      %8 = stablehlo.multiply %4, %6 : tensor<64x8xf32>
      %9 = stablehlo.add %8, %7 : tensor<64x8xf32>
      %10 = stablehlo.tanh %9 : tensor<64x8xf32>
      stablehlo.return %10 : tensor<64x8xf32>
    }) : (tensor<8xf32>, tensor<64x8xf32>) -> tensor<64x8xf32>
    return %2 : tensor<64x8xf32>
  }
}
