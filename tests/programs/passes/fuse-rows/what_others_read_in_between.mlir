// A sum of columns that reads the sums of rows comes after all that is done with the rows.
// run: fuse, fuse-rows
func.func @main(%x: tensor<64x1000xf32>) -> (tensor<1000xf32>, tensor<64x1000xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %d = stablehlo.subtract %x, %sb : tensor<64x1000xf32>
  %c = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [0] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<1000xf32>
  %y = stablehlo.divide %x, %sb : tensor<64x1000xf32>
  return %c, %y : tensor<1000xf32>, tensor<64x1000xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x1000xf32>) -> (tensor<1000xf32>, tensor<64x1000xf32>) {
    %1:2 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<64x1000xf32>):
      %3 = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 1>}> ({
      ^bb0(%5: tensor<f32>, %6: tensor<f32>):
        %7 = stablehlo.add %5, %6 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      %8 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %9 = stablehlo.divide %2, %8 : tensor<64x1000xf32>
      stablehlo.return %4, %9 : tensor<64xf32>, tensor<64x1000xf32>
    }) : (tensor<64x1000xf32>) -> (tensor<64xf32>, tensor<64x1000xf32>)
    %10 = "acceld.fusion"(%1#0, %0) <{kind = reduction}> ({
    ^bb0(%11: tensor<64xf32>, %12: tensor<64x1000xf32>):
      %13 = stablehlo.constant dense<0.0> : tensor<f32>
      %14 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %15 = stablehlo.subtract %12, %14 : tensor<64x1000xf32>
      %16 = "stablehlo.reduce"(%15, %13) <{dimensions = array<i64: 0>}> ({
      ^bb0(%17: tensor<f32>, %18: tensor<f32>):
        %19 = stablehlo.add %17, %18 : tensor<f32>
        stablehlo.return %19 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<1000xf32>
      stablehlo.return %16 : tensor<1000xf32>
    }) : (tensor<64xf32>, tensor<64x1000xf32>) -> tensor<1000xf32>
    return %10, %1#1 : tensor<1000xf32>, tensor<64x1000xf32>
  }
}
