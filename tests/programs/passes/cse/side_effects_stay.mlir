// Two calls with side effects are two; calls without become one.
// run: cse
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = stablehlo.custom_call @draw(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %1 = stablehlo.custom_call @draw(%x) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
  %2 = stablehlo.custom_call @pure(%x) : (tensor<f32>) -> tensor<f32>
  %3 = stablehlo.custom_call @pure(%x) : (tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}
// expect
module {
  func.func public @main(%0: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
    %1 = stablehlo.custom_call @draw(%0) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.custom_call @draw(%0) {has_side_effect = true} : (tensor<f32>) -> tensor<f32>
    %3 = stablehlo.custom_call @pure(%0) : (tensor<f32>) -> tensor<f32>
    return %1, %2, %3, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}
