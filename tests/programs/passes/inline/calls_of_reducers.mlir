// A reducer is code of one kernel, so what it calls is copied into it, however often it is called.
// run: inline
func.func @main(%x: tensor<4x6xf32>, %z: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
  %0 = "stablehlo.reduce"(%x, %z) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = func.call @long(%b) : (tensor<f32>) -> tensor<f32>
    %2 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %2 : tensor<f32>
  }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  %c0 = call @long(%z) : (tensor<f32>) -> tensor<f32>
  %c1 = call @long(%c0) : (tensor<f32>) -> tensor<f32>
  %c2 = call @long(%c1) : (tensor<f32>) -> tensor<f32>
  %c3 = call @long(%c2) : (tensor<f32>) -> tensor<f32>
  %c4 = call @long(%c3) : (tensor<f32>) -> tensor<f32>
  %c5 = call @long(%c4) : (tensor<f32>) -> tensor<f32>
  %c6 = call @long(%c5) : (tensor<f32>) -> tensor<f32>
  %c7 = call @long(%c6) : (tensor<f32>) -> tensor<f32>
  %c8 = call @long(%c7) : (tensor<f32>) -> tensor<f32>
  %c9 = call @long(%c8) : (tensor<f32>) -> tensor<f32>
  %c10 = call @long(%c9) : (tensor<f32>) -> tensor<f32>
  %c11 = call @long(%c10) : (tensor<f32>) -> tensor<f32>
  %c12 = call @long(%c11) : (tensor<f32>) -> tensor<f32>
  %c13 = call @long(%c12) : (tensor<f32>) -> tensor<f32>
  %c14 = call @long(%c13) : (tensor<f32>) -> tensor<f32>
  return %0, %c14 : tensor<4xf32>, tensor<f32>
}
func.func private @long(%x0: tensor<f32>) -> tensor<f32> {
  %x1 = stablehlo.cosine %x0 : tensor<f32>
  %x2 = stablehlo.sine %x1 : tensor<f32>
  %x3 = stablehlo.cosine %x2 : tensor<f32>
  %x4 = stablehlo.sine %x3 : tensor<f32>
  %x5 = stablehlo.cosine %x4 : tensor<f32>
  %x6 = stablehlo.sine %x5 : tensor<f32>
  %x7 = stablehlo.cosine %x6 : tensor<f32>
  %x8 = stablehlo.sine %x7 : tensor<f32>
  %x9 = stablehlo.cosine %x8 : tensor<f32>
  %x10 = stablehlo.sine %x9 : tensor<f32>
  %x11 = stablehlo.cosine %x10 : tensor<f32>
  %x12 = stablehlo.sine %x11 : tensor<f32>
  %x13 = stablehlo.cosine %x12 : tensor<f32>
  %x14 = stablehlo.sine %x13 : tensor<f32>
  %x15 = stablehlo.cosine %x14 : tensor<f32>
  %x16 = stablehlo.sine %x15 : tensor<f32>
  %x17 = stablehlo.cosine %x16 : tensor<f32>
  %x18 = stablehlo.sine %x17 : tensor<f32>
  %x19 = stablehlo.cosine %x18 : tensor<f32>
  %x20 = stablehlo.sine %x19 : tensor<f32>
  %x21 = stablehlo.cosine %x20 : tensor<f32>
  %x22 = stablehlo.sine %x21 : tensor<f32>
  %x23 = stablehlo.cosine %x22 : tensor<f32>
  %x24 = stablehlo.sine %x23 : tensor<f32>
  %x25 = stablehlo.cosine %x24 : tensor<f32>
  %x26 = stablehlo.sine %x25 : tensor<f32>
  %x27 = stablehlo.cosine %x26 : tensor<f32>
  %x28 = stablehlo.sine %x27 : tensor<f32>
  %x29 = stablehlo.cosine %x28 : tensor<f32>
  %x30 = stablehlo.sine %x29 : tensor<f32>
  %x31 = stablehlo.cosine %x30 : tensor<f32>
  %x32 = stablehlo.sine %x31 : tensor<f32>
  %x33 = stablehlo.cosine %x32 : tensor<f32>
  return %x33 : tensor<f32>
}
// expect
module {
  func.func public @main(%0: tensor<4x6xf32>, %1: tensor<f32>) -> (tensor<4xf32>, tensor<f32>) {
    %2 = "stablehlo.reduce"(%0, %1) <{dimensions = array<i64: 1>}> ({
    ^bb0(%3: tensor<f32>, %4: tensor<f32>):
      %5 = stablehlo.cosine %4 : tensor<f32>
      %6 = stablehlo.sine %5 : tensor<f32>
      %7 = stablehlo.cosine %6 : tensor<f32>
      %8 = stablehlo.sine %7 : tensor<f32>
      %9 = stablehlo.cosine %8 : tensor<f32>
      %10 = stablehlo.sine %9 : tensor<f32>
      %11 = stablehlo.cosine %10 : tensor<f32>
      %12 = stablehlo.sine %11 : tensor<f32>
      %13 = stablehlo.cosine %12 : tensor<f32>
      %14 = stablehlo.sine %13 : tensor<f32>
      %15 = stablehlo.cosine %14 : tensor<f32>
      %16 = stablehlo.sine %15 : tensor<f32>
      %17 = stablehlo.cosine %16 : tensor<f32>
      %18 = stablehlo.sine %17 : tensor<f32>
      %19 = stablehlo.cosine %18 : tensor<f32>
      %20 = stablehlo.sine %19 : tensor<f32>
      %21 = stablehlo.cosine %20 : tensor<f32>
      %22 = stablehlo.sine %21 : tensor<f32>
      %23 = stablehlo.cosine %22 : tensor<f32>
      %24 = stablehlo.sine %23 : tensor<f32>
      %25 = stablehlo.cosine %24 : tensor<f32>
      %26 = stablehlo.sine %25 : tensor<f32>
      %27 = stablehlo.cosine %26 : tensor<f32>
      %28 = stablehlo.sine %27 : tensor<f32>
      %29 = stablehlo.cosine %28 : tensor<f32>
      %30 = stablehlo.sine %29 : tensor<f32>
      %31 = stablehlo.cosine %30 : tensor<f32>
      %32 = stablehlo.sine %31 : tensor<f32>
      %33 = stablehlo.cosine %32 : tensor<f32>
      %34 = stablehlo.sine %33 : tensor<f32>
      %35 = stablehlo.cosine %34 : tensor<f32>
      %36 = stablehlo.sine %35 : tensor<f32>
      %37 = stablehlo.cosine %36 : tensor<f32>
      %38 = stablehlo.add %3, %37 : tensor<f32>
      stablehlo.return %38 : tensor<f32>
    }) : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
    %39 = func.call @long(%1) : (tensor<f32>) -> tensor<f32>
    %40 = func.call @long(%39) : (tensor<f32>) -> tensor<f32>
    %41 = func.call @long(%40) : (tensor<f32>) -> tensor<f32>
    %42 = func.call @long(%41) : (tensor<f32>) -> tensor<f32>
    %43 = func.call @long(%42) : (tensor<f32>) -> tensor<f32>
    %44 = func.call @long(%43) : (tensor<f32>) -> tensor<f32>
    %45 = func.call @long(%44) : (tensor<f32>) -> tensor<f32>
    %46 = func.call @long(%45) : (tensor<f32>) -> tensor<f32>
    %47 = func.call @long(%46) : (tensor<f32>) -> tensor<f32>
    %48 = func.call @long(%47) : (tensor<f32>) -> tensor<f32>
    %49 = func.call @long(%48) : (tensor<f32>) -> tensor<f32>
    %50 = func.call @long(%49) : (tensor<f32>) -> tensor<f32>
    %51 = func.call @long(%50) : (tensor<f32>) -> tensor<f32>
    %52 = func.call @long(%51) : (tensor<f32>) -> tensor<f32>
    %53 = func.call @long(%52) : (tensor<f32>) -> tensor<f32>
    return %2, %53 : tensor<4xf32>, tensor<f32>
  }
  func.func private @long(%0: tensor<f32>) -> tensor<f32> {
    %1 = stablehlo.cosine %0 : tensor<f32>
    %2 = stablehlo.sine %1 : tensor<f32>
    %3 = stablehlo.cosine %2 : tensor<f32>
    %4 = stablehlo.sine %3 : tensor<f32>
    %5 = stablehlo.cosine %4 : tensor<f32>
    %6 = stablehlo.sine %5 : tensor<f32>
    %7 = stablehlo.cosine %6 : tensor<f32>
    %8 = stablehlo.sine %7 : tensor<f32>
    %9 = stablehlo.cosine %8 : tensor<f32>
    %10 = stablehlo.sine %9 : tensor<f32>
    %11 = stablehlo.cosine %10 : tensor<f32>
    %12 = stablehlo.sine %11 : tensor<f32>
    %13 = stablehlo.cosine %12 : tensor<f32>
    %14 = stablehlo.sine %13 : tensor<f32>
    %15 = stablehlo.cosine %14 : tensor<f32>
    %16 = stablehlo.sine %15 : tensor<f32>
    %17 = stablehlo.cosine %16 : tensor<f32>
    %18 = stablehlo.sine %17 : tensor<f32>
    %19 = stablehlo.cosine %18 : tensor<f32>
    %20 = stablehlo.sine %19 : tensor<f32>
    %21 = stablehlo.cosine %20 : tensor<f32>
    %22 = stablehlo.sine %21 : tensor<f32>
    %23 = stablehlo.cosine %22 : tensor<f32>
    %24 = stablehlo.sine %23 : tensor<f32>
    %25 = stablehlo.cosine %24 : tensor<f32>
    %26 = stablehlo.sine %25 : tensor<f32>
    %27 = stablehlo.cosine %26 : tensor<f32>
    %28 = stablehlo.sine %27 : tensor<f32>
    %29 = stablehlo.cosine %28 : tensor<f32>
    %30 = stablehlo.sine %29 : tensor<f32>
    %31 = stablehlo.cosine %30 : tensor<f32>
    %32 = stablehlo.sine %31 : tensor<f32>
    %33 = stablehlo.cosine %32 : tensor<f32>
    return %33 : tensor<f32>
  }
}
