// Equal constants are one; 0 and -0 are two.
// run: cse
func.func @main(%x: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.constant dense<0.0> : tensor<f32>
  %2 = stablehlo.constant dense<-0.0> : tensor<f32>
  %3 = stablehlo.add %x, %0 : tensor<f32>
  %4 = stablehlo.add %3, %1 : tensor<f32>
  %5 = stablehlo.add %x, %2 : tensor<f32>
  return %4, %5 : tensor<f32>, tensor<f32>
}
// expect
module {
  func.func public @main(%0: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.constant dense<-0.0> : tensor<f32>
    %3 = stablehlo.add %0, %1 : tensor<f32>
    %4 = stablehlo.add %3, %1 : tensor<f32>
    %5 = stablehlo.add %0, %2 : tensor<f32>
    return %4, %5 : tensor<f32>, tensor<f32>
  }
}
