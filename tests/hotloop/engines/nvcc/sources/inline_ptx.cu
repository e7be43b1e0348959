__global__ void scale(float* x) {
  x[0] = 2.0f * x[0];
  asm volatile("no.such.instruction;");
}
