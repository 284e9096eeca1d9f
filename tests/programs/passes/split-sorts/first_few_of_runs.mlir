// A team keeps the first few of what it sorts, until one has them all.
// run: shorten-sorts, split-sorts
// target: cuda
func.func @main(%x: tensor<2x5000xf32>, %i: tensor<2x5000xi32>) -> tensor<2x3xi32> {
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = -1 : i64, is_stable = true}> ({
  ^bb0(%1: tensor<f32>, %2: tensor<f32>, %3: tensor<i32>, %4: tensor<i32>):
    %5 = stablehlo.compare GT, %1, %2, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %5 : tensor<i1>
  }) : (tensor<2x5000xf32>, tensor<2x5000xi32>) -> (tensor<2x5000xf32>, tensor<2x5000xi32>)
  %6 = stablehlo.slice %0#1 [0:2, 0:3] : (tensor<2x5000xi32>) -> tensor<2x3xi32>
  return %6 : tensor<2x3xi32>
}
// expect
module {
  func.func public @main(%0: tensor<2x5000xf32>, %1: tensor<2x5000xi32>) -> tensor<2x3xi32> {
    %2:2 = "acceld.sort_runs"(%0, %1) <{keep = 3 : i64, piece = 2 : i64, run = 2048 : i64}> ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>, %5: tensor<i32>, %6: tensor<i32>):
      %7 = stablehlo.compare GT, %3, %4, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %7 : tensor<i1>
    }) : (tensor<2x5000xf32>, tensor<2x5000xi32>) -> (tensor<2x9xf32>, tensor<2x9xi32>)
    %8:2 = "acceld.sort_runs"(%2#0, %2#1) <{keep = 3 : i64, piece = 2 : i64, run = 16 : i64}> ({
    ^bb0(%9: tensor<f32>, %10: tensor<f32>, %11: tensor<i32>, %12: tensor<i32>):
      %13 = stablehlo.compare GT, %9, %10, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %13 : tensor<i1>
    }) : (tensor<2x9xf32>, tensor<2x9xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    return %8#1 : tensor<2x3xi32>
  }
}
