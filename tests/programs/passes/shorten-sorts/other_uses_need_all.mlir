// Something else reads the sorted values; and floats compared as such have no order when one is NaN.
// run: shorten-sorts
func.func @main(%x: tensor<100xi32>, %y: tensor<100xf32>) -> (tensor<3xi32>, tensor<100xi32>, tensor<3xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%1: tensor<i32>, %2: tensor<i32>):
    %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<100xi32>) -> tensor<100xi32>
  %4 = stablehlo.slice %0 [0:3] : (tensor<100xi32>) -> tensor<3xi32>
  %5 = stablehlo.negate %0 : tensor<100xi32>
  %6 = "stablehlo.sort"(%y) <{dimension = 0 : i64}> ({
  ^bb0(%7: tensor<f32>, %8: tensor<f32>):
    %9 = stablehlo.compare LT, %7, %8, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  }) : (tensor<100xf32>) -> tensor<100xf32>
  %10 = stablehlo.slice %6 [0:3] : (tensor<100xf32>) -> tensor<3xf32>
  return %4, %5, %10 : tensor<3xi32>, tensor<100xi32>, tensor<3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100xi32>, %1: tensor<100xf32>) -> (tensor<3xi32>, tensor<100xi32>, tensor<3xf32>) {
    %2 = "stablehlo.sort"(%0) <{dimension = 0 : i64}> ({
    ^bb0(%3: tensor<i32>, %4: tensor<i32>):
      %5 = stablehlo.compare LT, %3, %4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    }) : (tensor<100xi32>) -> tensor<100xi32>
    %6 = stablehlo.slice %2 [0:3] : (tensor<100xi32>) -> tensor<3xi32>
    %7 = stablehlo.negate %2 : tensor<100xi32>
    %8 = "stablehlo.sort"(%1) <{dimension = 0 : i64}> ({
    ^bb0(%9: tensor<f32>, %10: tensor<f32>):
      %11 = stablehlo.compare LT, %9, %10, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    }) : (tensor<100xf32>) -> tensor<100xf32>
    %12 = stablehlo.slice %8 [0:3] : (tensor<100xf32>) -> tensor<3xf32>
    return %6, %7, %12 : tensor<3xi32>, tensor<100xi32>, tensor<3xf32>
  }
}
