// A loop that only multiplies the result of a reduction by a number is left to the reduction. One
// that does more is not, nor is one behind a result that others need.
// run: pipeline, plan
module attributes {mhlo.num_partitions = 2 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xi32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) {
    %half = stablehlo.constant dense<0.5> : tensor<4xf32>
    %third = stablehlo.constant dense<0.3> : tensor<2xf32>
    %two = stablehlo.constant dense<2> : tensor<4xi32>
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %mean = stablehlo.multiply %half, %0 : tensor<4xf32>
    %1 = "stablehlo.reduce_scatter"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<2xf32>
    %scaled = stablehlo.multiply %1, %third : tensor<2xf32>
    %2 = "stablehlo.all_reduce"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.minimum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = stablehlo.multiply %2, %half : tensor<4xf32>
    %more = stablehlo.add %3, %x : tensor<4xf32>
    %4 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4xf32>) -> tensor<4xf32>
    %5 = stablehlo.multiply %4, %half : tensor<4xf32>
    %6 = "stablehlo.all_reduce"(%z) <{channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<4xi32>) -> tensor<4xi32>
    %7 = stablehlo.multiply %6, %two : tensor<4xi32>
    return %mean, %scaled, %more, %4, %5, %7 : tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>
  }
}
// expect
function main(tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>) arena 64 {
  // stablehlo.all_reduce (line 9)
  all_reduce add * 0.5 {0, 1} (tensor<4xf32>) -> (tensor<4xf32>) from (argument0[0:16]) to (result0[0:16])
  // stablehlo.reduce_scatter (line 15)
  reduce_scatter maximum * 0.3 dim=0 {0, 1} (tensor<4xf32>) -> (tensor<2xf32>) from (argument1[0:16]) to (result1[0:8])
  // stablehlo.all_reduce (line 21)
  all_reduce minimum {0, 1} (tensor<4xf32>) -> (tensor<4xf32>) from (argument1[0:16]) to (arena0[0:16])
  // acceld.fusion (line 27)
  launch fusion_add_0(arena0[0:16], argument0[0:16], result2[0:16])
  // stablehlo.all_reduce (line 28)
  all_reduce maximum {0, 1} (tensor<4xf32>) -> (tensor<4xf32>) from (argument0[0:16]) to (result3[0:16])
  // acceld.fusion (line 33)
  launch fusion_multiply_1(result3[0:16], result4[0:16])
  // stablehlo.all_reduce (line 34)
  all_reduce add {0, 1} (tensor<4xi32>) -> (tensor<4xi32>) from (argument2[0:16]) to (arena0[0:16])
  // acceld.fusion (line 39)
  launch fusion_multiply_2(arena0[0:16], result5[0:16])
}
result2 may be argument1
result3 may be argument1
result4 may be argument0
result4 may be argument1
result5 may be argument0
result5 may be argument1
result5 may be argument2
constants 0 bytes
