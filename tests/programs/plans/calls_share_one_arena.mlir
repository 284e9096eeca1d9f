// Two calls of a function with a temporary: the callee's arena is a part of the caller's, used twice.
// run: plan
func.func @main(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = call @twice(%x) : (tensor<256xf32>) -> tensor<256xf32>
  %1 = call @twice(%0) : (tensor<256xf32>) -> tensor<256xf32>
  return %1 : tensor<256xf32>
}
func.func private @twice(%x: tensor<256xf32>) -> tensor<256xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<256xf32>
  %1 = stablehlo.reverse %0, dims = [0] : tensor<256xf32>
  return %1 : tensor<256xf32>
}
// expect
function main(tensor<256xf32>) -> (tensor<256xf32>) arena 2048 {
  // call @twice
  call twice(argument0[0:1024]) -> (arena0[0:1024]) arena arena0[1024:2048]
  // call @twice
  call twice(arena0[0:1024]) -> (result0[0:1024]) arena arena0[1024:2048]
}
function twice(tensor<256xf32>) -> (tensor<256xf32>) arena 1024 {
  // stablehlo.reverse (line 9)
  launch reverse_0(argument0[0:1024], arena0[0:1024])
  // stablehlo.reverse (line 10)
  launch reverse_0(arena0[0:1024], result0[0:1024])
}
result0 may be argument0
constants 0 bytes
