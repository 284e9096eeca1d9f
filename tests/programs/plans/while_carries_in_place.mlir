// A loop: the carried values live in the places of its results, the initial value is copied once.
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
      %1 = stablehlo.sine %v : tensor<256xf32>
      stablehlo.return %j, %1 : tensor<i32>, tensor<256xf32>
    }
  return %0#1 : tensor<256xf32>
}
// expect
function main(tensor<256xf32>) -> (tensor<256xf32>) arena 128 {
  // initial value
  copy constant0[0:4] -> arena0[0:4]
  // initial value
  copy argument0[0:1024] -> result0[0:1024]
  // stablehlo.while (line 5)
  while {
    // acceld.fusion (line 8)
    launch fusion_compare_0(arena0[0:4], arena0[64:65])
  } arena0[64:65] do {
    // acceld.fusion (line 12)
    launch fusion_add_1(arena0[0:4], arena0[0:4])
    // stablehlo.sine (line 13)
    launch sine_2(result0[0:1024], result0[0:1024])
  }
}
result0 may be argument0
constants 4 bytes
