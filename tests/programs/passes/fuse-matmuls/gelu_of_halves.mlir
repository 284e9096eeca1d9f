// GELU by tanh, as jax.nn.gelu writes it, of narrow floats.
// run: fuse-matmuls
// target: cuda
func.func @main(%a: tensor<8x16xbf16>, %b: tensor<16x4xbf16>, %bias: tensor<4xbf16>) -> (tensor<8x4xbf16>) {
  %c0 = stablehlo.constant dense<4.467770e-02> : tensor<bf16>
  %c0b = stablehlo.broadcast_in_dim %c0, dims = [] : (tensor<bf16>) -> tensor<8x4xbf16>
  %c1 = stablehlo.constant dense<7.968750e-01> : tensor<8x4xbf16>
  %one = stablehlo.constant dense<1.0> : tensor<8x4xbf16>
  %half = stablehlo.constant dense<0.5> : tensor<8x4xbf16>
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<8x16xbf16>, tensor<16x4xbf16>) -> tensor<8x4xbf16>
  %v = stablehlo.broadcast_in_dim %bias, dims = [1] : (tensor<4xbf16>) -> tensor<8x4xbf16>
  %x = stablehlo.add %v, %0 : tensor<8x4xbf16>
  %1 = stablehlo.multiply %x, %x : tensor<8x4xbf16>
  %2 = stablehlo.multiply %1, %x : tensor<8x4xbf16>
  %3 = stablehlo.multiply %c0b, %2 : tensor<8x4xbf16>
  %4 = stablehlo.add %x, %3 : tensor<8x4xbf16>
  %5 = stablehlo.multiply %c1, %4 : tensor<8x4xbf16>
  %6 = stablehlo.tanh %5 : tensor<8x4xbf16>
  %7 = stablehlo.add %one, %6 : tensor<8x4xbf16>
  %8 = stablehlo.multiply %half, %7 : tensor<8x4xbf16>
  %9 = stablehlo.multiply %x, %8 : tensor<8x4xbf16>
  return %9 : tensor<8x4xbf16>
}
// expect
module {
  func.func public @main(%0: tensor<8x16xbf16>, %1: tensor<16x4xbf16>, %2: tensor<4xbf16>) -> tensor<8x4xbf16> {
    %3 = "acceld.fusion"(%0, %1, %2) <{kind = matmul}> ({
    ^bb0(%4: tensor<8x16xbf16>, %5: tensor<16x4xbf16>, %6: tensor<4xbf16>):
      %7 = stablehlo.constant dense<0.044677734> : tensor<bf16>
      %8 = stablehlo.broadcast_in_dim %7, dims = [] : (tensor<bf16>) -> tensor<8x4xbf16>
      %9 = stablehlo.constant dense<0.796875> : tensor<8x4xbf16>
      %10 = stablehlo.constant dense<1.0> : tensor<8x4xbf16>
      %11 = stablehlo.constant dense<0.5> : tensor<8x4xbf16>
      %12 = stablehlo.dot_general %4, %5, contracting_dims = [1] x [0] : (tensor<8x16xbf16>, tensor<16x4xbf16>) -> tensor<8x4xbf16>
      %13 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<4xbf16>) -> tensor<8x4xbf16>
      %14 = stablehlo.add %13, %12 : tensor<8x4xbf16>
      %15 = stablehlo.multiply %14, %14 : tensor<8x4xbf16>
      %16 = stablehlo.multiply %15, %14 : tensor<8x4xbf16>
      %17 = stablehlo.multiply %8, %16 : tensor<8x4xbf16>
      %18 = stablehlo.add %14, %17 : tensor<8x4xbf16>
      %19 = stablehlo.multiply %9, %18 : tensor<8x4xbf16>
      %20 = stablehlo.tanh %19 : tensor<8x4xbf16>
      %21 = stablehlo.add %10, %20 : tensor<8x4xbf16>
      %22 = stablehlo.multiply %11, %21 : tensor<8x4xbf16>
      %23 = stablehlo.multiply %14, %22 : tensor<8x4xbf16>
      stablehlo.return %23 : tensor<8x4xbf16>
    }) : (tensor<8x16xbf16>, tensor<16x4xbf16>, tensor<4xbf16>) -> tensor<8x4xbf16>
    return %3 : tensor<8x4xbf16>
  }
}
