// The view of the machine that a program gets. Runs between clone and exec: only system calls, nothing allocated.
#define _GNU_SOURCE
#include "CLinux.h"
#include "child.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

// As in the kernel of version 5.12.
struct mount_attributes { uint64_t set, clear, propagation, user_namespace; };
enum { GR_MOUNT_SETATTR = 442, GR_MOUNT_READ_ONLY = 1 };

size_t gr_decimal(char *text, long value) {
    char digits[24];
    size_t count = 0, length = 0;
    do digits[count++] = (char)('0' + value % 10); while ((value /= 10) > 0);
    while (count > 0) text[length++] = digits[--count];
    return length;
}

// mkdir -p for the part of `path` below `root`.
static int make_parents(const char *path, size_t root, int is_file) {
    char copy[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof copy) { errno = ENAMETOOLONG; return -1; }
    memcpy(copy, path, length + 1);
    for (size_t i = root + 1; i <= length; i++) {
        if (copy[i] != '/' && copy[i] != 0) continue;
        if (copy[i] == 0 && is_file) break;
        char kept = copy[i];
        copy[i] = 0;
        if (mkdir(copy, 0755) != 0 && errno != EEXIST) return -1;
        copy[i] = kept;
    }
    return 0;
}

static void number_path(char path[40], const char *before, long number) {
    size_t length = strlen(before);
    memcpy(path, before, length);
    path[length + gr_decimal(path + length, number)] = 0;
}

static int is_below(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && path[length] == '/';
}

// In a user namespace the restrictions of a mount from outside stay, and have to be named again.
static int restrict_mount(const char *path, unsigned long flags) {
    struct statfs about;
    if (statfs(path, &about) != 0) return -1;
    flags |= (unsigned long)about.f_flags & (MS_NOSUID | MS_NODEV | MS_NOEXEC);
    return mount(NULL, path, NULL, MS_BIND | MS_REMOUNT | flags, NULL);
}

// In a user namespace the kernel refuses a bind without the mounts below it: it would uncover what they hide. Otherwise
// what others mounted there stays out.
static int bind_place(const struct gr_spawn *what, const char *source, const char *target) {
    return mount(source, target, NULL, what->own_user ? MS_BIND | MS_REC : MS_BIND, NULL);
}

