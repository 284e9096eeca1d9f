// Scores are sums of nothing.
// run: fuse-attention
// target: cuda
func.func @main(%x: tensor<0x4xf32>, %k: tensor<6x0xf32>, %v: tensor<6x8xf32>) -> (tensor<4x8xf32>) {
  %q = stablehlo.reshape %x : (tensor<0x4xf32>) -> tensor<4x0xf32>
  %s0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<4x0xf32>, tensor<6x0xf32>) -> tensor<4x6xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s0 init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %d = stablehlo.subtract %s0, %mb : tensor<4x6xf32>
  %e = stablehlo.exponential %d : tensor<4x6xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
  %p = stablehlo.divide %e, %zb : tensor<4x6xf32>
  %o = stablehlo.dot_general %p, %v, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %o : tensor<4x8xf32>
}
// expect
module {
  func.func public @main(%0: tensor<0x4xf32>, %1: tensor<6x0xf32>, %2: tensor<6x8xf32>) -> tensor<4x8xf32> {
    %3 = stablehlo.reshape %0 : (tensor<0x4xf32>) -> tensor<4x0xf32>
    %4 = stablehlo.dot_general %3, %1, contracting_dims = [1] x [1] : (tensor<4x0xf32>, tensor<6x0xf32>) -> tensor<4x6xf32>
    %5 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %6 = stablehlo.constant dense<0.0> : tensor<f32>
    %7 = "stablehlo.reduce"(%4, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%8: tensor<f32>, %9: tensor<f32>):
      %10 = stablehlo.maximum %8, %9 : tensor<f32>
      stablehlo.return %10 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %11 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %12 = stablehlo.subtract %4, %11 : tensor<4x6xf32>
    %13 = stablehlo.exponential %12 : tensor<4x6xf32>
    %14 = "stablehlo.reduce"(%13, %6) <{dimensions = array<i64: 1>}> ({
    ^bb0(%15: tensor<f32>, %16: tensor<f32>):
      %17 = stablehlo.add %15, %16 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %18 = stablehlo.broadcast_in_dim %14, dims = [0] : (tensor<4xf32>) -> tensor<4x6xf32>
    %19 = stablehlo.divide %13, %18 : tensor<4x6xf32>
    %20 = stablehlo.dot_general %19, %2, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    return %20 : tensor<4x8xf32>
  }
}
