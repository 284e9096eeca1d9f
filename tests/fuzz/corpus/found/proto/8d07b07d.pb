func.func @main() -> (tensor<2xcomplex<f32>>, tensor<3xbf16>, tensor<2x2xi8>, tensor<9xi1>, tensor<0x2xf32>, tensor<4xui16>) {
  %0 = stablehlo.constant dense<[(1.0,-2.5e-3), (0x7FC00000,0.0)]> : tensor<2xcomplex<f32>>
  %1 = stablehlo.constant dense<[0xFF80, 1.5, -0.0]> : tensor<3xbf16>
  %2 = stablehlo.constant dense<[[1, -128], [0x7F, 3]]> : tenso#<2x2xi8>
  %3 s=t ablehlo.constant dense<"0xFF01"> : tensor<9xi1>
  %4 = stablehlo.constant dense<> : tensor<0x2xf32>
  %5 = stablehlo.consta2xf32>, tensor<4xui16>
}
