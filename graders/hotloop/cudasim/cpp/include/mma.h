// Not simulated.
#pragma once
#error "cudasim: matrix instructions (wmma) cannot run on a CPU"
