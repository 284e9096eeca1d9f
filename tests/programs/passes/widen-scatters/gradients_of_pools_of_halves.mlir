// What is compared is converted, too: the order is the same.
// run: widen-scatters
func.func @main(%x: tensor<2002xf16>, %d: tensor<2000xf16>) -> tensor<2002xf16> {
  %z = stablehlo.constant dense<0.0> : tensor<f16>
  %0 = "stablehlo.select_and_scatter"(%x, %d, %z) <{window_dimensions = array<i64: 3>}> ({
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %s = stablehlo.compare GE, %a, %b : (tensor<f16>, tensor<f16>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }, {
  ^bb0(%a: tensor<f16>, %b: tensor<f16>):
    %s = stablehlo.add %a, %b : tensor<f16>
    stablehlo.return %s : tensor<f16>
  }) : (tensor<2002xf16>, tensor<2000xf16>, tensor<f16>) -> tensor<2002xf16>
  return %0 : tensor<2002xf16>
}
// expect
module {
  func.func public @main(%0: tensor<2002xf16>, %1: tensor<2000xf16>) -> tensor<2002xf16> {
    %2 = stablehlo.constant dense<0.0> : tensor<f16>
    %3 = stablehlo.convert %0 : (tensor<2002xf16>) -> tensor<2002xf32>
    %4 = stablehlo.convert %1 : (tensor<2000xf16>) -> tensor<2000xf32>
    %5 = stablehlo.convert %2 : (tensor<f16>) -> tensor<f32>
    %6 = "stablehlo.select_and_scatter"(%3, %4, %5) <{window_dimensions = array<i64: 3>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<f32>):
      %9 = stablehlo.compare GE, %7, %8 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%10: tensor<f32>, %11: tensor<f32>):
      %12 = stablehlo.add %10, %11 : tensor<f32>
      stablehlo.return %12 : tensor<f32>
    }) : (tensor<2002xf32>, tensor<2000xf32>, tensor<f32>) -> tensor<2002xf32>
    %13 = stablehlo.convert %6 : (tensor<2002xf32>) -> tensor<2002xf16>
    return %13 : tensor<2002xf16>
  }
}
