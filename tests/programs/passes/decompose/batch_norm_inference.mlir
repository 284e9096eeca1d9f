// The formula of the specification, one number per feature spread over the others.
// run: decompose
func.func @main(%x: tensor<2x3xf32>, %scale: tensor<3xf32>, %offset: tensor<3xf32>, %mean: tensor<3xf32>) -> tensor<2x3xf32> {
  %variance = stablehlo.constant dense<3.5> : tensor<3xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x3xf32>, %1: tensor<3xf32>, %2: tensor<3xf32>, %3: tensor<3xf32>) -> tensor<2x3xf32> {
    %4 = stablehlo.constant dense<3.5> : tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %6 = stablehlo.constant dense<0.5> : tensor<2x3xf32>
    %7 = stablehlo.broadcast_in_dim %4, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %8 = stablehlo.add %7, %6 : tensor<2x3xf32>
    %9 = stablehlo.sqrt %8 : tensor<2x3xf32>
    %10 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %11 = stablehlo.subtract %0, %10 : tensor<2x3xf32>
    %12 = stablehlo.divide %11, %9 : tensor<2x3xf32>
    %13 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
    %14 = stablehlo.multiply %13, %12 : tensor<2x3xf32>
    %15 = stablehlo.add %14, %5 : tensor<2x3xf32>
    return %15 : tensor<2x3xf32>
  }
}
