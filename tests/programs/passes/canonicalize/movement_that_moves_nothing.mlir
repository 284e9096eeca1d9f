// Slices, pads, converts and concatenations that give back their operand.
// run: canonicalize
func.func @main(%x: tensor<4xf32>, %e: tensor<0xf32>, %f: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.slice %x [0:4] : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.pad %x, %f, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %2 = stablehlo.convert %x : tensor<4xf32>
  %3 = stablehlo.concatenate %e, %x, %e, dim = 0 : (tensor<0xf32>, tensor<4xf32>, tensor<0xf32>) -> tensor<4xf32>
  %4 = stablehlo.pad %x, %f, low = [1], high = [-1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<0xf32>, %2: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %3 = stablehlo.pad %0, %2, low = [1], high = [-1], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    return %0, %0, %0, %0, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
