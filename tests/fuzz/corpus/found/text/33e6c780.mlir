// A square is a product; a select whose choice is known is that value.
// run: simplify-algebra, dce
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %two = stablehlo.constant dense<2.0> : tensor<4xf32>
  %p = stablehlo.constant dense<false> : tensor<4xi1>
  %0 = stablehlo.power %x, %two : tensor<4xf32>
  %1 = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
