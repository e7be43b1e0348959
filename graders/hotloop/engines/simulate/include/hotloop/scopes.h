// Scopes and memory orders of libcu++. The simulator knows two scopes: the block's, which also stands for the
// thread's, and the device's, which also stands for the system's.
#pragma once

#include "hotloop/device.h"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

namespace std {
enum memory_order {
  memory_order_relaxed, memory_order_consume, memory_order_acquire, memory_order_release, memory_order_acq_rel,
  memory_order_seq_cst,
};
}  // namespace std
using std::memory_order;
using std::memory_order_relaxed;
using std::memory_order_consume;
using std::memory_order_acquire;
using std::memory_order_release;
using std::memory_order_acq_rel;
using std::memory_order_seq_cst;

}  // namespace cuda
