// Bias, residual and ReLU are part of the step; the result takes the place of a residual that dies.
// run: pipeline, plan
// target: cuda
func.func @main(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %bias: tensor<1x4xf32>, %r: tensor<8x4xf32>, %m: tensor<4x4xf32>) -> (tensor<8x4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %v = stablehlo.broadcast_in_dim %bias, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.add %0, %v : tensor<8x4xf32>
  %e = stablehlo.dot_general %r, %m, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.add %1, %e : tensor<8x4xf32>
  %3 = stablehlo.maximum %2, %zeros : tensor<8x4xf32>
  %4 = stablehlo.dot_general %3, %m, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}
// expect
function main(tensor<8x16xf32>, tensor<16x4xf32>, tensor<1x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>) -> (tensor<8x4xf32>) arena 128 {
  // stablehlo.dot_general (line 10)
  matmul f32 -> f32 b=1 m=8 n=4 k=4 lhs argument3[0:128] strides [32, 4, 1] rhs argument4[0:64] strides [16, 4, 1] -> arena0[0:128]
  // acceld.fusion (line 12)
  matmul f32 -> f32 b=1 m=8 n=4 k=16 lhs argument0[0:512] strides [128, 16, 1] rhs argument1[0:256] strides [64, 4, 1] -> arena0[0:128] + 1 * arena0[0:128] + bias argument2[0:16] relu
  // stablehlo.dot_general (line 13)
  matmul f32 -> f32 b=1 m=8 n=4 k=4 lhs arena0[0:128] strides [32, 4, 1] rhs argument4[0:64] strides [16, 4, 1] -> result0[0:128]
}
result0 may be argument3
constants 0 bytes
