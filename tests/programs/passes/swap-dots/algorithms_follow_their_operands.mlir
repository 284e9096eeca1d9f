// What the algorithm says of one operand goes where the operand goes.
// run: swap-dots
func.func @main(%a: tensor<16x8xbf16>, %b: tensor<16x4xbf16>) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 3, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<16x8xbf16>, tensor<16x4xbf16>) -> tensor<8x4xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<16x8xbf16>, %1: tensor<16x4xbf16>) -> tensor<4x8xf32> {
    %2 = stablehlo.dot_general %1, %0, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 3, num_primitive_operations = 3, allow_imprecise_accumulation = false> : (tensor<16x4xbf16>, tensor<16x8xbf16>) -> tensor<4x8xf32>
    return %2 : tensor<4x8xf32>
  }
}
