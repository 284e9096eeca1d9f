// A value that goes through an inner loop unchanged leaves both loops; a branch in the body reads it from outside.
// run: hoist-invariants
func.func @main(%w: tensor<4xf32>, %x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %0:3 = "stablehlo.while"(%x, %w, %p) ({
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %q: tensor<i1>):
    stablehlo.return %q : tensor<i1>
  }, {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %q: tensor<i1>):
    %1:3 = "stablehlo.while"(%a, %b, %q) ({
    ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>, %r: tensor<i1>):
      stablehlo.return %r : tensor<i1>
    }, {
    ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>, %r: tensor<i1>):
      %2 = "stablehlo.if"(%r) ({
        stablehlo.return %d : tensor<4xf32>
      }, {
        stablehlo.return %c : tensor<4xf32>
      }) : (tensor<i1>) -> tensor<4xf32>
      %3 = stablehlo.not %r : tensor<i1>
      stablehlo.return %2, %d, %3 : tensor<4xf32>, tensor<4xf32>, tensor<i1>
    }) : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i1>)
    stablehlo.return %1#0, %1#1, %1#2 : tensor<4xf32>, tensor<4xf32>, tensor<i1>
  }) : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>, tensor<i1>)
  return %0#0 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<4xf32>, %2: tensor<i1>) -> tensor<4xf32> {
    %3:2 = "stablehlo.while"(%1, %2) ({
    ^bb0(%4: tensor<4xf32>, %5: tensor<i1>):
      stablehlo.return %5 : tensor<i1>
    }, {
    ^bb0(%6: tensor<4xf32>, %7: tensor<i1>):
      %8:2 = "stablehlo.while"(%6, %7) ({
      ^bb0(%9: tensor<4xf32>, %10: tensor<i1>):
        stablehlo.return %10 : tensor<i1>
      }, {
      ^bb0(%11: tensor<4xf32>, %12: tensor<i1>):
        %13 = "stablehlo.if"(%12) ({
          stablehlo.return %0 : tensor<4xf32>
        }, {
          stablehlo.return %11 : tensor<4xf32>
        }) : (tensor<i1>) -> tensor<4xf32>
        %14 = stablehlo.not %12 : tensor<i1>
        stablehlo.return %13, %14 : tensor<4xf32>, tensor<i1>
      }) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
      stablehlo.return %8#0, %8#1 : tensor<4xf32>, tensor<i1>
    }) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
    return %3#0 : tensor<4xf32>
  }
}
