// Operands as [batch, rows, heads, columns] and grouped heads, with the values on the left, as JAX has them: nothing is transposed.
// run: fuse-attention, plan
// target: cuda
func.func @main(%q: tensor<2x8x2x3x16xf32>, %k: tensor<2x12x2x16xf32>, %v: tensor<2x12x2x16xf32>) -> (tensor<2x8x6x16xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0, 2] x [0, 2], contracting_dims = [4] x [3] : (tensor<2x8x2x3x16xf32>, tensor<2x12x2x16xf32>) -> tensor<2x2x8x3x12xf32>
  %s = stablehlo.transpose %s0, dims = [3, 0, 1, 2, 4] : (tensor<2x2x8x3x12xf32>) -> tensor<3x2x2x8x12xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %ninf) applies stablehlo.maximum across dimensions = [4] : (tensor<3x2x2x8x12xf32>, tensor<f32>) -> tensor<3x2x2x8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1, 2, 3] : (tensor<3x2x2x8xf32>) -> tensor<3x2x2x8x12xf32>
  %d = stablehlo.subtract %s, %mb : tensor<3x2x2x8x12xf32>
  %e = stablehlo.exponential %d : tensor<3x2x2x8x12xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [4] : (tensor<3x2x2x8x12xf32>, tensor<f32>) -> tensor<3x2x2x8xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1, 2, 3] : (tensor<3x2x2x8xf32>) -> tensor<3x2x2x8x12xf32>
  %p = stablehlo.divide %e, %zb : tensor<3x2x2x8x12xf32>
  %o = stablehlo.dot_general %v, %p, batching_dims = [0, 2] x [1, 2], contracting_dims = [1] x [4] : (tensor<2x12x2x16xf32>, tensor<3x2x2x8x12xf32>) -> tensor<2x2x16x3x8xf32>
  %t = stablehlo.transpose %o, dims = [0, 4, 1, 3, 2] : (tensor<2x2x16x3x8xf32>) -> tensor<2x8x2x3x16xf32>
  %r = stablehlo.reshape %t : (tensor<2x8x2x3x16xf32>) -> tensor<2x8x6x16xf32>
  return %r : tensor<2x8x6x16xf32>
}
// expect
function main(tensor<2x8x2x3x16xf32>, tensor<2x12x2x16xf32>, tensor<2x12x2x16xf32>) -> (tensor<2x8x6x16xf32>) arena 0 {
  // acceld.fusion (line 17)
  attention f32 -> f32 batch [3, 2, 2] queries=8 keys=12 depth=16 features=16 scale=1 query [16, 768, 48, 96, 1] key [0, 384, 16, 32, 1] value [0, 384, 16, 32, 1] output [16, 768, 48, 96, 1] from (argument0[0:6144], argument1[0:3072], argument2[0:3072]) to result0[0:6144]
}
constants 0 bytes
