/* Fails the N-th call that opens for writing, writes, syncs, renames or links under a folder.
 *
 * FAULT_AT    number of the call that meets the fault (from 1)
 * FAULT_KIND  errno to set, or "short" (half a write), or "kill" (SIGKILL instead)
 * FAULT_PATH  only calls on paths that hold this text count, and on descriptors opened so
 * FAULT_COUNT file to which the number of calls so far is written at exit, one byte each
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static int calls;
static char ours[4096];

static int on_path(const char *path) {
    const char *wanted = getenv("FAULT_PATH");
    return wanted && path && strstr(path, wanted) != NULL;
}

static int on_descriptor(int fd) {
    return fd >= 0 && fd < (int)sizeof ours && ours[fd];
}

static void counted(void) {
    const char *file = getenv("FAULT_COUNT");
    if (!file) return;
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
    ssize_t (*put)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    int fd = real(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (fd >= 0) {
        if (put(fd, ".", 1) != 1) abort();
        close(fd);
    }
}

/* 0: go on; 1: fail with errno set; 2: write half. */
static int fault(void) {
    const char *at = getenv("FAULT_AT"), *kind = getenv("FAULT_KIND");
    calls++;
    counted();
    if (!at || !kind || calls != atoi(at)) return 0;
    if (!strcmp(kind, "kill")) raise(SIGKILL);
    if (!strcmp(kind, "term")) { raise(SIGTERM); return 0; }
    if (!strcmp(kind, "short")) return 2;
    errno = atoi(kind);
    return 1;
}

static int opened(int fd, const char *path) {
    if (fd >= 0 && fd < (int)sizeof ours) ours[fd] = on_path(path);
    return fd;
}

#define OPENING(name)                                                              \
    int name(const char *path, int flags, ...) {                                   \
        int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name);             \
        va_list list;                                                              \
        va_start(list, flags);                                                     \
        mode_t mode = (flags & O_CREAT) ? va_arg(list, mode_t) : 0;                \
        va_end(list);                                                              \
        if (on_path(path) && fault() == 1) return -1;                              \
        return opened(real(path, flags, mode), path);                              \
    }
OPENING(open)
OPENING(open64)

#define OPENING_AT(name)                                                           \
    int name(int folder, const char *path, int flags, ...) {                       \
        int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, #name);        \
        va_list list;                                                              \
        va_start(list, flags);                                                     \
        mode_t mode = (flags & O_CREAT) ? va_arg(list, mode_t) : 0;                \
        va_end(list);                                                              \
        if (on_path(path) && fault() == 1) return -1;                              \
        return opened(real(folder, path, flags, mode), path);                      \
    }
OPENING_AT(openat)
OPENING_AT(openat64)

ssize_t write(int fd, const void *data, size_t count) {
    ssize_t (*real)(int, const void *, size_t) = dlsym(RTLD_NEXT, "write");
    if (on_descriptor(fd)) {
        int what = fault();
        if (what == 1) return -1;
        if (what == 2 && count > 1) count /= 2;
    }
    return real(fd, data, count);
}

int fsync(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "fsync");
    if (on_descriptor(fd) && fault() == 1) return -1;
    return real(fd);
}

int close(int fd) {
    int (*real)(int) = dlsym(RTLD_NEXT, "close");
    if (fd >= 0 && fd < (int)sizeof ours) ours[fd] = 0;
    return real(fd);
}

#define TWO_PATHS(name)                                                            \
    int name(const char *from, const char *to) {                                   \
        int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, #name);         \
        if ((on_path(from) || on_path(to)) && fault() == 1) return -1;             \
        return real(from, to);                                                     \
    }
TWO_PATHS(rename)
TWO_PATHS(symlink)

int renameat(int a, const char *from, int b, const char *to) {
    int (*real)(int, const char *, int, const char *) = dlsym(RTLD_NEXT, "renameat");
    if ((on_path(from) || on_path(to)) && fault() == 1) return -1;
    return real(a, from, b, to);
}

int mkdir(const char *path, mode_t mode) {
    int (*real)(const char *, mode_t) = dlsym(RTLD_NEXT, "mkdir");
    if (on_path(path) && fault() == 1) return -1;
    return real(path, mode);
}

int unlink(const char *path) {
    int (*real)(const char *) = dlsym(RTLD_NEXT, "unlink");
    if (on_path(path) && fault() == 1) return -1;
    return real(path);
}
