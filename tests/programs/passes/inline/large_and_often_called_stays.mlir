// Forty ops called from thirteen places are more than copies may cost: the calls stay.
// run: inline
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = call @large(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %c1 = call @large(%c0) : (tensor<4xf32>) -> tensor<4xf32>
  %c2 = call @large(%c1) : (tensor<4xf32>) -> tensor<4xf32>
  %c3 = call @large(%c2) : (tensor<4xf32>) -> tensor<4xf32>
  %c4 = call @large(%c3) : (tensor<4xf32>) -> tensor<4xf32>
  %c5 = call @large(%c4) : (tensor<4xf32>) -> tensor<4xf32>
  %c6 = call @large(%c5) : (tensor<4xf32>) -> tensor<4xf32>
  %c7 = call @large(%c6) : (tensor<4xf32>) -> tensor<4xf32>
  %c8 = call @large(%c7) : (tensor<4xf32>) -> tensor<4xf32>
  %c9 = call @large(%c8) : (tensor<4xf32>) -> tensor<4xf32>
  %c10 = call @large(%c9) : (tensor<4xf32>) -> tensor<4xf32>
  %c11 = call @large(%c10) : (tensor<4xf32>) -> tensor<4xf32>
  %c12 = call @large(%c11) : (tensor<4xf32>) -> tensor<4xf32>
  return %c12 : tensor<4xf32>
}
func.func private @large(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v0 = stablehlo.abs %x : tensor<4xf32>
  %v1 = stablehlo.negate %v0 : tensor<4xf32>
  %v2 = stablehlo.abs %v1 : tensor<4xf32>
  %v3 = stablehlo.negate %v2 : tensor<4xf32>
  %v4 = stablehlo.abs %v3 : tensor<4xf32>
  %v5 = stablehlo.negate %v4 : tensor<4xf32>
  %v6 = stablehlo.abs %v5 : tensor<4xf32>
  %v7 = stablehlo.negate %v6 : tensor<4xf32>
  %v8 = stablehlo.abs %v7 : tensor<4xf32>
  %v9 = stablehlo.negate %v8 : tensor<4xf32>
  %v10 = stablehlo.abs %v9 : tensor<4xf32>
  %v11 = stablehlo.negate %v10 : tensor<4xf32>
  %v12 = stablehlo.abs %v11 : tensor<4xf32>
  %v13 = stablehlo.negate %v12 : tensor<4xf32>
  %v14 = stablehlo.abs %v13 : tensor<4xf32>
  %v15 = stablehlo.negate %v14 : tensor<4xf32>
  %v16 = stablehlo.abs %v15 : tensor<4xf32>
  %v17 = stablehlo.negate %v16 : tensor<4xf32>
  %v18 = stablehlo.abs %v17 : tensor<4xf32>
  %v19 = stablehlo.negate %v18 : tensor<4xf32>
  %v20 = stablehlo.abs %v19 : tensor<4xf32>
  %v21 = stablehlo.negate %v20 : tensor<4xf32>
  %v22 = stablehlo.abs %v21 : tensor<4xf32>
  %v23 = stablehlo.negate %v22 : tensor<4xf32>
  %v24 = stablehlo.abs %v23 : tensor<4xf32>
  %v25 = stablehlo.negate %v24 : tensor<4xf32>
  %v26 = stablehlo.abs %v25 : tensor<4xf32>
  %v27 = stablehlo.negate %v26 : tensor<4xf32>
  %v28 = stablehlo.abs %v27 : tensor<4xf32>
  %v29 = stablehlo.negate %v28 : tensor<4xf32>
  %v30 = stablehlo.abs %v29 : tensor<4xf32>
  %v31 = stablehlo.negate %v30 : tensor<4xf32>
  %v32 = stablehlo.abs %v31 : tensor<4xf32>
  %v33 = stablehlo.negate %v32 : tensor<4xf32>
  %v34 = stablehlo.abs %v33 : tensor<4xf32>
  %v35 = stablehlo.negate %v34 : tensor<4xf32>
  %v36 = stablehlo.abs %v35 : tensor<4xf32>
  %v37 = stablehlo.negate %v36 : tensor<4xf32>
  %v38 = stablehlo.abs %v37 : tensor<4xf32>
  %v39 = stablehlo.negate %v38 : tensor<4xf32>
  return %v39 : tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = func.call @large(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = func.call @large(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = func.call @large(%2) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = func.call @large(%3) : (tensor<4xf32>) -> tensor<4xf32>
    %5 = func.call @large(%4) : (tensor<4xf32>) -> tensor<4xf32>
    %6 = func.call @large(%5) : (tensor<4xf32>) -> tensor<4xf32>
    %7 = func.call @large(%6) : (tensor<4xf32>) -> tensor<4xf32>
    %8 = func.call @large(%7) : (tensor<4xf32>) -> tensor<4xf32>
    %9 = func.call @large(%8) : (tensor<4xf32>) -> tensor<4xf32>
    %10 = func.call @large(%9) : (tensor<4xf32>) -> tensor<4xf32>
    %11 = func.call @large(%10) : (tensor<4xf32>) -> tensor<4xf32>
    %12 = func.call @large(%11) : (tensor<4xf32>) -> tensor<4xf32>
    %13 = func.call @large(%12) : (tensor<4xf32>) -> tensor<4xf32>
    return %13 : tensor<4xf32>
  }
  func.func private @large(%0: tensor<4xf32>) -> tensor<4xf32> {
    %1 = stablehlo.abs %0 : tensor<4xf32>
    %2 = stablehlo.negate %1 : tensor<4xf32>
    %3 = stablehlo.abs %2 : tensor<4xf32>
    %4 = stablehlo.negate %3 : tensor<4xf32>
    %5 = stablehlo.abs %4 : tensor<4xf32>
    %6 = stablehlo.negate %5 : tensor<4xf32>
    %7 = stablehlo.abs %6 : tensor<4xf32>
    %8 = stablehlo.negate %7 : tensor<4xf32>
    %9 = stablehlo.abs %8 : tensor<4xf32>
    %10 = stablehlo.negate %9 : tensor<4xf32>
    %11 = stablehlo.abs %10 : tensor<4xf32>
    %12 = stablehlo.negate %11 : tensor<4xf32>
    %13 = stablehlo.abs %12 : tensor<4xf32>
    %14 = stablehlo.negate %13 : tensor<4xf32>
    %15 = stablehlo.abs %14 : tensor<4xf32>
    %16 = stablehlo.negate %15 : tensor<4xf32>
    %17 = stablehlo.abs %16 : tensor<4xf32>
    %18 = stablehlo.negate %17 : tensor<4xf32>
    %19 = stablehlo.abs %18 : tensor<4xf32>
    %20 = stablehlo.negate %19 : tensor<4xf32>
    %21 = stablehlo.abs %20 : tensor<4xf32>
    %22 = stablehlo.negate %21 : tensor<4xf32>
    %23 = stablehlo.abs %22 : tensor<4xf32>
    %24 = stablehlo.negate %23 : tensor<4xf32>
    %25 = stablehlo.abs %24 : tensor<4xf32>
    %26 = stablehlo.negate %25 : tensor<4xf32>
    %27 = stablehlo.abs %26 : tensor<4xf32>
    %28 = stablehlo.negate %27 : tensor<4xf32>
    %29 = stablehlo.abs %28 : tensor<4xf32>
    %30 = stablehlo.negate %29 : tensor<4xf32>
    %31 = stablehlo.abs %30 : tensor<4xf32>
    %32 = stablehlo.negate %31 : tensor<4xf32>
    %33 = stablehlo.abs %32 : tensor<4xf32>
    %34 = stablehlo.negate %33 : tensor<4xf32>
    %35 = stablehlo.abs %34 : tensor<4xf32>
    %36 = stablehlo.negate %35 : tensor<4xf32>
    %37 = stablehlo.abs %36 : tensor<4xf32>
    %38 = stablehlo.negate %37 : tensor<4xf32>
    %39 = stablehlo.abs %38 : tensor<4xf32>
    %40 = stablehlo.negate %39 : tensor<4xf32>
    return %40 : tensor<4xf32>
  }
}
