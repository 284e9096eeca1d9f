// Values that change places are no invariants.
// run: hoist-invariants
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %p: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:3 = "stablehlo.while"(%x, %y, %p) ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %q: tensor<i1>):
    stablehlo.return %q : tensor<i1>
  }, {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %q: tensor<i1>):
    %1 = stablehlo.not %q : tensor<i1>
    stablehlo.return %b, %a, %1 : tensor<4xf32>, tensor<4xf32>, tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i1>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xf32>, %2: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
    %3:3 = "stablehlo.while"(%0, %1, %2) ({
    ^bb0(%4: tensor<4xf32>, %5: tensor<4xf32>, %6: tensor<i1>):
      stablehlo.return %6 : tensor<i1>
    }, {
    ^bb0(%7: tensor<4xf32>, %8: tensor<4xf32>, %9: tensor<i1>):
      %10 = stablehlo.not %9 : tensor<i1>
      stablehlo.return %8, %7, %10 : tensor<4xf32>, tensor<4xf32>, tensor<i1>
    }) : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i1>)
    return %3#0, %3#1 : tensor<4xf32>, tensor<4xf32>
  }
}
