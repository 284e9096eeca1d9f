module @edge_constants {
  func.func public @main() -> (tensor<3xi1>, tensor<9xi1>, tensor<9xi1>, tensor<2xi1>, tensor<1xi1>, tensor<i1>, tensor<0xi1>, tensor<4xi4>, tensor<3xui4>, tensor<2xi64>, tensor<3xf64>, tensor<2xcomplex<f64>>, tensor<2xbf16>, tensor<0x2xf32>, tensor<1000xi1>) {
    %c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %c_0 = stablehlo.constant dense<true> : tensor<9xi1>
    %c_1 = stablehlo.constant dense<[true, false, true, true, true, false, true, false, true]> : tensor<9xi1>
    %c_2 = stablehlo.constant dense<true> : tensor<2xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<1xi1>
    %c_4 = stablehlo.constant dense<false> : tensor<i1>
    %c_5 = stablehlo.constant dense<> : tensor<0xi1>
    %c_6 = stablehlo.constant dense<[-8, 7, 0, -1]> : tensor<4xi4>
    %c_7 = stablehlo.constant dense<[15, 0, 8]> : tensor<3xui4>
    %c_8 = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
    %cst = stablehlo.constant dense<[0x7FF8000000000001, -0.000000e+00, 0xFFF0000000000000]> : tensor<3xf64>
    %cst_9 = stablehlo.constant dense<[(1.000000e+00,-2.000000e+00), (0.000000e+00,3.000000e+00)]> : tensor<2xcomplex<f64>>
    %cst_10 = stablehlo.constant dense<[0x7FC0, 1.500000e+00]> : tensor<2xbf16>
    %cst_11 = stablehlo.constant dense<> : tensor<0x2xf32>
    %c_12 = stablehlo.constant dense<false> : tensor<1000xi1>
    return %c, %c_0, %c_1, %c_2, %c_3, %c_4, %c_5, %c_6, %c_7, %c_8, %cst, %cst_9, %cst_10, %cst_11, %c_12 : tensor<3xi1>, tensor<9xi1>, tensor<9xi1>, tensor<2xi1>, tensor<1xi1>, tensor<i1>, tensor<0xi1>, tensor<4xi4>, tensor<3xui4>, tensor<2xi64>, tensor<3xf64>, tensor<2xcomplex<f64>>, tensor<2xbf16>, tensor<0x2xf32>, tensor<1000xi1>
  }
}
