// Where the target cannot scale the results of reductions, a loop behind them does.
// run: pipeline, plan
// target: cuda
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %half = stablehlo.constant dense<0.5> : tensor<4xf32>
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %mean = stablehlo.multiply %half, %0 : tensor<4xf32>
    return %mean : tensor<4xf32>
  }
}
// expect
function main(tensor<4xf32>) -> (tensor<4xf32>) arena 64 {
  // stablehlo.all_reduce (line 7)
  all_reduce add {0, 1} (tensor<4xf32>) -> (tensor<4xf32>) from (argument0[0:16]) to (arena0[0:16])
  // acceld.fusion (line 12)
  launch fusion_multiply_0(arena0[0:16], result0[0:16])
}
result0 may be argument0
constants 0 bytes
