// Softmax: two reductions and two loops; the exponentials are read twice and computed once.
// run: fuse
func.func @main(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %d = stablehlo.subtract %x, %mb : tensor<64x1000xf32>
  %e = stablehlo.exponential %d : tensor<64x1000xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
  %r = stablehlo.divide %e, %sb : tensor<64x1000xf32>
  return %r : tensor<64x1000xf32>
}
// expect
module {
  func.func public @main(%0: tensor<64x1000xf32>) -> tensor<64x1000xf32> {
    %1 = "acceld.fusion"(%0) <{kind = reduction}> ({
    ^bb0(%2: tensor<64x1000xf32>):
      %3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %4 = "stablehlo.reduce"(%2, %3) <{dimensions = array<i64: 1>}> ({
      ^bb0(%5: tensor<f32>, %6: tensor<f32>):
        %7 = stablehlo.maximum %5, %6 : tensor<f32>
        stablehlo.return %7 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      stablehlo.return %4 : tensor<64xf32>
    }) : (tensor<64x1000xf32>) -> tensor<64xf32>
    %8 = "acceld.fusion"(%1, %0) ({
    ^bb0(%9: tensor<64xf32>, %10: tensor<64x1000xf32>):
      %11 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %12 = stablehlo.subtract %10, %11 : tensor<64x1000xf32>
      %13 = stablehlo.exponential %12 : tensor<64x1000xf32>
      stablehlo.return %13 : tensor<64x1000xf32>
    }) : (tensor<64xf32>, tensor<64x1000xf32>) -> tensor<64x1000xf32>
    %14 = "acceld.fusion"(%8) <{kind = reduction}> ({
    ^bb0(%15: tensor<64x1000xf32>):
      %16 = stablehlo.constant dense<0.0> : tensor<f32>
      %17 = "stablehlo.reduce"(%15, %16) <{dimensions = array<i64: 1>}> ({
      ^bb0(%18: tensor<f32>, %19: tensor<f32>):
        %20 = stablehlo.add %18, %19 : tensor<f32>
        stablehlo.return %20 : tensor<f32>
      }) : (tensor<64x1000xf32>, tensor<f32>) -> tensor<64xf32>
      stablehlo.return %17 : tensor<64xf32>
    }) : (tensor<64x1000xf32>) -> tensor<64xf32>
    %21 = "acceld.fusion"(%14, %8) ({
    ^bb0(%22: tensor<64xf32>, %23: tensor<64x1000xf32>):
      %24 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<64xf32>) -> tensor<64x1000xf32>
      %25 = stablehlo.divide %23, %24 : tensor<64x1000xf32>
      stablehlo.return %25 : tensor<64x1000xf32>
    }) : (tensor<64xf32>, tensor<64x1000xf32>) -> tensor<64x1000xf32>
    return %21 : tensor<64x1000xf32>
  }
}
