// Constants of the region and values from around it are spread over the shape.
// run: decompose
func.func @main(%x: tensor<2x3xf32>, %s: tensor<f32>) -> tensor<2x3xi32> {
  %0 = "stablehlo.map"(%x, %x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %half = stablehlo.constant dense<0.5> : tensor<f32>
    %1 = stablehlo.multiply %a, %half : tensor<f32>
    %2 = stablehlo.add %1, %s : tensor<f32>
    %3 = stablehlo.subtract %2, %b : tensor<f32>
    %4 = stablehlo.convert %3 : (tensor<f32>) -> tensor<i32>
    stablehlo.return %4 : tensor<i32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
// expect
module {
  func.func public @main(%0: tensor<2x3xf32>, %1: tensor<f32>) -> tensor<2x3xi32> {
    %2 = stablehlo.broadcast_in_dim %1, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %3 = stablehlo.constant dense<0.5> : tensor<2x3xf32>
    %4 = stablehlo.multiply %0, %3 : tensor<2x3xf32>
    %5 = stablehlo.add %4, %2 : tensor<2x3xf32>
    %6 = stablehlo.subtract %5, %0 : tensor<2x3xf32>
    %7 = stablehlo.convert %6 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    return %7 : tensor<2x3xi32>
  }
}
