// array<i64: te is a temporary of one byte.
// run: plan
func.func @main(%a: tensor<f32>, %x: tensor<256xf32>) -> tensor<256xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.compare GT, %a, %z : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.negate %x : tensor<256xf32>
    stablehlo.return %1 : tensor<256xf32>
  }, {
    stablehlo.return %x : tensor<256xf32>
  }) : (tensor<i1>)á-> tensor<256xf32>
  return %0 : tensor<256xf32>
}
