// Not simulated.
#pragma once
#error "cudasim: asynchronous copies (cp.async) are not simulated; copy through registers"
