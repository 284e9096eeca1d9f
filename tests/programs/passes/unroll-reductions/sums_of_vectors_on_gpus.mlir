// Blocks of threads read rows of vectors together.
// target: cuda
// run: unroll-reductions
func.func @main(%x: tensor<100x3xf32>, %zero: tensor<f32>) -> tensor<3xf32> {
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100x3xf32>, %1: tensor<f32>) -> tensor<3xf32> {
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 0>}> ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>):
      %5 = stablehlo.add %3, %4 : tensor<f32>
      stablehlo.return %5 : tensor<f32>
    }) : (tensor<100x3xf32>, tensor<f32>) -> tensor<3xf32>
    return %2 : tensor<3xf32>
  }
}
