// A call with side effects stays though its result is not read.
// run: dce
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @log_it(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.custom_call @pure(%x) : (tensor<f32>) -> tensor<f32>
  return %x : tensor<f32>
}
// expect
module {
  func.func public @main(%0: tensor<f32>) -> tensor<f32> {
    %1 = stablehlo.custom_call @log_it(%0) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
}
