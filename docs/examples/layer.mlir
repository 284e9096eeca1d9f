// One layer of a neural network: tanh(x w + b).
func.func @main(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>,
                %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
       : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1]
       : (tensor<2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x2xf32>
  %3 = stablehlo.tanh %2 : tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}
