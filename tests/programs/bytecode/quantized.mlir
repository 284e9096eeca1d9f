module @quantized {
  func.func public @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x2x!quant.uniform<i8<-127:127>:f32:1, {2.500000e-01,1.250000e-01}>>) -> (tensor<2x2x!quant.uniform<u8:f32, 5.000000e-01:128>>, tensor<2x3xf32>) {
    %0 = stablehlo.uniform_quantize %arg0 : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 1.000000e-01:-30>>
    %1 = stablehlo.dot_general %0, %arg1, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.000000e-01:-30>>, tensor<3x2x!quant.uniform<i8<-127:127>:f32:1, {2.500000e-01,1.250000e-01}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {2.500000e-02,1.250000e-02}>>
    %2 = stablehlo.uniform_quantize %1 : (tensor<2x2x!quant.uniform<i32:f32:1, {2.500000e-02,1.250000e-02}>>) -> tensor<2x2x!quant.uniform<u8:f32, 5.000000e-01:128>>
    %3 = stablehlo.uniform_dequantize %0 : (tensor<2x3x!quant.uniform<i8:f32, 1.000000e-01:-30>>) -> tensor<2x3xf32>
    return %2, %3 : tensor<2x2x!quant.uniform<u8:f32, 5.000000e-01:128>>, tensor<2x3xf32>
  }
}
