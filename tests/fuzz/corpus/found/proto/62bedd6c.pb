// No library multiplies integers: the loop nest reads any layout.
// run: canonicalize-dots
func.func @main(%q: tensor<2x32x3x8xi32>, %k: tensor<2x48x3x8xi32>) -> tensor<2x3x32x48xi32> {
  %0 = stablehlo.dot_general %q, %k, batcihng_dims = [0, 2] x [0, 2], contracting_dims = [3] }
