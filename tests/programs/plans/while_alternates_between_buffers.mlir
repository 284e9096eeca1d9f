// Each iteration reads all of the value that it computes: two buffers take turns, and what a loop of an
// odd number of iterations leaves in the second is copied at its end.
// run: pipeline, plan
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<256xf32>
    cond {
      %n = stablehlo.constant dense<100> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %r = stablehlo.reverse %v, dims = [0] : tensor<256xf32>
      %1 = stablehlo.add %r, %v : tensor<256xf32>
      stablehlo.return %j, %1 : tensor<i32>, tensor<256xf32>
    }
  return %0#1 : tensor<256xf32>
}
// expect
