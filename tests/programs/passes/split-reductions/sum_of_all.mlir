// Blocks of the outermost dimension are summed, then their sums. The initial value counts once.
// run: split-reductions
func.func @main(%x: tensor<1024x512xi32>, %z: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<1024x512xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
// expect
module {
  func.func public @main(%0: tensor<1024x512xi32>, %1: tensor<i32>) -> tensor<i32> {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.reshape %0 : (tensor<1024x512xi32>) -> tensor<64x16x512xi32>
    %4 = "stablehlo.reduce"(%3, %2) <{dimensions = array<i64: 1, 2>}> ({
    ^bb0(%5: tensor<i32>, %6: tensor<i32>):
      %7 = stablehlo.add %5, %6 : tensor<i32>
      stablehlo.return %7 : tensor<i32>
    }) : (tensor<64x16x512xi32>, tensor<i32>) -> tensor<64xi32>
    %8 = "stablehlo.reduce"(%4, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%9: tensor<i32>, %10: tensor<i32>):
      %11 = stablehlo.add %9, %10 : tensor<i32>
      stablehlo.return %11 : tensor<i32>
    }) : (tensor<64xi32>, tensor<i32>) -> tensor<i32>
    return %8 : tensor<i32>
  }
}
