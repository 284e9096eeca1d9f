// A product of transposed opeof transposed operan, plan
func.func @main(%a: tensor<40x50xf32>, %b: tensor<60x50xf32>) -> tensor<40x60xf32> {
  %t = stablehlo.transpose %b, dims = [1, 0] : () -> tensor<50