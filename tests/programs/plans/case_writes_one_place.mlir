// All branches write the result of the conditional; only one of their temporaries exists at a time.
// run: plan
func.func @main(%i: tensor<i32>, %x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %x : tensor<256xf32>
    stablehlo.return %1 : tensor<256xf32>
  }, {
    %2 = stablehlo.reverse %x, dims = [0] : tensor<256xf32>
    %3 = stablehlo.reverse %2, dims = [0] : tensor<256xf32>
    stablehlo.return %3 : tensor<256xf32>
  }, {
    stablehlo.return %x : tensor<256xf32>
  }) : (tensor<i32>) -> tensor<256xf32>
  return %0 : tensor<256xf32>
}
// expect
function main(tensor<i32>, tensor<256xf32>) -> (tensor<256xf32>) arena 1024 {
  // stablehlo.case (line 4)
  switch argument0[0:4] {
    // stablehlo.negate (line 5)
    launch negate_0(argument1[0:1024], result0[0:1024])
  } {
    // stablehlo.reverse (line 8)
    launch reverse_1(argument1[0:1024], arena0[0:1024])
    // stablehlo.reverse (line 9)
    launch reverse_1(arena0[0:1024], result0[0:1024])
  } {
    // results
    copy argument1[0:1024] -> result0[0:1024]
  }
}
constants 0 bytes
