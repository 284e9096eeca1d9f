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
function main(tensor<256xf32>) -> (tensor<256xf32>) arena 1152 {
  // initial value
  copy constant0[0:4] -> arena0[0:4]
  // initial value
  copy argument0[0:1024] -> result0[0:1024]
  // stablehlo.while (line 6)
  while {
    // acceld.fusion (line 9)
    launch fusion_compare_0(arena0[0:4], arena0[1088:1089])
  } arena0[1088:1089] do {
    // acceld.fusion (line 13)
    launch fusion_add_1(arena0[0:4], arena0[0:4])
    // acceld.fusion (line 15)
    launch fusion_add_2(result0[0:1024], arena0[64:1088])
    // acceld.fusion (line 9)
    launch fusion_compare_0(arena0[0:4], arena0[1088:1089])
    // the next iteration
    if arena0[1088:1089] {
      // acceld.fusion (line 13)
      launch fusion_add_1(arena0[0:4], arena0[0:4])
      // acceld.fusion (line 15)
      launch fusion_add_2(arena0[64:1088], result0[0:1024])
    } {
      // results
      copy arena0[64:1088] -> result0[0:1024]
    }
  }
}
result0 may be argument0
constants 4 bytes
