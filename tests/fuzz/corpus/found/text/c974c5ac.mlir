// Loops o// run: fuse
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>) {
  %0 = stablehlo.add %x, %y : tensor<4096xf32>
  %1 = stablehlo.sine %0 : tensor<4096xf34096xf32>
  }
}
