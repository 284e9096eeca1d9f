// A region that does more than elementwise arithmetic runs once per element.
// run: decompose
func.func @main(%x: tensor<2x3xi32>, %table: tensor<4xf32>) -> tensor<2x3xf32> {
  %0 = "stablehlo.map"(%x) ({
  ^bb0(%i: tensor<i32>):
    %1 = stablehlo.dynamic_slice %table, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
