// Sums of bf16 are rounded once.
// run: decompose
func.func @main(%x: tensor<4x3xbf16>, %scale: tensor<3xbf16>, %offset: tensor<3xbf16>) -> (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %scale, %offset) <{epsilon = 1.0e-3 : f32, feature_index = 1 : i64}> : (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  return %0#0, %0#1, %0#2 : tensor<4x3xbf16>, tensor<3xbf16>, tensor<3xbf16>
}
