// The host's view: errors that launches leave behind.
#pragma once

#include "scheduler.h"

namespace cudasim {

// Keeps a failure until somebody asks. One that a kernel caused is never forgotten.
void remember(Failure failure, Pc at, const char* what);
// True after an error that a device does not recover from: every later call returns it.
bool is_lost();
// What is left of failures that nobody asked about, as findings.
void report_unchecked_errors();
// As after cudaDeviceReset.
void forget_errors();

}  // namespace cudasim
