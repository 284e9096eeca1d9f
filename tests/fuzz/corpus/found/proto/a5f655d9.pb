// Sixteen elements, and elements that differ, stay as they are.
// run: shrink-splats
func.func @main() -> (tensor<16xf32>, tensor<3xf32>) {
  %a = stablehlo.constant dense<2.5> : tensor<16xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %a, %b : tensor<16xf32>, tensor<3xf32>
}
