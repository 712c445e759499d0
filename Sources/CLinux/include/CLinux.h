// What Glibc's module map leaves out, or what C must do because it happens between clone and exec.
#ifndef GREENROOM_CLINUX_H
#define GREENROOM_CLINUX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/un.h>

#pragma clang assume_nonnull begin

// System calls that have no wrapper in Debian 12's libc, or that Swift cannot call because they are variadic.
int gr_pidfd_open(pid_t pid);
int gr_pidfd_send_signal(int pidfd, int signal);
int gr_process_mrelease(int pidfd);
// A duplicate of another process's descriptor, close-on-exec.
int gr_pidfd_getfd(int pidfd, int fd);
// Pages out ranges of another process, given as pairs of start and length, 512 at most: the bytes that were advised,
// -1 errno.
long gr_process_pageout(int pidfd, const unsigned long *ranges, int count);
// Ends every process of the group whose open `cgroup.kill` this is: 0, or -1 errno.
int gr_cgroup_kill(int fd);
// Sends SIGKILL to each process that an open `cgroup.procs` lists, by its number: reaches one whose first thread has
// ended, which `cgroup.kill` does not. Returns how many there were, or -1 errno. Allocates nothing.
int gr_kill_listed(int fd);
// A descriptor of one thread (kernel 6.9).
int gr_pidfd_open_thread(pid_t thread);
// Whether two threads have the same memory, or the same table of descriptors: 1, 0, or -1 where that is not told.
enum gr_shared { GR_SHARED_MEMORY = 1, GR_SHARED_FILES = 2 };
int gr_share(pid_t one, pid_t other, enum gr_shared what);
// A file as the kernel knows it, without asking whoever serves its file system: 0, or -1 errno.
struct gr_look {
    uint64_t device, inode;
    // Bytes that it takes.
    int64_t allocated;
    // How many names it has.
    uint32_t links;
    uint32_t owner;
};
int gr_look(const char *path, struct gr_look *look);
// The file system of files in memory that have no name, as `gr_look` calls it; 0 where there is none.
uint64_t gr_memory_device(void);
// Bytes of memory that a file system takes if it is one of files in memory, or -1.
int64_t gr_memory_in(const char *path);
// Bytes that wait to be read, or -1 errno.
int64_t gr_unread(int fd);
// Bytes of memory that a pipe or a socket may hold, or -1 errno.
int64_t gr_pipe_memory(int fd);
int64_t gr_socket_memory(int fd);
struct gr_mappings {
    int count;
    // Mappings of files that are smaller than `tiny_below` bytes.
    int tiny;
    int64_t largest;
};
// What an open `/proc/PID/maps` holds; stops counting behind `limit`. -1 errno.
int gr_count_mappings(int fd, int limit, int64_t tiny_below, struct gr_mappings *found);
// The mappings in an open `/proc/PID/smaps` of which the kernel may take pages; stops counting behind `limit`. -1
// errno.
int gr_count_purgeable(int fd, int limit);
// Exit status of a dead process that need not be a child (kernel 6.15): 1 and `*status` as from wait, 0 if it lives,
// -1 errno.
int gr_pidfd_exit_status(int pidfd, int *status);
// Waits for a child without blocking: 1 and `*status` as from wait, 0 if it lives, -1 errno. By pidfd: a number could
// mean another child by now.
int gr_wait_child(int pidfd, int *status);
// The next dead child, which stays to be collected: 1, or 0 when there is none.
int gr_peek_any_child(int *pid, int *status);
int gr_peer_pidfd(int socket);
int gr_peer_credentials(int socket, pid_t *pid, uid_t *uid);
// A TCP connection: bytes without headers, and segments. The cookie names it for as long as the machine runs.
typedef struct {
    uint64_t cookie, received, received_segments, sent, segments;
} gr_own_connection;
// 1, or 0 for what is no connection that leaves this machine.
int gr_connection_look(int fd, gr_own_connection *found);
// The other side has so many bytes on the way at most, once it has sent what it was allowed before.
void gr_bound_window(int fd, int bytes);
int gr_set_flags(int fd, int nonblocking, int close_on_exec);
int gr_set_subreaper(void);
int gr_set_name(const char *name);
int gr_lock_memory_on_fault(void);
// glibc's module map lacks malloc.h. One thread at a time is in this or in gr_forget_code; others wait.
void gr_return_free_memory(void);
// Takes the code of the program and its libraries out of this process's memory; what runs comes back from the page
// cache.
void gr_forget_code(void);
int gr_punch_hole(int fd, int64_t length);
int gr_openat_directory(int directory, const char *name);
int gr_set_window_size(int terminal, uint16_t rows, uint16_t columns);
int gr_open_pty(int *master, int *slave);
int gr_epoll_ctl(int epoll, int operation, int fd, uint32_t events, uint64_t token);
int64_t gr_clock(int clock_id);
int gr_close_range(unsigned first, unsigned last);
// A socket that the kernel tells of its changes through; glibc has no module for sockaddr_nl.
int gr_netlink(int protocol, unsigned groups);

