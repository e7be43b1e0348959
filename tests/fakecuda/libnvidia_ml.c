/* NVML without a GPU: clocks, throttle reasons and clients as FAKECUDA_CONTROL says. */
#include "control.h"

typedef int Return;
typedef struct { unsigned pid; unsigned long long bytes; unsigned gpu, compute; } Process;
enum { OK = 0, NOT_SUPPORTED = 3, INSUFFICIENT_SIZE = 7, SM = 1 };

Return nvmlInit_v2(void) { return (Return)control("nvml_error", 0); }
const char *nvmlErrorString(Return code) { return code == NOT_SUPPORTED ? "Not Supported" : "Fake error"; }
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) { *device = (void *)(long)(index + 1); return OK; }
Return nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **device) { (void)bus; *device = (void *)1; return OK; }
Return nvmlDeviceGetMinorNumber(void *device, unsigned *minor) { *minor = (unsigned)(long)device - 1; return OK; }
Return nvmlSystemGetDriverVersion(char *version, unsigned length) { snprintf(version, length, "999.99"); return OK; }
Return nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz) {
  (void)device;
  *mhz = (unsigned)control(kind == SM ? "sm_mhz" : "memory_mhz", 1980);
  return OK;
}
Return nvmlDeviceGetMaxClockInfo(void *device, int kind, unsigned *mhz) { (void)device; (void)kind; *mhz = 1980; return OK; }
Return nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons) {
  (void)device;
  *reasons = (unsigned long long)control("reasons", 0);
  return OK;
}
Return nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, Process *processes) {
  (void)device;
  unsigned clients = (unsigned)control("clients", 1), room = *count;
  spend("nvml_us", 1);
  *count = clients;
  if (room < clients) return INSUFFICIENT_SIZE;
  for (unsigned i = 0; i < clients; i++) {
    char key[16];
    snprintf(key, sizeof key, "pid%u", i);
    Process p = {(unsigned)control(key, 4000000 + i), 1 << 20, 0, 0};
    processes[i] = p;
  }
  return OK;
}
Return nvmlDeviceGetPersistenceMode(void *device, int *mode) { (void)device; *mode = (int)control("persistence", 1); return OK; }
Return nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *pending) {
  (void)device;
  if (control("mig", -1) < 0) return NOT_SUPPORTED;
  *now = *pending = (unsigned)control("mig", 0);
  return OK;
}
