// Narrow floats, whose sums are f32; long dimensions; reducers of more than one op; single
// results; and elements that are in memory anyway.
// run: unroll-reductions
func.func @main(%n: tensor<100x3xbf16>, %l: tensor<100x5xf32>, %x: tensor<100x3xf32>, %v: tensor<3xf32>, %narrow: tensor<bf16>, %zero: tensor<f32>) -> (tensor<100xbf16>, tensor<100xf32>, tensor<5xf32>, tensor<100xf32>, tensor<f32>, tensor<100x3xf32>, tensor<100xf32>, tensor<100xf32>) {
  %0 = stablehlo.reduce(%n init: %narrow) applies stablehlo.add across dimensions = [1] : (tensor<100x3xbf16>, tensor<bf16>) -> tensor<100xbf16>
  %1 = stablehlo.reduce(%l init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x5xf32>, tensor<f32>) -> tensor<100xf32>
  %2 = stablehlo.reduce(%l init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<100x5xf32>, tensor<f32>) -> tensor<5xf32>
  %3 = stablehlo.reduce(%x init: %zero) across dimensions = [1] : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
    reducer(%a: tensor<f32>, %b: tensor<f32>) {
      %5 = stablehlo.abs %b : tensor<f32>
      %6 = stablehlo.add %a, %5 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }
  %4 = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  %6 = stablehlo.negate %x : tensor<100x3xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
  %8 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
  return %0, %1, %2, %3, %4, %6, %7, %8 : tensor<100xbf16>, tensor<100xf32>, tensor<5xf32>, tensor<100xf32>, tensor<f32>, tensor<100x3xf32>, tensor<100xf32>, tensor<100xf32>
}
// expect
module {
  func.func public @main(%0: tensor<100x3xbf16>, %1: tensor<100x5xf32>, %2: tensor<100x3xf32>, %3: tensor<3xf32>, %4: tensor<bf16>, %5: tensor<f32>) -> (tensor<100xbf16>, tensor<100xf32>, tensor<5xf32>, tensor<100xf32>, tensor<f32>, tensor<100x3xf32>, tensor<100xf32>, tensor<100xf32>) {
    %6 = "stablehlo.reduce"(%0, %4) <{dimensions = array<i64: 1>}> ({
    ^bb0(%7: tensor<bf16>, %8: tensor<bf16>):
      %9 = stablehlo.add %7, %8 : tensor<bf16>
      stablehlo.return %9 : tensor<bf16>
    }) : (tensor<100x3xbf16>, tensor<bf16>) -> tensor<100xbf16>
    %10 = "stablehlo.reduce"(%1, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%11: tensor<f32>, %12: tensor<f32>):
      %13 = stablehlo.add %11, %12 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<100x5xf32>, tensor<f32>) -> tensor<100xf32>
    %14 = "stablehlo.reduce"(%1, %5) <{dimensions = array<i64: 0>}> ({
    ^bb0(%15: tensor<f32>, %16: tensor<f32>):
      %17 = stablehlo.add %15, %16 : tensor<f32>
      stablehlo.return %17 : tensor<f32>
    }) : (tensor<100x5xf32>, tensor<f32>) -> tensor<5xf32>
    %18 = "stablehlo.reduce"(%2, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%19: tensor<f32>, %20: tensor<f32>):
      %21 = stablehlo.abs %20 : tensor<f32>
      %22 = stablehlo.add %19, %21 : tensor<f32>
      stablehlo.return %22 : tensor<f32>
    }) : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
    %23 = "stablehlo.reduce"(%3, %5) <{dimensions = array<i64: 0>}> ({
    ^bb0(%24: tensor<f32>, %25: tensor<f32>):
      %26 = stablehlo.add %24, %25 : tensor<f32>
      stablehlo.return %26 : tensor<f32>
    }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %27 = stablehlo.negate %2 : tensor<100x3xf32>
    %28 = "stablehlo.reduce"(%27, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%29: tensor<f32>, %30: tensor<f32>):
      %31 = stablehlo.add %29, %30 : tensor<f32>
      stablehlo.return %31 : tensor<f32>
    }) : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
    %32 = "stablehlo.reduce"(%2, %5) <{dimensions = array<i64: 1>}> ({
    ^bb0(%33: tensor<f32>, %34: tensor<f32>):
      %35 = stablehlo.add %33, %34 : tensor<f32>
      stablehlo.return %35 : tensor<f32>
    }) : (tensor<100x3xf32>, tensor<f32>) -> tensor<100xf32>
    return %6, %10, %14, %18, %23, %27, %28, %32 : tensor<100xbf16>, tensor<100xf32>, tensor<5xf32>, tensor<100xf32>, tensor<f32>, tensor<100x3xf32>, tensor<100xf32>, tensor<100xf32>
  }
}
