// The body of a loop is fused by itself.
// run: fuse
func.func @main(%n: tensor<i32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<64xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %1 = stablehlo.sine %v : tensor<64xf32>
      %2 = stablehlo.add %1, %x : tensor<64xf32>
      stablehlo.return %j, %2 : tensor<i32>, tensor<64xf32>
    }
  return %0#1 : tensor<64xf32>
}
