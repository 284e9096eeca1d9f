
  sdy.mesh @mesh = <["a"=0]>
  func.func @main(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x5xf32>, %i: tensor<i32>) -> tensor<1x3x2xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], c2ntracting_dims = [2] x [1], pblehlo.slice 
  }
}