// How the kernel schedules a thread, as in sched_setattr(2).
struct gr_scheduling {
    uint32_t policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};
int gr_get_scheduling(pid_t thread, struct gr_scheduling *what);
int gr_set_scheduling(pid_t thread, const struct gr_scheduling *what);
// A thread's priority for the disk, as in ioprio_set(2): the class in the bits from 13 on; -1 errno.
int gr_get_io_priority(pid_t thread);
int gr_set_io_priority(pid_t thread, int value);
// Bytes of another process's memory: how many were read, or -1 errno.
ssize_t gr_read_memory(pid_t process, uint64_t address, void *_Nullable bytes, size_t length);
// Whether a system call of this number waits at a word of memory.
int gr_is_futex(long number);
// The highest real-time priority that a process may take: 0 for none.
uint64_t gr_real_time_limit(pid_t process);

// Sends `length` bytes with at most 8 descriptors; returns what send returns.
ssize_t gr_send(int socket, const void *bytes, size_t length, const int *_Nullable descriptors, int count);
// Receives bytes and at most 8 descriptors (close-on-exec). `*count` is how many came; `*truncated` is set when
// more came than fit, in which case all are closed already.
ssize_t gr_receive(int socket, void *bytes, size_t length, int *descriptors, int *count, int *truncated);

// No descriptor can be sent to this socket any more (kernel 6.16); -1 errno where it can.
int gr_refuse_descriptors(int socket);
// As read, on a socket. Descriptors that came along are closed, without waiting for what they stand for.
ssize_t gr_read_alone(int socket, void *_Nullable bytes, size_t length);
// How long a blocking connect or send waits; 0: as long as it takes.
int gr_set_send_limit(int socket, int milliseconds);

// A release store and an acquire load of a length in mapped memory.
void gr_store_release(void *where, uint64_t value);
uint64_t gr_load_acquire(const void *where);

int gr_accept(int listener);

struct gr_socket {
    int family;
    int is_listening;
    int is_connected;
    // Connections that nobody has accepted yet.
    int waiting;
    // The peer has left, and for so many milliseconds nothing has come or gone; -1: it is there.
    int64_t left_since;
    uint16_t port;
    // Addresses as bytes, to be compared: family, port and address.
    uint8_t local[32], peer[32];
    int local_length, peer_length;
    // Of a Unix socket, and of what it is connected to; an abstract one begins with `@`.
    char path[112], peer_path[112];
};
// What a stream socket is: 1, 0 for any other descriptor, or -1 errno.
int gr_socket_info(int fd, struct gr_socket *info);
// Accepts one waiting connection and resets it: 1, 0 when none waits, -1 errno.
int gr_refuse_peer(int listener);
// Both sides see a reset: 0, or -1 errno.
int gr_break_connection(int fd);
// What waits to be read, from its beginning, and stays there: a count, or -1 errno.
ssize_t gr_peek(int socket, void *_Nullable bytes, size_t length);
// Whether this opening of an input device has all of its events for itself (EVIOCGRAB). It has them afterwards as well.
int gr_grabs_input(int fd);
ssize_t gr_send_now(int socket, const void *_Nullable bytes, size_t length);

