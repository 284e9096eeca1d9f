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
// expect
module {
  func.func public @main(%0: tensor<2x3xi32>, %1: tensor<4xf32>) -> tensor<2x3xf32> {
    %2 = stablehlo.reshape %0 : (tensor<2x3xi32>) -> tensor<6xi32>
    %3 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.constant dense<0.0> : tensor<6xf32>
    %5:2 = "stablehlo.while"(%3, %4) ({
    ^bb0(%6: tensor<i64>, %7: tensor<6xf32>):
      %8 = stablehlo.constant dense<6> : tensor<i64>
      %9 = stablehlo.compare LT, %6, %8, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%10: tensor<i64>, %11: tensor<6xf32>):
      %12 = stablehlo.dynamic_slice %2, %10, sizes = [1] : (tensor<6xi32>, tensor<i64>) -> tensor<1xi32>
      %13 = stablehlo.reshape %12 : (tensor<1xi32>) -> tensor<i32>
      %14 = stablehlo.dynamic_slice %1, %13, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
      %15 = stablehlo.reshape %14 : (tensor<1xf32>) -> tensor<f32>
      %16 = stablehlo.reshape %15 : (tensor<f32>) -> tensor<1xf32>
      %17 = stablehlo.dynamic_update_slice %11, %16, %10 : (tensor<6xf32>, tensor<1xf32>, tensor<i64>) -> tensor<6xf32>
      %18 = stablehlo.constant dense<1> : tensor<i64>
      %19 = stablehlo.add %10, %18 : tensor<i64>
      stablehlo.return %19, %17 : tensor<i64>, tensor<6xf32>
    }) : (tensor<i64>, tensor<6xf32>) -> (tensor<i64>, tensor<6xf32>)
    %20 = stablehlo.reshape %5#1 : (tensor<6xf32>) -> tensor<2x3xf32>
    return %20 : tensor<2x3xf32>
  }
}
