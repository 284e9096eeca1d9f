// Calls in the body of a l!op; the carried values stay in order.
// run: inline
func.func @main(%n: tensor<i32>, %x: tensor<5xf32>) -> tensor<4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i%v) : (%1 = stablehlo.negate %v : tensor<4xf32>
  return %0, %1 : tensor<i32>, tensor<4xf32>
}
