// Results that are an argument, a constant or another result are copied.
// run: plan
func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<3xf32>) {
  %c = stablehlo.constant dense<[4, 5]> : tensor<2xi32>
  %0 = stablehlo.negate %a : tensor<3xf32>
  return %0, %a, %c, %0 : tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<3xf32>
}
// expect
function main(tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<2xi32>, tensor<3xf32>) arena 0 {
  // stablehlo.negate (line 5)
  launch negate_0(argument0[0:12], result0[0:12])
  // results
  copy result0[0:12] -> result3[0:12]
  // results
  copy constant0[0:8] -> result2[0:8]
  // results
  copy argument0[0:12] -> result1[0:12]
}
result1 may be argument0
constants 8 bytes
