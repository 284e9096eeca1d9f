// alpha * product + beta * residual, where the residual comes after the product.
// run: fuse-matmuls
// target: cuda
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %r: tensor<8x4xf32>) -> (tensor<8x4xf32>) {
  %half = stablehlo.constant dense<0.5> : tensor<8x4xf32>
  %two = stablehlo.constant dense<2.0> : tensor<8x4xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.multiply %0, %half : tensor<8x4xf32>
  %2 = stablehlo.multiply %two, %r : tensor<8x4xf32>
  %3 = stablehlo.subtract %1, %2 : tensor<8x4xf32>
  return %3 : tensor<8x4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x16xf32>, %1: tensor<16x4xf32>, %2: tensor<8x4xf32>) -> tensor<8x4xf32> {
    %3 = "acceld.fusion"(%0, %1, %2) <{kind = matmul}> ({
    ^bb0(%4: tensor<8x16xf32>, %5: tensor<16x4xf32>, %6: tensor<8x4xf32>):
      %7 = stablehlo.constant dense<0.5> : tensor<8x4xf32>
      %8 = stablehlo.constant dense<2.0> : tensor<8x4xf32>
      %9 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
      %10 = stablehlo.multiply %9, %7 : tensor<8x4xf32>
      %11 = stablehlo.multiply %8, %6 : tensor<8x4xf32>
      %12 = stablehlo.subtract %10, %11 : tensor<8x4xf32>
      stablehlo.return %12 : tensor<8x4xf32>
    }) : (tensor<8x16xf32>, tensor<16x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
    return %3 : tensor<8x4xf32>
  }
}
