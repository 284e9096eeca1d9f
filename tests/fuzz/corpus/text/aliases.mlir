#number = 1 : i64
#list = [#number, "two", {three = #number}]
#twice = [#list, #list]
!row = tensor<4xf32>
!pair = tuple<!row, tensor<i32>>
!stored = !quant.uniform<i8:f32, 0.5:1>
#loc0 = loc("file":1:2)
module attributes {a = #twice} {
  func.func @main(%x: !row {b = #list}, %i: tensor<1xui64>, %q: tensor<2x!stored>) -> (!row, tensor<2x!stored>) {
    %0 = stablehlo.constant dense<18446744073709551615> : tensor<ui64>
    %1 = stablehlo.dynamic_slice %x, %0, sizes = [2] : (!row, tensor<ui64>) -> tensor<2xf32>
    %2 = "stablehlo.scatter"(%x, %i, %1) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>} : (!row, tensor<1xui64>, tensor<2xf32>) -> !row
    %3 = stablehlo.constant dense<3> : tensor<i32>
    %4 = stablehlo.tuple %2, %3 : !pair
    %5 = stablehlo.get_tuple_element %4[0] : (!pair) -> !row
    %6 = stablehlo.composite "a.b" %5 {composite_attributes = {n = #twice}, decomposition = @same} : (!row) -> !row loc(#loc0)
    %7 = stablehlo.custom_call @f(%6) {backend_config = {list = #twice}} : (!row) -> !row
    %8 = stablehlo.add %q, %q : tensor<2x!stored>
    return %7, %8 : !row, tensor<2x!stored>
  }
  func.func private @same(%x: !row) -> !row {
    return %x : !row
  }
}
