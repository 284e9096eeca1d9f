// On a GPU the threads of a block share the accumulators of a column.
// run: fuse, merge-reductions
// target: cuda
func.func @main(%x: tensor<256x1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %a = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %b = stablehlo.reduce(%x init: %m) applies stablehlo.maximum across dimensions = [0] : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  return %a, %b : tensor<1000xf32>, tensor<1000xf32>
}
// expect
module {
  func.func public @main(%0: tensor<256x1000xf32>) -> (tensor<1000xf32>, tensor<1000xf32>) {
    %1 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<256x1000xf32>):
      %3 = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 0>}> ({
      ^bb0(%5: tensor<f32>, %6: tensor<f32>):
        %7 = stablehlo.add %5, %6 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %4 : tensor<1000xf32>
    }) : (tensor<256x1000xf32>) -> tensor<1000xf32>
    %8 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%9: tensor<256x1000xf32>):
      %10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %11 = "stablehlo.reduce"(%9, %10) <{dimensions = array<i64: 0>}> ({
      ^bb0(%12: tensor<f32>, %13: tensor<f32>):
        %14 = stablehlo.maximum %12, %13 : tensor<f32>
        stablehlo.return %14 : tensor<f32>
      }) : (tensor<256x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %11 : tensor<1000xf32>
    }) : (tensor<256x1000xf32>) -> tensor<1000xf32>
    return %1, %8 : tensor<1000xf32>, tensor<1000xf32>
  }
}
