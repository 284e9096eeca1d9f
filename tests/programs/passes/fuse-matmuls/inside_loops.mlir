// In the bodies of loops too.
// run: fuse-matmuls
// target: cuda
func.func @main(%n: tensor<i32>, %w: tensor<16x16xf32>, %bias: tensor<16xf32>, %x: tensor<16x16xf32>) -> (tensor<16x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<16x16xf32>
    cond {
      %c = stablehlo.compare NE, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %j = stablehlo.subtract %i, %one : tensor<i32>
      %p = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
      %v = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
      %q = stablehlo.add %p, %v : tensor<16x16xf32>
      stablehlo.return %j, %q : tensor<i32>, tensor<16x16xf32>
    }
  return %r#1 : tensor<16x16xf32>
}
// expect
module {
  func.func public @main(%0: tensor<i32>, %1: tensor<16x16xf32>, %2: tensor<16xf32>, %3: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %4 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.constant dense<1> : tensor<i32>
    %6:2 = "stablehlo.while"(%0, %3) ({
    ^bb0(%7: tensor<i32>, %8: tensor<16x16xf32>):
      %9 = stablehlo.compare NE, %7, %4 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %9 : tensor<i1>
    }, {
    ^bb0(%10: tensor<i32>, %11: tensor<16x16xf32>):
      %12 = stablehlo.subtract %10, %5 : tensor<i32>
      %13 = "acceld.fusion"(%11, %1, %2) <{kind = matmul}> ({
      ^bb0(%14: tensor<16x16xf32>, %15: tensor<16x16xf32>, %16: tensor<16xf32>):
        %17 = stablehlo.dot_general %14, %15, contracting_dims = [1] x [0] : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
        %18 = stablehlo.broadcast_in_dim %16, dims = [1] : (tensor<16xf32>) -> tensor<16x16xf32>
        %19 = stablehlo.add %17, %18 : tensor<16x16xf32>
        stablehlo.return %19 : tensor<16x16xf32>
      }) : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<16x16xf32>
      stablehlo.return %12, %13 : tensor<i32>, tensor<16x16xf32>
    }) : (tensor<i32>, tensor<16x16xf32>) -> (tensor<i32>, tensor<16x16xf32>)
    return %6#1 : tensor<16x16xf32>
  }
}