// Bytes that were moved over the network, headers included; what stays on the machine is left out.
struct gr_traffic { uint64_t sent, received; };
// A program in the kernel that counts what the processes of some cgroups move. It counts while both links are open.
// `lowered` has the cgroups whose packets come last.
struct gr_traffic_counter { int map, lowered, sent, received; };
// Begins to look at what moves in an open cgroup and those below, beside whatever else counts or filters there: 0, or
// -1 errno.
int gr_count_traffic(int group, struct gr_traffic_counter *counter);
// From here on the cgroup with that number is counted, from nothing: 0, or -1 errno.
int gr_begin_traffic(int map, uint64_t group);
// 0, or -1 errno.
int gr_read_traffic(int map, uint64_t group, struct gr_traffic *traffic);
void gr_end_traffic(int map, uint64_t group);
// Whether the packets of the cgroup with that number have the last priority: 0, or -1 errno.
int gr_lower_traffic(int lowered, uint64_t group, int is_lowered);
// What one TCP connection moved so far, without headers.
struct gr_connection {
    uint64_t inode;
    struct gr_traffic traffic;
};
// The connections that leave the machine: how many there are, of which `room` are stored at most; or -1 errno.
int gr_connections(struct gr_connection *connections, int room);
// A queueing discipline, by its kind.
struct gr_discipline { char kind[16]; };
// The disciplines of an interface: how many were stored, `room` at most; or -1 errno.
int gr_disciplines(int interface, struct gr_discipline *disciplines, int room);
// Duplicates above standard error, close-on-exec.
int gr_duplicate(int fd);
int gr_open(const char *path, int flags, unsigned mode);


// Names below an open directory; close-on-exec.
int gr_openat(int directory, const char *name, int flags, unsigned mode);
// A folder in an open one, by one component: ELOOP or ENOTDIR for a link, EXDEV where something is mounted on it.
int gr_open_folder(int directory, const char *name);
// Entries as in getdents64(2): bytes, 0 at the end, -1 errno.
ssize_t gr_read_entries(int directory, void *buffer, size_t size);
// Renames; EEXIST where there is something with the new name.
int gr_rename_new(int from, const char *name, int to, const char *new_name);
// Two files change places.
int gr_exchange(const char *first, const char *second);
// Of what the descriptor names, which may be opened as a path only.
int gr_change_owner(int fd, unsigned uid);
// Has blocks for what will be written up to there, where the file system can; the file's size stays.
int gr_reserve(int fd, int64_t length);
// Where the next data or the next hole begins, from an offset on: -1 with ENXIO behind the last data.
int64_t gr_next_data(int fd, int64_t offset);
int64_t gr_next_hole(int fd, int64_t offset);
// Gives the blocks of a part back; the file's size stays.
int gr_punch(int fd, int64_t offset, int64_t length);
// Shares the blocks of a file with an empty one, where the file system can.
int gr_clone_file(int to, int from);
// Appends at most `length` bytes of another file from `*offset` on, which it moves; 0 at the end.
ssize_t gr_copy_range(int to, int from, int64_t *offset, size_t length);
// Gives an open file another name.
int gr_link_descriptor(int fd, int directory, const char *name);
// An exclusive flock(2), or -1 at once.
int gr_lock_file(int fd);
struct gr_file {
    uint64_t device, inode;
    int64_t size;
    // Nanoseconds of the wall clock.
    int64_t modified;
    uint32_t owner, permissions;
    uint64_t links;
    int is_regular, is_directory;
};
int gr_file_identity(int fd, struct gr_file *file);
// The magic number of the file system that a file lies on, as in statfs(2); -1 errno.
int64_t gr_file_system(int fd);
// From now on the signal of a fault that ends the process (SIGSEGV and its like) is stored there first.
int gr_note_faults(volatile uint64_t *where);

static const int GR_O_PATH = 010000000;
static const int GR_RLIMIT_PROCESSES = RLIMIT_NPROC;
static const int GR_RLIMIT_ADDRESS_SPACE = RLIMIT_AS;
static const int GR_RLIMIT_PROCESSOR = RLIMIT_CPU;
static const int GR_RLIMIT_FILES = RLIMIT_NOFILE;
static const int GR_RLIMIT_CORE = RLIMIT_CORE;
static const int GR_RLIMIT_QUEUES = RLIMIT_MSGQUEUE;
static const int GR_RLIMIT_LOCKED_MEMORY = RLIMIT_MEMLOCK;
static const int GR_RLIMIT_PENDING_SIGNALS = RLIMIT_SIGPENDING;
static const int GR_RLIMIT_NICE = RLIMIT_NICE;
static const int GR_RLIMIT_DATA = RLIMIT_DATA;
static const int GR_RLIMIT_FILE_SIZE = RLIMIT_FSIZE;

