// A scan writes one row of its output in each iteration, in place.
// run: pipeline, plan
func.func @main(%xs: tensor<6x32xf32>) -> tensor<6x32xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %zf = stablehlo.constant dense<0.0> : tensor<f32>
  %ys0 = stablehlo.broadcast_in_dim %zf, dims = [] : (tensor<f32>) -> tensor<6x32xf32>
  %0:2 = stablehlo.while(%i = %c0, %ys = %ys0) : tensor<i32>, tensor<6x32xf32>
    cond {
      %n = stablehlo.constant dense<6> : tensor<i32>
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %z = stablehlo.constant dense<0> : tensor<i32>
      %row = stablehlo.dynamic_slice %xs, %i, %z, sizes = [1, 32] : (tensor<6x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
      %t = stablehlo.tanh %row : tensor<1x32xf32>
      %w = stablehlo.dynamic_update_slice %ys, %t, %i, %z : (tensor<6x32xf32>, tensor<1x32xf32>, tensor<i32>, tensor<i32>) -> tensor<6x32xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %w : tensor<i32>, tensor<6x32xf32>
    }
  return %0#1 : tensor<6x32xf32>
}
// expect
function main(tensor<6x32xf32>) -> (tensor<6x32xf32>) arena 192 {
  // initial value
  copy constant0[0:4] -> arena0[0:4]
  // stablehlo.while (line 7)
  while {
    // acceld.fusion (line 10)
    launch fusion_compare_0(arena0[0:4], arena0[64:65])
  } arena0[64:65] do {
    // acceld.fusion (line 16)
    launch fusion_tanh_1(argument0[0:768], arena0[0:4], constant0[0:4], arena0[64:192])
    // stablehlo.dynamic_update_slice (line 17)
    launch dynamic_update_slice_2_update(result0[0:768], arena0[64:192], arena0[0:4], constant0[0:4], result0[0:768])
    // acceld.fusion (line 18)
    launch fusion_add_3(arena0[0:4], arena0[0:4])
  }
}
constants 4 bytes
