/*
 * A disk that fails, for one process: preloaded into it (LD_PRELOAD), this library makes calls on its database files fail
 * as a disk would. GROUND_FILES is the beginning of their paths, GROUND_CONTROL a file whose first byte says what fails:
 *   f  writes: the disk is full (after a part of what was to be written, as on a real one)
 *   r  reads, w  writes, s  syncs: EIO
 * and any other byte: nothing.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

enum { MOST = 65536, SECTOR = 512 };

static const char *files;
static volatile const char *control;
static char watched[MOST];

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("GROUND_CONTROL");
  files = getenv("GROUND_FILES");
  if (path == NULL || files == NULL) return;
  int fd = REAL(open)(path, O_RDONLY);
  if (fd < 0) return;
  void *page = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
  if (page != MAP_FAILED) control = page;
  REAL(close)(fd);
}

static int noted(int fd, const char *path) {
  if (fd >= 0 && fd < MOST) watched[fd] = files != NULL && strncmp(path, files, strlen(files)) == 0;
  return fd;
}

static int fails(int fd, char kind) {
  return control != NULL && fd >= 0 && fd < MOST && watched[fd] && control[0] == kind;
}

#define OPENING(name)                                              \
  int name(const char *path, int flags, ...) {                     \
    va_list more;                                                  \
    va_start(more, flags);                                         \
    mode_t mode = va_arg(more, mode_t);                            \
    va_end(more);                                                  \
    return noted(REAL(name)(path, flags, mode), path);             \
  }
OPENING(open)
OPENING(open64)

int close(int fd) {
  if (fd >= 0 && fd < MOST) watched[fd] = 0;
  return REAL(close)(fd);
}

static ssize_t failed(int error) {
  errno = error;
  return -1;
}

#define READING(name, offset_t)                                                \
  ssize_t name(int fd, void *to, size_t count, offset_t at) {                  \
    return fails(fd, 'r') ? failed(EIO) : REAL(name)(fd, to, count, at);       \
  }
READING(pread, off_t)
READING(pread64, off64_t)

#define WRITING(name, offset_t)                                                \
  ssize_t name(int fd, const void *from, size_t count, offset_t at) {          \
    if (fails(fd, 'w')) return failed(EIO);                                    \
    if (!fails(fd, 'f')) return REAL(name)(fd, from, count, at);               \
    return count > SECTOR ? REAL(name)(fd, from, SECTOR, at) : failed(ENOSPC); \
  }
WRITING(pwrite, off_t)
WRITING(pwrite64, off64_t)

ssize_t read(int fd, void *to, size_t count) {
  return fails(fd, 'r') ? failed(EIO) : REAL(read)(fd, to, count);
}

ssize_t write(int fd, const void *from, size_t count) {
  if (fails(fd, 'w')) return failed(EIO);
  if (!fails(fd, 'f')) return REAL(write)(fd, from, count);
  return count > SECTOR ? REAL(write)(fd, from, SECTOR) : failed(ENOSPC);
}

int fsync(int fd) { return fails(fd, 's') ? (int)failed(EIO) : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails(fd, 's') ? (int)failed(EIO) : REAL(fdatasync)(fd); }
