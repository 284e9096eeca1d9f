// Columns of a matrix that is read from memory: blocks of whole rows, although there are columns enough for all threads.
// run: split-reductions
func.func @main(%x: tensor<4096x1024xf32>, %z: tensor<f32>) -> tensor<1024xf32> {
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<4096x1024xf32>, tensor<f32>) -> tensor<1024xf32>
  return %0 : tensor<1024xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4096x1024xf32>, %1: tensor<f32>) -> tensor<1024xf32> {
    %2 = stablehlo.constant dense<-0.0> : tensor<f32>
    %3 = stablehlo.reshape %0 : (tensor<4096x1024xf32>) -> tensor<64x64x1024xf32>
    %4 = "stablehlo.reduce"(%3, %2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = stablehlo.add %5, %6 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<64x64x1024xf32>, tensor<f32>) -> tensor<64x1024xf32>
    %8 = "stablehlo.reduce"(%4, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%9: tensor<f32>, %10: tensor<f32>):
      %11 = stablehlo.add %9, %10 : tensor<f32>
      stablehlo.return %11 : tensor<f32>
    }) : (tensor<64x1024xf32>, tensor<f32>) -> tensor<1024xf32>
    return %8 : tensor<1024xf32>
  }
}
