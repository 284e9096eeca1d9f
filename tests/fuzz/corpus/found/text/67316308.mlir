module {
  sdy.mesh @mesh = <["a"=2]>
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %i: tensor<i32>) -> tensor<1x3x2xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [HIGHEST, DEFAULT] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [all @Sharding(%3) {api_version = 4 3x2xf32>
  }
}
