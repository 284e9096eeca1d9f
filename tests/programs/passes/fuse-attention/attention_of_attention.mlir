// The second takes the result of the first, which stays what it is.
// run: fuse-attention
// target: cuda
func.func @main(%q: tensor<2x8x16xf32>, %k: tensor<2x12x16xf32>, %v: tensor<2x12x20xf32>, %k2: tensor<2x12x20xf32>, %v2: tensor<2x12x20xf32>) -> (tensor<2x8x20xf32>) {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
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
  %s_ = stablehlo.dot_general %o, %k2, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x20xf32>, tensor<2x12x20xf32>) -> tensor<2x8x12xf32>
  %ninf_ = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero_ = stablehlo.constant dense<0.0> : tensor<f32>
  %m_ = stablehlo.reduce(%s_ init: %ninf_) applies stablehlo.maximum across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %mb_ = stablehlo.broadcast_in_dim %m_, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %d_ = stablehlo.subtract %s_, %mb_ : tensor<2x8x12xf32>
  %e_ = stablehlo.exponential %d_ : tensor<2x8x12xf32>
  %z_ = stablehlo.reduce(%e_ init: %zero_) applies stablehlo.add across dimensions = [2] : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
  %zb_ = stablehlo.broadcast_in_dim %z_, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
  %p_ = stablehlo.divide %e_, %zb_ : tensor<2x8x12xf32>
  %o_ = stablehlo.dot_general %p_, %v2, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
  return %o_ : tensor<2x8x20xf32>
}
// expect
module {
  func.func public @main(%0: tensor<2x8x16xf32>, %1: tensor<2x12x16xf32>, %2: tensor<2x12x20xf32>, %3: tensor<2x12x20xf32>, %4: tensor<2x12x20xf32>) -> tensor<2x8x20xf32> {
    %5 = "acceld.fusion"(%0, %1, %2) <{kind = attention}> ({
    ^bb0(%6: tensor<2x8x16xf32>, %7: tensor<2x12x16xf32>, %8: tensor<2x12x20xf32>):
      %9 = stablehlo.dot_general %6, %7, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x16xf32>, tensor<2x12x16xf32>) -> tensor<2x8x12xf32>
      %10 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %11 = stablehlo.constant dense<0.0> : tensor<f32>
      %12 = "stablehlo.reduce"(%9, %10) <{dimensions = array<i64: 2>}> ({
      ^bb0(%13: tensor<f32>, %14: tensor<f32>):
        %15 = stablehlo.maximum %13, %14 : tensor<f32>
        stablehlo.return %15 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %16 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %17 = stablehlo.subtract %9, %16 : tensor<2x8x12xf32>
      %18 = stablehlo.exponential %17 : tensor<2x8x12xf32>
      %19 = "stablehlo.reduce"(%18, %11) <{dimensions = array<i64: 2>}> ({
      ^bb0(%20: tensor<f32>, %21: tensor<f32>):
        %22 = stablehlo.add %20, %21 : tensor<f32>
        stablehlo.return %22 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %23 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %24 = stablehlo.divide %18, %23 : tensor<2x8x12xf32>
      %25 = stablehlo.dot_general %24, %8, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
      stablehlo.return %25 : tensor<2x8x20xf32>
    }) : (tensor<2x8x16xf32>, tensor<2x12x16xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    %26 = "acceld.fusion"(%5, %3, %4) <{kind = attention}> ({
    ^bb0(%27: tensor<2x8x20xf32>, %28: tensor<2x12x20xf32>, %29: tensor<2x12x20xf32>):
      %30 = stablehlo.dot_general %27, %28, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x8x20xf32>, tensor<2x12x20xf32>) -> tensor<2x8x12xf32>
      %31 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %32 = stablehlo.constant dense<0.0> : tensor<f32>
      %33 = "stablehlo.reduce"(%30, %31) <{dimensions = array<i64: 2>}> ({
      ^bb0(%34: tensor<f32>, %35: tensor<f32>):
        %36 = stablehlo.maximum %34, %35 : tensor<f32>
        stablehlo.return %36 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %37 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %38 = stablehlo.subtract %30, %37 : tensor<2x8x12xf32>
      %39 = stablehlo.exponential %38 : tensor<2x8x12xf32>
      %40 = "stablehlo.reduce"(%39, %32) <{dimensions = array<i64: 2>}> ({
      ^bb0(%41: tensor<f32>, %42: tensor<f32>):
        %43 = stablehlo.add %41, %42 : tensor<f32>
        stablehlo.return %43 : tensor<f32>
      }) : (tensor<2x8x12xf32>, tensor<f32>) -> tensor<2x8xf32>
      %44 = stablehlo.broadcast_in_dim %40, dims = [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x12xf32>
      %45 = stablehlo.divide %39, %44 : tensor<2x8x12xf32>
      %46 = stablehlo.dot_general %45, %29, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x12xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
      stablehlo.return %46 : tensor<2x8x20xf32>
    }) : (tensor<2x8x20xf32>, tensor<2x12x20xf32>, tensor<2x12x20xf32>) -> tensor<2x8x20xf32>
    return %26 : tensor<2x8x20xf32>
  }
}
