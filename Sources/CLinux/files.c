// Names below an open directory, and copies that cost nothing where the file system can.
#define _GNU_SOURCE
#include "CLinux.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

int gr_openat(int directory, const char *name, int flags, unsigned mode) {
    return openat(directory, name, flags | O_CLOEXEC, mode);
}

int gr_clone_file(int to, int from) { return ioctl(to, FICLONE, from); }

ssize_t gr_copy_range(int to, int from, int64_t *offset, size_t length) {
    off_t place = *offset;
    ssize_t copied = copy_file_range(from, &place, to, NULL, length, 0);
    if (copied < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)) {
        copied = sendfile(to, from, &place, length);
    }
    if (copied > 0) *offset = place;
    return copied;
}

int gr_link_descriptor(int fd, int directory, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
}

int gr_lock_file(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }

int gr_file_identity(int fd, struct gr_file *file) {
    struct stat status;
    if (fstat(fd, &status) != 0) return -1;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->size = status.st_size;
    file->modified = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    file->owner = status.st_uid;
    file->is_regular = S_ISREG(status.st_mode);
    file->is_directory = S_ISDIR(status.st_mode);
    return 0;
}
