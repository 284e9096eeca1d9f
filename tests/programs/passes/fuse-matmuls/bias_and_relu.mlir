// A bias for each column and a ReLU are done with the product.
// run: fuse-matmuls
// target: cuda
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %bias: tensor<4xf32>) -> (tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %v = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.add %0, %v : tensor<8x4xf32>
  %2 = stablehlo.maximum %1, %zeros : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x16xf32>, %1: tensor<16x4xf32>, %2: tensor<4xf32>) -> tensor<8x4xf32> {
    %3 = "acceld.fusion"(%0, %1, %2) <{kind = matmul}> ({
    ^bb0(%4: tensor<8x16xf32>, %5: tensor<16x4xf32>, %6: tensor<4xf32>):
      %7 = stablehlo.constant dense<0.0> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %9 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      %10 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
      %11 = stablehlo.add %9, %10 : tensor<8x4xf32>
      %12 = stablehlo.maximum %11, %8 : tensor<8x4xf32>
      stablehlo.return %12 : tensor<8x4xf32>
    }) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
}
