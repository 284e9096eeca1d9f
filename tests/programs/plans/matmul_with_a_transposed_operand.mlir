// A product of transposed operands is one library call with strides.
// run: pipeline, plan
func.func @main(%a: tensor<40x50xf32>, %b: tensor<60x50xf32>) -> tensor<40x60xf32> {
  %t = stablehlo.transpose %b, dims = [1, 0] : (tensor<60x50xf32>) -> tensor<50x60xf32>
  %0 = stablehlo.dot_general %a, %t, contracting_dims = [1] x [0] : (tensor<40x50xf32>, tensor<50x60xf32>) -> tensor<40x60xf32>
  return %0 : tensor<40x60xf32>
}
// expect
function main(tensor<40x50xf32>, tensor<60x50xf32>) -> (tensor<40x60xf32>) arena 0 {
  // stablehlo.dot_general (line 5)
  matmul f32 -> f32 b=1 m=40 n=60 k=50 lhs argument0[0:8000] strides [2000, 50, 1] rhs argument1[0:12000] strides [3000, 1, 50] -> result0[0:9600]
}
constants 0 bytes
