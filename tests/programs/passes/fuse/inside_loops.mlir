// The body of a loop is fused by itself.
// run: fuse
func.func @main(%n: tensor<i32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %c0, %v = %x) : tensor<i32>, tensor<64xf32>
    cond {
      %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %1 = stablehlo.sine %v : tensor<64xf32>
      %2 = stablehlo.add %1, %x : tensor<64xf32>
      stablehlo.return %j, %2 : tensor<i32>, tensor<64xf32>
    }
  return %0#1 : tensor<64xf32>
}
// expect
module {
  func.func public @main(%0: tensor<i32>, %1: tensor<64xf32>) -> tensor<64xf32> {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3:2 = "stablehlo.while"(%2, %1) ({
    ^bb0(%4: tensor<i32>, %5: tensor<64xf32>):
      %6 = stablehlo.compare LT, %4, %0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %6 : tensor<i1>
    }, {
    ^bb0(%7: tensor<i32>, %8: tensor<64xf32>):
      %9 = "acceld.fusion"(%7) ({
      ^bb0(%10: tensor<i32>):
        %11 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %10, %11 : tensor<i32>
        stablehlo.return %12 : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %13 = "acceld.fusion"(%8, %1) ({
      ^bb0(%14: tensor<64xf32>, %15: tensor<64xf32>):
        %16 = stablehlo.sine %14 : tensor<64xf32>
        %17 = stablehlo.add %16, %15 : tensor<64xf32>
        stablehlo.return %17 : tensor<64xf32>
      }) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
      stablehlo.return %9, %13 : tensor<i32>, tensor<64xf32>
    }) : (tensor<i32>, tensor<64xf32>) -> (tensor<i32>, tensor<64xf32>)
    return %3#1 : tensor<64xf32>
  }
}
