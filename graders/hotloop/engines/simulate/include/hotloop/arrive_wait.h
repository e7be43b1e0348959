// A barrier with separate arrive and wait, built from atomics that release and acquire.
//
// Arriving releases and learns nothing. Waiting for a phase acquires what was released in that phase and before, and
// nothing of later ones. Only the last thread to arrive learns more than on a GPU; which one that is changes with the order.
#pragma once

#include "hotloop/atomics.h"

#pragma clang force_cuda_host_device begin

namespace hotloop {

// arrived: phases completed (upper half), arrivals since then (lower half). done: 1 + the newest phase of each parity that is over.
struct arrive_wait {
  unsigned expected, arrived, done[2];

  HOTLOOP_MEMBER void init(unsigned count) {
    expected = count;
    arrived = done[0] = done[1] = 0;
  }
  // Returns the token for `wait`. all: the expected arrivals, for a barrier whose `init` got no count.
  HOTLOOP_MEMBER unsigned arrive(unsigned count, unsigned all) {
    const unsigned before = update(HOTLOOP_ADD_INT | HOTLOOP_RELEASE, &arrived, count);
    const unsigned phase = before >> 16, now = (before & 0xffff) + count;
    if (now > all) hotloop_failed("the arrivals of this phase are at most those that the barrier expects", "arrive");
    if (now == all) end(phase, all);
    return phase;
  }
  HOTLOOP_MEMBER bool has_passed(unsigned token) {
    return static_cast<short>(update(HOTLOOP_READ | HOTLOOP_ACQUIRE, &done[token & 1], 0u) - token) > 0;
  }
  HOTLOOP_MEMBER void wait(unsigned token) {
    while (!has_passed(token)) hotloop_wait(HOTLOOP_YIELD, 0, 0, 0);
  }

 private:
  HOTLOOP_MEMBER void end(unsigned phase, unsigned all) {
    update(HOTLOOP_ADD_INT | HOTLOOP_ACQUIRE, &arrived, 0x10000 - all);
    update(HOTLOOP_EXCHANGE | HOTLOOP_RELEASE, &done[phase & 1], phase + 1);
  }
};

}  // namespace hotloop

#pragma clang force_cuda_host_device end