// --- Starting a process ---------------------------------------------------------------------------------------

struct gr_mapping { int source; int target; };
struct gr_limit { int resource; uint64_t soft; uint64_t hard; };
struct gr_bind { const char *source; const char *target; int read_only; };
struct gr_link { const char *target; const char *path; };

// What a program may not do, whatever its user may. No new privileges, no capabilities, no keys; what the kernel lacks
// is left out.
enum gr_confinement_option {
    // Processes of other programs and of the daemon have the same user.
    GR_CONFINE_SHARED_USER = 1,
    // It may not ask its parent to trace it.
    GR_CONFINE_UNTRACEABLE = 2,
    // It makes namespaces of its own, as browsers do for their sandboxes.
    GR_CONFINE_NAMESPACES = 4,
    // It reaches abstract Unix sockets of others.
    GR_CONFINE_ABSTRACT_SOCKETS = 8,
    // It may have threads and no other processes: with it everything that it began is over.
    GR_CONFINE_ALONE = 16,
};
struct gr_confinement {
    int options;
    // Nowhere else can it change files; no restriction if there is none.
    const char *_Nullable const *_Nullable writable;
    int writable_count;
};
// The version of Landlock's interface, 0 without it.
int gr_landlock_version(void);

struct gr_spawn {
    const char *_Nullable path;
    char *_Nullable const *_Nullable arguments;
    char *_Nullable const *_Nullable environment;
    const char *_Nullable directory;
    int cgroup;               // descriptor of a cgroup v2 directory, or -1
    int birth;                // descriptor to which the child writes its pid, or -1
    int joins[4];             // descriptors of cgroup.procs files of v1 controllers
    int join_count;
    int new_session;          // setsid; else a process group of its own
    int controlling_terminal; // the target descriptor that becomes the controlling terminal, or -1
    const struct gr_mapping *_Nullable mappings;
    int mapping_count;
    const struct gr_limit *_Nullable limits;
    int limit_count;
    int change_user;
    uid_t uid;
    gid_t gid;
    int no_new_privileges;
    int oom_score;            // written to oom_score_adj unless INT32_MIN
    int milliseconds;         // within which the program must be loaded
    // Mount namespace: `hide` is covered by an empty file system in which only the binds and links exist.
    const char *_Nullable hide;
    const struct gr_bind *_Nullable binds;
    int bind_count;
    const struct gr_link *_Nullable links;
    int link_count;
    // The directory that is /tmp and /var/tmp there; without it they stay as they are.
    const char *_Nullable temporary;
    // Directories of sockets directly below /tmp that are to be seen all the same.
    const char *_Nullable const *_Nullable shown;
    int shown_count;
    // The size of a /dev/shm of its own and the bytes of System V's shared memory, 0: those of the system.
    uint64_t shared_memory;
    int own_ipc;
    // /proc shows nobody else's processes.
    int hides_processes;
    // The namespace belongs to a user namespace, in which the program keeps its user: no privilege is needed.
    int own_user;
    // /proc is read-only.
    int close_processes;
    // Only the binds, /tmp and /dev/shm can be changed (Linux 5.12).
    int close_rest;
    const struct gr_confinement *_Nullable confinement;
};

// The steps that can fail, for messages.
enum gr_stage {
    GR_STAGE_CLONE = 1, GR_STAGE_CGROUP, GR_STAGE_SESSION, GR_STAGE_NAMESPACE, GR_STAGE_LIMITS, GR_STAGE_DESCRIPTORS,
    GR_STAGE_USER, GR_STAGE_DIRECTORY, GR_STAGE_EXEC, GR_STAGE_TIMEOUT, GR_STAGE_FROZEN, GR_STAGE_CONFINEMENT,
};

// Starts a process; returns its pid and sets `*pidfd`, or returns -1 with `*stage` and `*error`.
pid_t gr_spawn(const struct gr_spawn *what, int *pidfd, int *stage, int *error);

#pragma clang assume_nonnull end
#endif
