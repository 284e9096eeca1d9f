// Positions that are compared are no operands.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>) {
  %s0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
  %i = stablehlo.iota dim = 0 : tensor<8x12xi32>
  %j = stablehlo.iota dim = 1 : tensor<8x12xi32>
  %keeps = stablehlo.compare GE, %i, %j, SIGNED : (tensor<8x12xi32>, tensor<8x12xi32>) -> tensor<8x12xi1>
  %kb = stablehlo.broadcast_in_dim %keeps, dims = [1, 2] : (tensor<8x12xi1>) -> tensor<2x8x12xi1>
  %fill = stablehlo.constant dense<-1.0e9> : tensor<2x8x12xf32>
  %s = stablehlo.select %kb, %s0, %fill : tensor<2x8x12xi1>, tensor<2x8x12xf32>
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
    %3 = "acceld.fusion"(%0, %1, %2) <{kind = attention}> ({
    ^bb0(%4: tensor<2x8x16xf32>, %5: tensor<2x12x16xf32>, %6: tensor<2x12x20xf32>):
      %7 = stablehlo.dot_general %4, %5, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
      %8 = stablehlo.iota dim = 0 : tensor<8x12xi32>
      %9 = stablehlo.iota dim = 1 : tensor<8x12xi32>
      %10 = stablehlo.compare GE, %8, %9, SIGNED : (tensor<8x12xi32>, tensor<8x12xi32>) -> tensor<8x12xi1>
      %11 = stablehlo.broadcast_in_dim %10, dims = [1, 2] : (tensor<8x12xi1>) -> tensor<2x8x12xi1>
      %12 = stablehlo.constant dense<-1.0e+09> : tensor<2x8x12xf32>
      %13 = stablehlo.select %11, %7, %12 : tensor<2x8x12xi1>, tensor<2x8x12xf32>
      %14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %15 = stablehlo.constant dense<0.0> : tensor<f32>
      %16 = "stablehlo.reduce"(%13, %14) <{dimensions = array<i64: 2>}> ({
      ^bb0(%17: tensor<f32>, %18: tensor<f32>):
        %19 = stablehlo.maximum %17, %18 : tensor<f32>
        stablehlo.return %19 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %20 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %21 = stablehlo.subtract %13, %20 : tensor<2x8x12xf32>
      %22 = stablehlo.exponential %21 : tensor<2x8x12xf32>
      %23 = "stablehlo.reduce"(%22, %15) <{dimensions = array<i64: 2>}> ({
      ^bb0(%24: tensor<f32>, %25: tensor<f32>):
        %26 = stablehlo.add %24, %25 : tensor<f32>
        stablehlo.return %26 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %27 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %28 = stablehlo.divide %22, %27 : tensor<2x8x12xf32>
      %29 = stablehlo.dot_general %28, %6, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
      stablehlo.return %29 : tensor<2x8x20xf32>
    }) : (tensor<2x8x16xf32>, tensor<2x12x16xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %3 : tensor<2x8x20xf32>
  }
}
