// Warp-wide operations, and what is said when threads do not come together.
#pragma once

#include "thread.h"

namespace cudasim {

// Completes the operations for which all of their lanes have come. True when one was completed.
bool complete_warp_operations(Thread* lanes, unsigned count);

// Adds to `all` what `some` has acquired.
void join(std::vector<Acquired>& all, const std::vector<Acquired>& some);

void report_bad_mask(const Thread& thread, unsigned mask);
void report_divergent_barrier(const Thread& one, const Thread& other);
void report_skipped_barrier(const Thread& waiting, const Thread& finished, unsigned came,
                            unsigned gone);
void report_deadlock(const Block& block);

}  // namespace cudasim
