// RUN: donation.donations %s
// The weights' memory becomes the first result's, so they are held once; the batch fits no result.
// --8<-- [start:donated]
module @jit_step {
  func.func public @main(%arg0: tensor<64x64xf32> {tf.aliasing_output = 0 : i32}, %arg1: tensor<8x64xbf16>) -> (tensor<64x64xf32>, tensor<f32>) {
    %0 = stablehlo.convert %arg1 : (tensor<8x64xbf16>) -> tensor<8x64xf32>
    %1 = stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
    %2 = stablehlo.subtract %arg0, %1 : tensor<64x64xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<f32>
    return %2, %3 : tensor<64x64xf32>, tensor<f32>
  }
}

// CHECK:      {
// CHECK-NEXT:   "aliased": {
// CHECK-NEXT:     "0": 0
// CHECK-NEXT:   },
// CHECK-NEXT:   "arguments": 17408,
// CHECK-NEXT:   "results": 16388,
// CHECK-NEXT:   "held": 17412
// CHECK-NEXT: }
// --8<-- [end:donated]
