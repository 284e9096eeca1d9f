// More than 4096 elements that differ are not worth their place in the program.
// run: fold-constants
func.func @main() -> tensor<2x2100xi32> {
  %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2xi32>) -> tensor<2x2100xi32>
  return %0 : tensor<2x2100xi32>
}
