// Each collective is one step, whose results have memory of their own.
// run: plan
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
    %0:2 = "stablehlo.all_reduce"(%x, %y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    %2 = "stablehlo.collective_permute"(%0#1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
    %3 = "stablehlo.all_gather"(%2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4xf32>) -> tensor<8xf32>
    return %0#0, %3 : tensor<4xf32>, tensor<8xf32>
  }
}
// expect
function main(tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<8xf32>) arena 128 {
  // stablehlo.all_reduce (line 5)
  all_reduce add {0, 1} (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) from (argument0[0:16], argument1[0:16]) to (result0[0:16], arena0[0:16])
  // stablehlo.collective_permute (line 10)
  collective_permute {0, 1} (tensor<4xf32>) -> (tensor<4xf32>) from (arena0[0:16]) to (arena0[64:80])
  // stablehlo.all_gather (line 11)
  all_gather dim=0 {0, 1} (tensor<4xf32>) -> (tensor<8xf32>) from (arena0[64:80]) to (result1[0:32])
}
constants 0 bytes
