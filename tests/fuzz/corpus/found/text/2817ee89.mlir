module @calls {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<f32>) 
{    %0 = stablehlo.composite "x.y" %aòg 
}
