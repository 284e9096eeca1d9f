// A fill that is scaled is another fill.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x12xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x12xi32>
  %keeps = stablehlo.compare GE, %i, %j, SIGNED : (tensor<8x12xi32>, tensor<8x12xi32>) -> tensor<8x12xi1>
  %kb = stablehlo.broadcast_in_dim %keeps, dims = [1, 2] : (tensor<8x12xi1>) -> tensor<2x8x12xi1>
  %fill = stablehlo.constant dense<-1.0e9> : tensor<2x8x12xf32>
  %s00 = stablehlo.select %kb, %s0, %fill : tensor<2x8x12xi1>, tensor<2x8x12xf32>
  %c = stablehlo.constant dense<0.25> : tensor<f32>
  %cb = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<2x8x12xf32>
  %s = stablehlo.multiply %s00, %cb : tensor<2x8x12xf32>
  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%s init: %ninf) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %d = stablehlo.subtract %s, %mb : tensor<2x8x12xf32>
  %e = stablehlo.exponential %d : tensor<2x8x12xf32>
  %z = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %zb = stablehlo.broadcast_in_dim %z, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %p = stablehlo.divide %e, %zb : tensor<2x8x12xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
  return %o : tensor<2x8x20xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x16xf32>, %1: tensor<2x12x16xf32>, %2: tensor<2x12x20xf32>) -> tensor<2x8x20xf32> {
    %3 = stablehlo.dot_general %0, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
    %4 = stablehlo.iota dim = 0 : tensor<8x12xi32>
    %5 = stablehlo.iota dim = 1 : tensor<8x12xi32>
    %6 = stablehlo.compare GE, %4, %5, SIGNED : (tensor<8x12xi32>, tensor<8x12xi32>) -> tensor<8x12xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1, 2] : (tensor<8x12xi1>) -> tensor<2x8x12xi1>
    %8 = stablehlo.constant dense<-1.0e+09> : tensor<2x8x12xf32>
    %9 = stablehlo.select %7, %3, %8 : tensor<2x8x12xi1>, tensor<2x8x12xf32>
    %10 = stablehlo.constant dense<0.25> : tensor<f32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<2x8x12xf32>
    %12 = stablehlo.multiply %9, %11 : tensor<2x8x12xf32>
    %13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %14 = stablehlo.constant dense<0.0> : tensor<f32>
    %15 = "stablehlo.reduce"(%12, %13) <{dimensions = array<i64: 2>}> ({
    ^bb0(%16: tensor<f32>, %17: tensor<f32>):
      %18 = stablehlo.maximum %16, %17 : tensor<f32>
      stablehlo.return %18 : tensor<f32>
    }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
    %19 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
    %20 = stablehlo.subtract %12, %19 : tensor<2x8x12xf32>
    %21 = stablehlo.exponential %20 : tensor<2x8x12xf32>
    %22 = "stablehlo.reduce"(%21, %14) <{dimensions = array<i64: 2>}> ({
    ^bb0(%23: tensor<f32>, %24: tensor<f32>):
      %25 = stablehlo.add %23, %24 : tensor<f32>
      stablehlo.return %25 : tensor<f32>
    }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
    %26 = stablehlo.broadcast_in_dim %22, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
    %27 = stablehlo.divide %21, %26 : tensor<2x8x12xf32>
    %28 = stablehlo.dot_general %27, %2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %28 : tensor<2x8x20xf32>
  }
}
