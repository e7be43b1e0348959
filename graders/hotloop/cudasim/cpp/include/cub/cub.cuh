// Not simulated.
#pragma once
#error "cudasim: CUB is not simulated; write the primitive yourself"
