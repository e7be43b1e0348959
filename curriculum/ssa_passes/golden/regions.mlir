// RUN: xdsl_pass.clean_text
// RUN: mlir_pass.clean_text
// The regions see the sum before the scf.if; nothing sees into them: the last product stays. The
// second scf.if is unread and prints nothing.
// --8<-- [start:regions]
func.func private @print(i64)
func.func @f(%arg0: i64, %arg1: i64, %arg2: i1) -> i64 {
  %0 = arith.addi %arg0, %arg1 : i64
  scf.if %arg2 {
    %1 = arith.addi %arg1, %arg0 : i64
    %2 = arith.muli %1, %1 : i64
    func.call @print(%2) : (i64) -> ()
  }
  %3 = arith.muli %0, %0 : i64
  %4 = scf.if %arg2 -> (i64) {
    scf.yield %3 : i64
  } else {
    scf.yield %0 : i64
  }
  return %3 : i64
}

// CHECK:      builtin.module {
// CHECK-NEXT:   func.func private @print(i64) -> ()
// CHECK-NEXT:   func.func @f(%arg0: i64, %arg1: i64, %arg2: i1) -> i64 {
// CHECK-NEXT:     %0 = arith.addi %arg0, %arg1 : i64
// CHECK-NEXT:     scf.if %arg2 {
// CHECK-NEXT:       %1 = arith.muli %0, %0 : i64
// CHECK-NEXT:       func.call @print(%1) : (i64) -> ()
// CHECK-NEXT:     }
// CHECK-NEXT:     %2 = arith.muli %0, %0 : i64
// CHECK-NEXT:     func.return %2 : i64
// CHECK-NEXT:   }
// CHECK-NEXT: }
// --8<-- [end:regions]
