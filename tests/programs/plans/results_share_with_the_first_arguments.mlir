// A result may have the memory of the first few arguments of its size that are not read any more, or
// of the one that it is computed from element by element.
// run: plan
func.func @main(%a: tensor<2xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>, %d: tensor<2xf32>, %e: tensor<2xf32>, %f: tensor<2xf32>, %g: tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0 = stablehlo.add %g, %f : tensor<2xf32>
  %1 = stablehlo.negate %b : tensor<3xf32>
  %2 = stablehlo.reverse %g, dims = [0] : tensor<2xf32>
  %3 = stablehlo.reverse %2, dims = [0] : tensor<2xf32>
  %5 = stablehlo.sine %2 : tensor<2xf32>
  return %0, %1, %5, %3 : tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>
}
// expect
function main(tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>, tensor<2xf32>) arena 64 {
  // stablehlo.add (line 5)
  launch add_0(argument6[0:8], argument5[0:8], result0[0:8])
  // stablehlo.negate (line 6)
  launch negate_1(argument1[0:12], result1[0:12])
  // stablehlo.reverse (line 7)
  launch reverse_2(argument6[0:8], arena0[0:8])
  // stablehlo.reverse (line 8)
  launch reverse_2(arena0[0:8], result3[0:8])
  // stablehlo.sine (line 9)
  launch sine_3(arena0[0:8], result2[0:8])
}
result0 may be argument5
result1 may be argument1
result2 may be argument0
result2 may be argument2
result2 may be argument3
result2 may be argument4
result3 may be argument0
result3 may be argument2
result3 may be argument3
result3 may be argument4
constants 0 bytes
