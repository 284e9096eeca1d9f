// Slices, ld-constants
func.func @main() -> (tensor<2xi32>, ten%0