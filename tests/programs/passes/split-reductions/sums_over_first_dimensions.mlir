// The dimensions that are summed come first: blocks of them are rows one after the other.
// run: split-reductions
func.func @main(%x: tensor<4x1024x64xi32>, %z: tensor<i32>) -> tensor<64xi32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x1024x64xi32>, tensor<i32>) -> tensor<64xi32>
  return %0 : tensor<64xi32>
}
// expect
module {
  func.func public @main(%0: tensor<4x1024x64xi32>, %1: tensor<i32>) -> tensor<64xi32> {
    %2 = stablehlo.reshape %0 : (tensor<4x1024x64xi32>) -> tensor<4096x64xi32>
    %3 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.reshape %0 : (tensor<4x1024x64xi32>) -> tensor<16x256x64xi32>
    %5 = "stablehlo.reduce"(%4, %3) <{dimensions = array<i64: 1>}> ({
    ^bb0(%6: tensor<i32>, %7: tensor<i32>):
      %8 = stablehlo.add %6, %7 : tensor<i32>
      stablehlo.return %8 : tensor<i32>
    }) : (tensor<16x256x64xi32>, tensor<i32>) -> tensor<16x64xi32>
    %9 = "stablehlo.reduce"(%5, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%10: tensor<i32>, %11: tensor<i32>):
      %12 = stablehlo.add %10, %11 : tensor<i32>
      stablehlo.return %12 : tensor<i32>
    }) : (tensor<16x64xi32>, tensor<i32>) -> tensor<64xi32>
    return %9 : tensor<64xi32>
  }
}
