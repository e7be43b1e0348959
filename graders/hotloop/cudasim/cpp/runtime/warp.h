// Warp-wide operations, and what is said when threads do not come together.
#pragma once

#include "thread.h"

namespace cudasim {

// Completes the operations for which all of their lanes have come. True when one was completed.
bool complete_warp_operations(Thread* lanes, unsigned count);

// What any of these threads has made visible by a fence since their last barrier, all of them pass
// on: they are about to be synchronised.
void pass_fences(Thread* threads, unsigned count, unsigned warps);

// Adds to `all` what `some` has acquired.
void join(std::vector<Acquired>& all, const std::vector<Acquired>& some);

void report_bad_mask(const Thread& thread, unsigned mask);
void report_divergent_barrier(const Thread& one, const Thread& other);
void report_different_calls(const Thread& one, const Thread& other);
void report_skipped_barrier(const Thread& waiting, const Thread& finished, unsigned came,
                            unsigned gone);
void report_deadlock(const Block& block);

}  // namespace cudasim
