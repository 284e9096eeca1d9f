// Host callbacks with effects stay though nobody needs what they give, with what they are given, and
// so do the loops, branches and calls around them; those without effects go.
// run: flatten-values, cse, dce
func.func @main(%x: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %t = stablehlo.create_token : !stablehlo.token
  %unused = stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 1 : i64} : (tensor<f32>) -> tensor<f32>
  %0 = func.call @noted(%x) : (tensor<f32>) -> tensor<f32>
  %1 = func.call @noted(%x) : (tensor<f32>) -> tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:4 = stablehlo.while(%i = %zero, %y = %x, %z = %x, %k = %t) : tensor<i32>, tensor<f32>, tensor<f32>, !stablehlo.token
  cond {
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %k1 = stablehlo.custom_call @acceld.host_callback(%k, %y) {acceld.callback = 2 : i64, has_side_effect = true} : (!stablehlo.token, tensor<f32>) -> !stablehlo.token
    %y1 = stablehlo.add %y, %x : tensor<f32>
    %z1 = stablehlo.multiply %z, %x : tensor<f32>
    %i1 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %i1, %y1, %z1, %k1 : tensor<i32>, tensor<f32>, tensor<f32>, !stablehlo.token
  }
  "stablehlo.case"(%n) ({
    stablehlo.return
  }, {
    stablehlo.custom_call @acceld.host_callback() {acceld.callback = 3 : i64, has_side_effect = true} : () -> ()
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return %x : tensor<f32>
}
func.func private @noted(%x: tensor<f32>) -> tensor<f32> {
  stablehlo.custom_call @acceld.host_callback(%x) {acceld.callback = 0 : i64, has_side_effect = true} : (tensor<f32>) -> ()
  return %x : tensor<f32>
}
// expect
module {
  func.func public @main(%0: tensor<f32>, %1: tensor<i32>) -> tensor<f32> {
    %2 = func.call @noted(%0) : (tensor<f32>) -> tensor<f32>
    %3 = func.call @noted(%0) : (tensor<f32>) -> tensor<f32>
    %4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.constant dense<1> : tensor<i32>
    %6:2 = "stablehlo.while"(%4, %0) ({
    ^bb0(%7: tensor<i32>, %8: tensor<f32>):
      %9 = stablehlo.compare LT, %7, %1 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%10: tensor<i32>, %11: tensor<f32>):
      stablehlo.custom_call @acceld.host_callback(%11) {api_version = 4 : i32, backend_config = {callback = 2 : i64}, has_side_effect = true} : (tensor<f32>) -> ()
      %12 = stablehlo.add %11, %0 : tensor<f32>
      %13 = stablehlo.add %10, %5 : tensor<i32>
      stablehlo.return %13, %12 : tensor<i32>, tensor<f32>
    }) : (tensor<i32>, tensor<f32>) -> (tensor<i32>, tensor<f32>)
    "stablehlo.case"(%1) ({
      stablehlo.return
    }, {
      stablehlo.custom_call @acceld.host_callback() {api_version = 4 : i32, backend_config = {callback = 3 : i64}, has_side_effect = true} : () -> ()
      stablehlo.return
    }) : (tensor<i32>) -> ()
    return %0 : tensor<f32>
  }
  func.func private @noted(%0: tensor<f32>) -> tensor<f32> {
    stablehlo.custom_call @acceld.host_callback(%0) {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true} : (tensor<f32>) -> ()
    return %0 : tensor<f32>
  }
}
