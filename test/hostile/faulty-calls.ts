import { execFileSync } from 'node:child_process'
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'

/** A preloaded library that makes writing system calls below one folder fail, those of SQLite included. */
const source = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

struct control { volatile int32_t error; volatile uint32_t permille; };
static struct control *control;
static const char *folder;
static _Thread_local uint32_t state;

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("FAULTY_CONTROL");
  folder = getenv("FAULTY_FOLDER");
  int file = path && folder ? open(path, O_RDONLY) : -1;
  if (file < 0) return;
  void *page = mmap(0, sizeof(struct control), PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) control = page;
  close(file);
}

static int fails_at(const char *path) {
  if (!control || control->error == 0 || strncmp(path, folder, strlen(folder)) != 0) return 0;
  if (state == 0) state = (uint32_t)(uintptr_t)&state ^ (uint32_t)getpid();
  state = state * 1664525u + 1013904223u;
  if ((state >> 8) % 1000 >= control->permille) return 0;
  errno = control->error;
  return 1;
}

static int fails_in(int file) {
  if (!control || control->error == 0) return 0;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return fails_at(path);
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define IN_FILE(type, name, parameters, arguments) \\
  type name parameters { REAL(name); return fails_in(file) ? (type)-1 : real arguments; }
#define AT_PATH(name, parameters, arguments) \\
  int name parameters { REAL(name); return fails_at(path) ? -1 : real arguments; }

IN_FILE(ssize_t, write, (int file, const void *bytes, size_t length), (file, bytes, length))
IN_FILE(ssize_t, pwrite, (int file, const void *bytes, size_t length, off_t at), (file, bytes, length, at))
IN_FILE(ssize_t, pwrite64, (int file, const void *bytes, size_t length, off64_t at), (file, bytes, length, at))
IN_FILE(int, fsync, (int file), (file))
IN_FILE(int, fdatasync, (int file), (file))
IN_FILE(int, ftruncate, (int file, off_t length), (file, length))
IN_FILE(int, ftruncate64, (int file, off64_t length), (file, length))
AT_PATH(link, (const char *from, const char *path), (from, path))
AT_PATH(symlink, (const char *target, const char *path), (target, path))
AT_PATH(rename, (const char *from, const char *path), (from, path))
AT_PATH(mkdir, (const char *path, mode_t mode), (path, mode))

#define OPEN(name) int name(const char *path, int flags, ...) { \\
  REAL(name); va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \\
  return (flags & (O_CREAT | O_WRONLY)) && fails_at(path) ? -1 : real(path, flags, mode); }
OPEN(open)
OPEN(open64)
`

export const faultyErrors = ['EIO', 'ENOSPC', 'EROFS', 'EDQUOT'] as const
export type FaultyError = (typeof faultyErrors)[number]

export interface FaultyCalls {
  /** The environment of the process whose calls are to fail. */
  environment: Record<string, string>
  /** Makes this many of a thousand calls fail from now on. */
  fail(error: FaultyError, permille: number): void
  mend(): void
}

/** Builds the library in `folder`. @param below where calls fail @returns null without a C compiler */
export function faultyCalls(folder: string, below: string): FaultyCalls | null {
  const [code, library, control] = ['faulty.c', 'faulty.so', 'control'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(code, source)
  writeFileSync(control, Buffer.alloc(8))
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, code, '-ldl'], { stdio: 'pipe' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const set = (error: number, permille: number) => {
    const bytes = Buffer.alloc(8)
    bytes.writeInt32LE(error, 0)
    bytes.writeUInt32LE(permille, 4)
    const file = openSync(control, 'r+')
    writeSync(file, bytes, 0, 8, 0)
    closeSync(file)
  }
  return {
    environment: { LD_PRELOAD: library, FAULTY_CONTROL: control, FAULTY_FOLDER: `${below}/` },
    fail: (error, permille) => set(constants.errno[error], permille),
    mend: () => set(0, 0),
  }
}
