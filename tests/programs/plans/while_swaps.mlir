// Two carried values that change places: one temporary breaks the cycle.
// run: pipeline, plan
func.func @main(%a: tensor<256xf32>, %b: tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %c0, %x = %a, %y = %b) : tensor<i32>, tensor<256xf32>, tensor<256xf32>
    cond {
      %n = stablehlo.constant dense<30> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %y, %x : tensor<i32>, tensor<256xf32>, tensor<256xf32>
    }
  return %0#1, %0#2 : tensor<256xf32>, tensor<256xf32>
}
// expect
function main(tensor<256xf32>, tensor<256xf32>) -> (tensor<256xf32>, tensor<256xf32>) arena 1088 {
  // initial value
  copy constant0[0:4] -> arena0[0:4]
  // initial value
  copy argument0[0:1024] -> result0[0:1024]
  // initial value
  copy argument1[0:1024] -> result1[0:1024]
  // stablehlo.while (line 5)
  while {
    // acceld.fusion (line 8)
    launch fusion_compare_0(arena0[0:4], arena0[64:65])
  } arena0[64:65] do {
    // acceld.fusion (line 12)
    launch fusion_add_1(arena0[0:4], arena0[0:4])
    // results
    copy result0[0:1024] -> arena0[64:1088]
    // results
    copy result1[0:1024] -> result0[0:1024]
    // results
    copy arena0[64:1088] -> result1[0:1024]
  }
}
result0 may be argument0
result1 may be argument1
constants 4 bytes
