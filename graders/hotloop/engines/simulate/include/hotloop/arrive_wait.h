// A barrier in shared memory with separate arrive and wait. It is built from atomics that release and acquire,
// and orders exactly the accesses that they order.
#pragma once

#include "hotloop/atomics.h"

#pragma clang force_cuda_host_device begin

namespace hotloop {

// Threads synchronize through one word: phases completed (upper half), arrivals since then (lower half).
struct arrive_wait {
  unsigned expected, met_and_arrived;

  HOTLOOP_MEMBER void init(unsigned count) {
    expected = count;
    met_and_arrived = 0;
  }
  // Returns the token for `wait`. all: the expected arrivals, for a barrier whose `init` got no count.
  HOTLOOP_MEMBER unsigned arrive(unsigned count, unsigned all) {
    const unsigned order = HOTLOOP_ACQUIRE | HOTLOOP_RELEASE;
    const unsigned before = update(HOTLOOP_ADD_INT | order, &met_and_arrived, count);
    if ((before & 0xffff) + count == all) update(HOTLOOP_ADD_INT | order, &met_and_arrived, 0x10000 - all);
    return before >> 16;
  }
  HOTLOOP_MEMBER bool has_passed(unsigned token) { return update(HOTLOOP_READ | HOTLOOP_ACQUIRE, &met_and_arrived, 0u) >> 16 != token; }
  HOTLOOP_MEMBER void wait(unsigned token) {
    while (!has_passed(token)) hotloop_wait(HOTLOOP_YIELD, 0, 0, 0);
  }
};

}  // namespace hotloop

#pragma clang force_cuda_host_device end
