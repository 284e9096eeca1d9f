// What was just written at the same place is read: the update itself. At another place the array is read.
// run: canonicalize
func.func @main(%x: tensor<8x9xf32>, %u: tensor<1x9xf32>, %i: tensor<i32>, %j: tensor<i32>) -> (tensor<1x9xf32>, tensor<1x9xf32>) {
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %j : (tensor<8x9xf32>, tensor<1x9xf32>, tensor<i32>, tensor<i32>) -> tensor<8x9xf32>
  %1 = stablehlo.dynamic_slice %0, %i, %j, sizes = [1, 9] : (tensor<8x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  %2 = stablehlo.dynamic_slice %0, %j, %i, sizes = [1, 9] : (tensor<8x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
  return %1, %2 : tensor<1x9xf32>, tensor<1x9xf32>
}
// expect
module {
  func.func public @main(%0: tensor<8x9xf32>, %1: tensor<1x9xf32>, %2: tensor<i32>, %3: tensor<i32>) -> (tensor<1x9xf32>, tensor<1x9xf32>) {
    %4 = stablehlo.dynamic_update_slice %0, %1, %2, %3 : (tensor<8x9xf32>, tensor<1x9xf32>, tensor<i32>, tensor<i32>) -> tensor<8x9xf32>
    %5 = stablehlo.dynamic_slice %4, %3, %2, sizes = [1, 9] : (tensor<8x9xf32>, tensor<i32>, tensor<i32>) -> tensor<1x9xf32>
    return %1, %5 : tensor<1x9xf32>, tensor<1x9xf32>
  }
}
