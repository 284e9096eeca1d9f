// Small reductions, those with many results, and reducers that do not say how they may be regrouped.
// run: split-reductions
func.func @main(%x: tensor<1000xi32>, %y: tensor<64x8192xi32>, %w: tensor<262144xi32>, %z: tensor<i32>) -> (tensor<i32>, tensor<64xi32>, tensor<i32>) {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<1000xi32>, tensor<i32>) -> tensor<i32>
  %1 = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x8192xi32>, tensor<i32>) -> tensor<64xi32>
  %2 = "stablehlo.reduce"(%w, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %3 = stablehlo.subtract %a, %b : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }) : (tensor<262144xi32>, tensor<i32>) -> tensor<i32>
  return %0, %1, %2 : tensor<i32>, tensor<64xi32>, tensor<i32>
}
// expect
module {
  func.func public @main(%0: tensor<1000xi32>, %1: tensor<64x8192xi32>, %2: tensor<262144xi32>, %3: tensor<i32>) -> (tensor<i32>, tensor<64xi32>, tensor<i32>) {
    %4 = "stablehlo.reduce"(%0, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%5: tensor<i32>, %6: tensor<i32>):
      %7 = stablehlo.add %5, %6 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<1000xi32>, tensor<i32>) -> tensor<i32>
    %8 = "stablehlo.reduce"(%1, %3) <{dimensions = array<i64: 1>}> ({
    ^bb0(%9: tensor<i32>, %10: tensor<i32>):
      %11 = stablehlo.add %9, %10 : tensor<i32>
      stablehlo.return %11 : tensor<i32>
    }) : (tensor<64x8192xi32>, tensor<i32>) -> tensor<64xi32>
    %12 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%13: tensor<i32>, %14: tensor<i32>):
      %15 = stablehlo.subtract %13, %14 : tensor<i32>
      stablehlo.return %15 : tensor<i32>
    }) : (tensor<262144xi32>, tensor<i32>) -> tensor<i32>
    return %4, %8, %12 : tensor<i32>, tensor<64xi32>, tensor<i32>
  }
}
