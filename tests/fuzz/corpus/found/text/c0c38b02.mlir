module @random {
  func.func public @main() -> (tensor<4x29x2xf32>, tensor<33xf32>, tensor<4x2x1xi64>) {
    %0 = stablehlo.constant dense<-2.25> : tensor<33xf32>
    %1 = stablehlo.constant dense<[[[0], [-3]], [[-2], [3]], [[1], [-3]], [[-4], [-4]]]> : tensor<4x2x1xi64>
    %2 = "stablehlo.gather"(%0, %1) <{dimension_numbers = #stablehlo.gather<index_vector_dim = 2, offset_dims = [1], start_index_map = [0]>, slice_sizes = array<i64: 29>}> : (tensor<33xf32>, tensor<4x2x1xi64>) -> tensor<4x29x2xf32>
    return %2, %0, %1 : tensor<4x29x2xf32>, tensor<33xf32>, tensor<4x2x1xi64>
  }
}
