// The heads of several sequences lie side by side: a product of groups reads both operands as they lie.
// run: plan
func.func @main(%q: tensor<2x32x3x8xf32>, %k: tensor<2x480x3x8xf32>) -> tensor<2x3x32x480xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3] : (tensor<2x32x3x8xf32>, tensor<2x480x3x8xf32>) -> tensor<2x3x32x480xf32>
  return %0 : tensor<2x3x32x480xf32>
}
// expect
function main(tensor<2x32x3x8xf32>, tensor<2x480x3x8xf32>) -> (tensor<2x3x32x480xf32>) arena 0 {
  // stablehlo.dot_general (line 4)
  matmul f32 -> f32 groups=2 strides [768, 11520] b=3 m=32 n=480 k=8 lhs argument0[0:6144] strides [8, 24, 1] rhs argument1[0:92160] strides [8, 1, 24] -> result0[0:368640]
}
constants 0 bytes