static int mount_memory(const char *where, uint64_t size) {
    char options[64] = "mode=1777,size=";
    options[15 + gr_decimal(options + 15, (long)size)] = 0;
    return mount("greenroom", where, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

// A home below /tmp is for trials: what is made on the way to it must not stay behind in the app's own folder.
static int cover_temporary(const struct gr_spawn *what) {
    char source[40];
    // The app can have replaced it by a link.
    int fd = is_below(what->hide, "/tmp") || is_below(what->hide, "/var/tmp")
        ? -1 : open(what->temporary, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        if (mount_memory("/tmp", 64 << 20) != 0) return -1;
        fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
        if (fd < 0) return -1;
        number_path(source, "/proc/self/fd/", fd);
    } else {
        number_path(source, "/proc/self/fd/", fd);
        if (bind_place(what, source, "/tmp") != 0 || restrict_mount("/tmp", MS_NOSUID | MS_NODEV) != 0) return -1;
    }
    // Not every system has it.
    if (bind_place(what, source, "/var/tmp") != 0) return errno == ENOENT ? 0 : -1;
    return restrict_mount("/var/tmp", MS_NOSUID | MS_NODEV);
}

// Folders of sockets below /tmp that a graphical program needs. The folder may be the app's: no link is followed.
static void show_again(const struct gr_spawn *what, const char *path, int source) {
    char from[40], to[40];
    int temporary = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const char *name = strrchr(path, '/');
    if (temporary < 0 || name == NULL) return;
    mkdirat(temporary, name + 1, 0755);
    int target = openat(temporary, name + 1, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (target >= 0) {
        number_path(from, "/proc/self/fd/", source);
        number_path(to, "/proc/self/fd/", target);
        bind_place(what, from, to);
        close(target);
    }
    close(temporary);
}

// Memory without a process, which lives on when the app has ended: here it ends with it.
static int limit_memory(const struct gr_spawn *what) {
    if (what->shared_memory == 0) return 0;
    return mount_memory("/dev/shm", what->shared_memory) == 0 || errno == ENOENT ? 0 : -1;
}

static int cover_system(const struct gr_spawn *what) {
    const char *const covered[] = {"/tmp", "/var/tmp", "/dev/shm"};
    int shown[4];
    if (what->shown_count > 4) { errno = E2BIG; return -1; }
    for (int i = 0; i < what->shown_count; i++)
        shown[i] = open(what->shown[i], O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (limit_memory(what) != 0 || (what->temporary && cover_temporary(what) != 0)) return -1;
    for (int i = 0; i < what->shown_count; i++)
        if (shown[i] >= 0) show_again(what, what->shown[i], shown[i]);
    for (int i = 0; i < 3; i++)
        if (is_below(what->hide, covered[i])) return make_parents(what->hide, strlen(covered[i]), 0);
    return 0;
}

static int bind_all(const struct gr_spawn *what, const int *sources, const int *directory) {
    size_t root = strlen(what->hide);
    for (int i = 0; i < what->bind_count; i++) {
        const struct gr_bind *one = &what->binds[i];
        char source[40];
        number_path(source, "/proc/self/fd/", sources[i]);
        if (make_parents(one->target, root, !directory[i]) != 0) return -1;
        if (!directory[i]) {
            int fd = open(one->target, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
            if (fd < 0) return -1;
            close(fd);
        }
        if (bind_place(what, source, one->target) != 0) return -1;
        if (restrict_mount(one->target, MS_NOSUID | MS_NODEV | (one->read_only ? MS_RDONLY : 0)) != 0) return -1;
        close(sources[i]);
    }
    return 0;
}

// Nobody can see from outside how much of System V's memory is in use, so there is little of it. In a /proc of its own:
// in the common one the kernel keeps a name for each namespace, and searches them all for this one.
static void limit_system_v(const struct gr_spawn *what) {
    char text[24];
    if (what->shared_memory == 0) return;
    gr_write_once("/proc/sys/kernel/shmall", text, gr_decimal(text, (long)(what->shared_memory / 16 / 4096)));
}

// In a chroot the root need not be a mount point, and nothing can be set for it. No mount of ours gets out if none is
// shared: whatever is mounted below a shared mount would be shared itself, and /proc is mounted there.
static int is_any_mount_shared(void) {
    static const char word[] = " shared:";
    char buffer[4096];
    size_t matched = 0;
    int file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    if (file < 0) return 1;
    for (;;) {
        ssize_t count = read(file, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            close(file);
            return count < 0;
        }
        for (ssize_t i = 0; i < count; i++) {
            matched = buffer[i] == word[matched] ? matched + 1 : buffer[i] == ' ';
            if (word[matched] != 0) continue;
            close(file);
            return 1;
        }
    }
}

static int keep_mounts_inside(void) {
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0) return 0;
    int error = errno;
    if (error == EINVAL && !is_any_mount_shared()) return 0;
    errno = error;
    return -1;
}

// The tree of groups names all apps, and the pids of the machine's processes. Not every system has it.
static void hide_groups(void) {
    unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
    mount("greenroom", "/sys/fs/cgroup", "tmpfs", flags, "mode=0555,size=4k");
}

// The program's user and group stay what they are, and no other can be had.
static int map_user(const char *file, long number) {
    char text[64];
    size_t length = gr_decimal(text, number);
    text[length++] = ' ';
    length += gr_decimal(text + length, number);
    memcpy(text + length, " 1\n", 3);
    return gr_write_once(file, text, length + 3);
}

static int enter_user_namespace(void) {
    long user = (long)getuid(), group = (long)getgid();
    if (unshare(CLONE_NEWUSER) != 0) return -1;
    if (gr_write_once("/proc/self/setgroups", "deny", 4) != 0) return -1;
    return map_user("/proc/self/uid_map", user) != 0 ? -1 : map_user("/proc/self/gid_map", group);
}

// Processes of the same user have files that it may write, such as oom_score_adj.
static int close_processes(const struct gr_spawn *what) {
    if (bind_place(what, "/proc", "/proc") != 0) return -1;
    return restrict_mount("/proc", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY);
}

// Modes, times and attributes too, which Landlock leaves alone. An older kernel leaves them open.
static void close_rest(void) {
    struct mount_attributes change = {.set = GR_MOUNT_READ_ONLY};
    syscall(GR_MOUNT_SETATTR, -1, "/", AT_RECURSIVE, &change, sizeof change);
}

int gr_enter_namespace(const struct gr_spawn *what) {
    int sources[64], directory[64];
    if (what->bind_count > 64) { errno = E2BIG; return -1; }
    if (what->own_user && enter_user_namespace() != 0) return -1;
    int own_ipc = what->own_ipc && unshare(CLONE_NEWNS | CLONE_NEWIPC) == 0;
    if (!own_ipc && unshare(CLONE_NEWNS) != 0) return -1;
    // Later mounts of the system still come in; none of ours goes out.
    if (keep_mounts_inside() != 0) return -1;
    for (int i = 0; i < what->bind_count; i++) {
        struct stat status;
        sources[i] = open(what->binds[i].source, O_PATH | O_CLOEXEC | O_NOFOLLOW);
        if (sources[i] < 0 || fstat(sources[i], &status) != 0) return -1;
        directory[i] = S_ISDIR(status.st_mode);
    }
    if (what->close_rest) close_rest();
    if (cover_system(what) != 0) return -1;
    if (mount("greenroom", what->hide, "tmpfs", MS_NOSUID | MS_NODEV, "mode=0711,size=64k") != 0) return -1;
    if (bind_all(what, sources, directory) != 0) return -1;
    for (int i = 0; i < what->link_count; i++)
        if (symlink(what->links[i].target, what->links[i].path) != 0) return -1;
    // Before Linux 5.8 the option belongs to every mount of /proc and is refused in this form.
    if (what->hides_processes) {
        if (!what->own_user) mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, "hidepid=invisible");
        hide_groups();
    }
    if (own_ipc && !what->own_user) limit_system_v(what);
    if (what->close_processes && close_processes(what) != 0) return -1;
    return mount(NULL, what->hide, NULL, MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL);
}
