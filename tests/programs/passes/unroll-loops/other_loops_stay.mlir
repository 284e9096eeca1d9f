// Loops stay that take many steps, steps of another size, or steps that nobody knows, and those
// whose bodies are more than elementwise.
// run: unroll-loops, dce
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %many = stablehlo.constant dense<17> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %many, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %x, %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %3:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %two : tensor<i32>
    %2 = stablehlo.multiply %x, %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %4:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %arg1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.multiply %x, %x : tensor<4xf32>
    stablehlo.return %1, %2 : tensor<i32>, tensor<4xf32>
  }
  %5:2 = stablehlo.while(%i = %zero, %x = %arg0) : tensor<i32>, tensor<4xf32>
  cond {
    %1 = stablehlo.compare LT, %i, %two, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dynamic_slice %x, %i, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
    %6 = stablehlo.dynamic_update_slice %x, %2, %one : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
    stablehlo.return %1, %6 : tensor<i32>, tensor<4xf32>
  }
  return %0#1, %3#1, %4#1, %5#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
// expect
module {
  func.func public @main(%0: tensor<4xf32>, %1: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %2 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.constant dense<2> : tensor<i32>
    %5 = stablehlo.constant dense<17> : tensor<i32>
    %6:2 = "stablehlo.while"(%2, %0) ({
    ^bb0(%7: tensor<i32>, %8: tensor<4xf32>):
      %9 = stablehlo.compare LT, %7, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%10: tensor<i32>, %11: tensor<4xf32>):
      %12 = stablehlo.add %10, %3 : tensor<i32>
      %13 = stablehlo.multiply %11, %11 : tensor<4xf32>
      stablehlo.return %12, %13 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    %14:2 = "stablehlo.while"(%2, %0) ({
    ^bb0(%15: tensor<i32>, %16: tensor<4xf32>):
      %17 = stablehlo.compare LT, %15, %4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %17 : tensor<i1>
    }, {
    ^bb0(%18: tensor<i32>, %19: tensor<4xf32>):
      %20 = stablehlo.add %18, %4 : tensor<i32>
      %21 = stablehlo.multiply %19, %19 : tensor<4xf32>
      stablehlo.return %20, %21 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    %22:2 = "stablehlo.while"(%2, %0) ({
    ^bb0(%23: tensor<i32>, %24: tensor<4xf32>):
      %25 = stablehlo.compare LT, %23, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %25 : tensor<i1>
    }, {
    ^bb0(%26: tensor<i32>, %27: tensor<4xf32>):
      %28 = stablehlo.add %26, %3 : tensor<i32>
      %29 = stablehlo.multiply %27, %27 : tensor<4xf32>
      stablehlo.return %28, %29 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    %30:2 = "stablehlo.while"(%2, %0) ({
    ^bb0(%31: tensor<i32>, %32: tensor<4xf32>):
      %33 = stablehlo.compare LT, %31, %4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %33 : tensor<i1>
    }, {
    ^bb0(%34: tensor<i32>, %35: tensor<4xf32>):
      %36 = stablehlo.add %34, %3 : tensor<i32>
      %37 = stablehlo.dynamic_slice %35, %34, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
      %38 = stablehlo.dynamic_update_slice %35, %37, %3 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
      stablehlo.return %36, %38 : tensor<i32>, tensor<4xf32>
    }) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>)
    return %6#1, %14#1, %22#1, %30#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
