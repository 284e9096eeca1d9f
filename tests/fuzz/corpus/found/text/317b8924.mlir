module @random {
  func.func public @main() -> (tensor<5xf8E4M3>, tensor<i8>) {
    %0 = stablehlo.constant dense<1.75> : tensor<5xf8E4M3>
    %1 = stablehlo.constant dense<-1> : tensor<i8>
    %2 = stablehlo.dynamic_update_slice %0, %0, %1 : (tensor<5xf8E4M3>, tensor<5xf8E4M3>, tensor<i8>) -> tensor<5xf8E4M3>
    return %0, %1 : tensor<5xf8E4M3>, tensor<i8>
  }
}
