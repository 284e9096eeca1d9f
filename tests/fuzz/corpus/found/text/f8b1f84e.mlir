func.func @main() -> (tensor<2xcomplex<f32>>, tensor<3xbf16>,tensor<9xi1>, tensor<0x2xf32>, tensor<4xui16>) {
  %0 = stablehlo.constant dense<[(1.0,-2.5e-3), (0x7FC00000,0.0)]> : tensor<4xcomplex<f32>>
 >, tensor<4xui16>
}
