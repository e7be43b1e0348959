/* What the fake devices are told and what they tell: two small text files named by the environment.
 *
 * FAKECUDA_CONTROL holds lines "key value"; FAKECUDA_LOG gets a line a call. Both are read and
 * written anew each time, so that a test can change the weather while a judge runs. */
#pragma once
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long long control(const char *key, long long otherwise) {
  const char *path = getenv("FAKECUDA_CONTROL");
  FILE *file = path ? fopen(path, "r") : NULL;
  if (!file) return otherwise;
  char name[64];
  long long value, found = otherwise;
  while (fscanf(file, "%63s %lld", name, &value) == 2)
    if (!strcmp(name, key)) found = value;
  fclose(file);
  return found;
}

/* What something costs, in microseconds: as long as FAKECUDA_CONTROL says. */
__attribute__((unused)) static void spend(const char *key, long long times) {
  long long us = control(key, 0) * times;
  if (us > 0) usleep((useconds_t)us);
}

static long long nanoseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

__attribute__((unused)) static void note(const char *format, ...) {
  const char *path = getenv("FAKECUDA_LOG");
  FILE *file = path ? fopen(path, "a") : NULL;
  if (!file) return;
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  fprintf(file, "%lld %d %s\n", nanoseconds(), (int)getpid(), line);
  fclose(file);
}
