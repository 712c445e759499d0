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
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

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

// As in linux/openat2.h, which older headers lack.
struct open_how { uint64_t flags, mode, resolve; };
static const uint64_t no_other_mount = 0x01, no_magic_links = 0x02, no_links = 0x04, beneath = 0x08;

int gr_open_folder(int directory, const char *name) {
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct open_how how = {(uint64_t)flags, 0, no_other_mount | no_magic_links | no_links | beneath};
    int fd = (int)syscall(SYS_openat2, directory, name, &how, sizeof how);
    // Not there before 5.6; a container's filter may forbid what it does not know.
    if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return fd;
    fd = openat(directory, name, flags);
    struct stat above, below;
    if (fd < 0 || (fstat(directory, &above) == 0 && fstat(fd, &below) == 0 && above.st_dev == below.st_dev)) return fd;
    close(fd);
    errno = EXDEV;
    return -1;
}

ssize_t gr_read_entries(int directory, void *buffer, size_t size) {
    return syscall(SYS_getdents64, directory, buffer, size);
}

int gr_rename_new(int from, const char *name, int to, const char *new_name) {
    if (renameat2(from, name, to, new_name, RENAME_NOREPLACE) == 0) return 0;
    if (errno != EINVAL && errno != ENOSYS) return -1;
    // A file system that cannot. A folder replaces nothing but an empty folder anyway.
    struct stat status;
    if (fstatat(to, new_name, &status, AT_SYMLINK_NOFOLLOW) == 0) { errno = EEXIST; return -1; }
    return renameat(from, name, to, new_name);
}

int gr_exchange(const char *first, const char *second) {
    return renameat2(AT_FDCWD, first, AT_FDCWD, second, RENAME_EXCHANGE);
}

int gr_change_owner(int fd, unsigned uid) { return fchownat(fd, "", uid, uid, AT_EMPTY_PATH); }

int gr_reserve(int fd, int64_t length) {
    if (fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length) == 0 || errno == EOPNOTSUPP) return 0;
    return -1;
}

int64_t gr_next_data(int fd, int64_t offset) { return lseek(fd, offset, SEEK_DATA); }

int64_t gr_next_hole(int fd, int64_t offset) { return lseek(fd, offset, SEEK_HOLE); }

int gr_punch(int fd, int64_t offset, int64_t length) {
    return fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, length);
}

int gr_file_identity(int fd, struct gr_file *file) {
    struct stat status;
    if (fstat(fd, &status) != 0) return -1;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->size = status.st_size;
    file->modified = (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
    file->owner = status.st_uid;
    file->permissions = status.st_mode & 07777;
    file->links = status.st_nlink;
    file->is_regular = S_ISREG(status.st_mode);
    file->is_directory = S_ISDIR(status.st_mode);
    return 0;
}

int64_t gr_file_system(int fd) {
    struct statfs status;
    return fstatfs(fd, &status) == 0 ? (int64_t)status.f_type : -1;
}
