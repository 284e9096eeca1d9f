// Sums of bf16 are rounded once.
// run: decompose
func.func @main(%x: tensor<4x3xbf16>, %scale: tensor<3xbf16>, %offset: tensor<3xbf16>) -> (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  return %0#0, %0#1, %0#2 : tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>
}
// expect
module {
  func.func public @main(%0: tensor<4x3xbf16>, %1: tensor<3xbf16>, %2: tensor<3xbf16>) -> (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
    %3 = stablehlo.convert %0 : (tensor<4x3xbf16>) -> tensor<4x3xf32>
    %4 = stablehlo.constant dense<4.0> : tensor<3xf32>
    %5 = stablehlo.constant dense<0.0> : tensor<f32>
    %6 = "stablehlo.reduce"(%3, %5) <{dimensions = array<i64: 0>}> ({
    ^bb0(%7: tensor<f32>, %8: tensor<f32>):
      %9 = stablehlo.add %7, %8 : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %10 = stablehlo.divide %6, %4 : tensor<3xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %12 = stablehlo.subtract %3, %11 : tensor<4x3xf32>
    %13 = stablehlo.multiply %12, %12 : tensor<4x3xf32>
    %14 = stablehlo.constant dense<4.0> : tensor<3xf32>
    %15 = stablehlo.constant dense<0.0> : tensor<f32>
    %16 = "stablehlo.reduce"(%13, %15) <{dimensions = array<i64: 0>}> ({
    ^bb0(%17: tensor<f32>, %18: tensor<f32>):
      %19 = stablehlo.add %17, %18 : tensor<f32>
      stablehlo.return %19 : tensor<f32>
    }) : (tensor<4x3xf32>, tensor<f32>) -> tensor<3xf32>
    %20 = stablehlo.divide %16, %14 : tensor<3xf32>
    %21 = stablehlo.convert %2 : (tensor<3xbf16>) -> tensor<3xf32>
    %22 = stablehlo.convert %1 : (tensor<3xbf16>) -> tensor<3xf32>
    %23 = stablehlo.broadcast_in_dim %21, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %24 = stablehlo.constant dense<0.001> : tensor<4x3xf32>
    %25 = stablehlo.broadcast_in_dim %20, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %26 = stablehlo.add %25, %24 : tensor<4x3xf32>
    %27 = stablehlo.sqrt %26 : tensor<4x3xf32>
    %28 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %29 = stablehlo.subtract %3, %28 : tensor<4x3xf32>
    %30 = stablehlo.divide %29, %27 : tensor<4x3xf32>
    %31 = stablehlo.broadcast_in_dim %22, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
    %32 = stablehlo.multiply %31, %30 : tensor<4x3xf32>
    %33 = stablehlo.add %32, %23 : tensor<4x3xf32>
    %34 = stablehlo.convert %33 : (tensor<4x3xf32>) -> tensor<4x3xbf16>
    %35 = stablehlo.convert %10 : (tensor<3xf32>) -> tensor<3xbf16>
    %36 = stablehlo.convert %20 : (tensor<3xf32>) -> tensor<3xbf16>
    return %34, %35, %36 : tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>
  }
}
