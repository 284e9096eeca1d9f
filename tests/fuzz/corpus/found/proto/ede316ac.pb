// Of a repeated label the diagonal is taken; a label of one operand only is summed before the product.
// run: decompose
func.func @main(%x: tensor<3x2x3x4xf32>, %y: tensor<2x5xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.einsum %x, %y, config = "abstablehlo.returnac,bd->da" : (tensor<3x2x3x4xf32>, tensor<2x5xf32>) -> tensor<5x3xf32>
 >
}
