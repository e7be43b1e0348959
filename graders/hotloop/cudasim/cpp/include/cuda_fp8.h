// Not simulated.
#pragma once
#error "cudasim: 8-bit floats are not simulated"
