// Out of functions, calls, loops and branches.
// run: flatten-values
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  %u = stablehlo.after_all %t, %t : !stablehlo.token
  %0:3 = stablehlo.while(%i = %n, %token = %u, %v = %x) : tensor<i32>, !stablehlo.token, tensor<4xf32>
  cond {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare GT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.subtract %i, %one : tensor<i32>
    %2:2 = func.call @double(%token, %v) : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
    stablehlo.return %1, %2#0, %2#1 : tensor<i32>, !stablehlo.token, tensor<4xf32>
  }
  return %0#2 : tensor<4xf32>
}
func.func private @double(%t: !stablehlo.token, %x: tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>) {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  %1 = stablehlo.after_all %t : !stablehlo.token
  return %1, %0 : !stablehlo.token, tensor<4xf32>
}
