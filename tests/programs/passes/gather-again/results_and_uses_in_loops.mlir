// A loop uses what its body uses. A result of the function is gathered again at the end.
// run: gather-again
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%v: tensor<32x64xf32>, %w: tensor<32x64xf32>, %x: tensor<64x64xf32>, %n: tensor<i32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = "stablehlo.all_gather"(%w) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x64xf32>) -> tensor<64x64xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %v0 = "stablehlo.all_gather"(%v) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x64xf32>) -> tensor<64x64xf32>
    %2 = stablehlo.dot_general %1, %v0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %4:2 = stablehlo.while(%i = %c, %y = %3) : tensor<i32>, tensor<64x64xf32>
    cond {
      %5 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %5 : tensor<i1>
    } do {
      %6 = stablehlo.dot_general %y, %0, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %7 = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %7, %6 : tensor<i32>, tensor<64x64xf32>
    }
    return %4#1, %0 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
// expect
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%0: tensor<32x64xf32>, %1: tensor<32x64xf32>, %2: tensor<64x64xf32>, %3: tensor<i32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %4 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x64xf32>) -> tensor<64x64xf32>
    %5 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.constant dense<1> : tensor<i32>
    %7 = stablehlo.dot_general %2, %4, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %8 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x64xf32>) -> tensor<64x64xf32>
    %9 = stablehlo.dot_general %7, %8, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %10 = stablehlo.dot_general %9, %7, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %11 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<32x64xf32>) -> tensor<64x64xf32>
    %12:2 = "stablehlo.while"(%5, %10) ({
    ^bb0(%13: tensor<i32>, %14: tensor<64x64xf32>):
      %15 = stablehlo.compare LT, %13, %3 : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %15 : tensor<i1>
    }, {
    ^bb0(%16: tensor<i32>, %17: tensor<64x64xf32>):
      %18 = stablehlo.dot_general %17, %11, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %19 = stablehlo.add %16, %6 : tensor<i32>
      stablehlo.return %19, %18 : tensor<i32>, tensor<64x64xf32>
    }) : (tensor<i32>, tensor<64x64xf32>) -> (tensor<i32>, tensor<64x64xf32>)
    return %12#1, %11 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}
