// NaN goes behind what is compared by `<`, and before what is by `>`: workers need one order.
// run: split-sorts
// target: cuda
func.func @main(%x: tensor<100xf32>, %y: tensor<100xf64>) -> (tensor<100xf32>, tensor<100xf64>) {
  %0:2 = "stablehlo.sort"(%x, %y) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f64>, %d: tensor<f64>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.compare GT, %c, %d : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %4 = stablehlo.and %2, %3 : tensor<i1>
    %5 = stablehlo.or %1, %4 : tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<100xf32>, tensor<100xf64>) -> (tensor<100xf32>, tensor<100xf64>)
  return %0#0, %0#1 : tensor<100xf32>, tensor<100xf64>
}
// expect
module {
  func.func public @main(%0: tensor<100xf32>, %1: tensor<100xf64>) -> (tensor<100xf32>, tensor<100xf64>) {
    %2 = stablehlo.reshape %0 : (tensor<100xf32>) -> tensor<1x100xf32>
    %3 = stablehlo.reshape %1 : (tensor<100xf64>) -> tensor<1x100xf64>
    %4:2 = "acceld.sort_runs"(%2, %3) <{keep = 128 : i64, piece = 2 : i64, run = 128 : i64}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>, %7: tensor<f64>, %8: tensor<f64>):
      %9 = stablehlo.compare LT, %5, %6 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %10 = stablehlo.compare EQ, %5, %5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %11 = stablehlo.compare NE, %6, %6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %12 = stablehlo.and %10, %11 : tensor<i1>
      %13 = stablehlo.or %9, %12 : tensor<i1>
      %14 = stablehlo.compare EQ, %5, %6 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %15 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %16 = stablehlo.compare NE, %6, %6, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %17 = stablehlo.and %15, %16 : tensor<i1>
      %18 = stablehlo.or %14, %17 : tensor<i1>
      %19 = stablehlo.compare GT, %7, %8 : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %20 = stablehlo.compare NE, %7, %7, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %21 = stablehlo.compare EQ, %8, %8, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %22 = stablehlo.and %20, %21 : tensor<i1>
      %23 = stablehlo.or %19, %22 : tensor<i1>
      %24 = stablehlo.and %18, %23 : tensor<i1>
      %25 = stablehlo.or %13, %24 : tensor<i1>
      stablehlo.return %25 : tensor<i1>
    }) : (tensor<1x100xf32>, tensor<1x100xf64>) -> (tensor<1x100xf32>, tensor<1x100xf64>)
    %26 = stablehlo.reshape %4#0 : (tensor<1x100xf32>) -> tensor<100xf32>
    %27 = stablehlo.reshape %4#1 : (tensor<1x100xf64>) -> tensor<100xf64>
    return %26, %27 : tensor<100xf32>, tensor<100xf64>
  }
}
