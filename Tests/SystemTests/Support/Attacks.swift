/// What an app tries against the rest of the machine, in Python: as the library's C functions do, but also with calls
/// that have none.
enum Attacks {
    /// The other app: it keeps something in every place where one app might find something of another's.
    static func victim(hasOwnFolders: Bool) -> String {
        """
        import ctypes, socket
        libc = ctypes.CDLL(None, use_errno=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("\\0greenroom-victim-" + os.environ["HOME"])
        listener.listen(8)
        if \(hasOwnFolders ? "True" : "False"):
            for folder in ["/tmp", "/var/tmp", "/dev/shm"]:
                open(folder + "/greenroom-victim-" + str(os.getppid()), "w").write("hers")
            libc.shmget(0x67720000 + os.getppid() % 65536, 4096, 0o1666)
        open(os.environ["HOME"] + "/Documents/secret", "w").write("hers")
        open(os.environ["HOME"] + "/Documents/ready", "w").write(str(os.getpid()))
        """
    }

    /// Prints into Documents/findings, for each attack, `name: done` or the kernel's answer. The victim's process and
    /// container, a program with the setuid bit, the system's home and a file of the user's are arguments.
    static func app(
        victim: Int, container: String, daemon: Int32, setuid: String, home: String, note: String
    ) -> String {
        """
        VICTIM, CONTAINER, DAEMON, SETUID = \(victim), "\(container)", \(daemon), "\(setuid)"
        SYSTEM, NOTE = "\(home)", "\(note)"
        \(library)
        def started(app):
            lines = []
            for name, attack in list(attacks.items()):
                lines.append(name + ": " + attempt(attack))
            with open(os.environ["HOME"] + "/Documents/findings", "w") as file:
                file.write("\\n".join(lines) + "\\ndone: yes\\n")
        """
    }

    private static let library = """
        import ctypes, errno, fcntl, mmap, multiprocessing.shared_memory, pty, resource, socket, struct, tempfile
        libc = ctypes.CDLL(None, use_errno=True)
        # What was open when the program began; the folder that lists them is closed by now.
        inherited = [fd for fd in os.listdir("/proc/self/fd") if os.path.lexists("/proc/self/fd/" + fd)]
        isX86 = os.uname().machine == "x86_64"
        attacks = {}

        def attempt(attack):
            try:
                result = attack()
                return "done" if result is None else str(result)
            except OSError as error:
                return errno.errorcode.get(error.errno, str(error.errno))
            except Exception as error:
                return type(error).__name__ + " " + str(error)

        def number(x86, arm):
            return x86 if isX86 else arm

        def call(number, *arguments):
            ctypes.set_errno(0)
            longs = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
            result = libc.syscall(ctypes.c_long(number), *longs)
            if result < 0:
                raise OSError(ctypes.get_errno(), "refused")

        def plan(name, *arguments):
            attacks[name] = lambda: call(*arguments)

        def attack(function):
            attacks[function.__name__.replace("_", " ")] = function

        space = ctypes.create_string_buffer(4096)
        FORK = number(56, 220)
        plan("unshare user", number(272, 97), 0x10000000)
        plan("unshare mounts", number(272, 97), 0x20000)
        plan("clone user", FORK, 0x10000000 | 17, 0, 0, 0, 0)
        plan("clone3", 435, space, 88)
        plan("setns", number(308, 268), 0, 0)
        plan("mount", number(165, 40), b"none", b"/tmp", b"tmpfs", 0, None)
        plan("new mount", 430, b"tmpfs", 0)
        plan("pivot root", number(155, 41), b"/tmp", b"/tmp")
        plan("io_uring", 425, 4, space)
        plan("userfaultfd", number(323, 282), 1)
        plan("bpf", number(321, 280), 5, space, 64)
        plan("perf", number(298, 241), space, 0, -1, -1, 0)
        plan("keyctl", number(250, 219), 0, -3, 0)
        plan("add key", number(248, 217), b"user", b"greenroom", b"x", 1, -3)
        plan("request key", number(249, 218), b"user", b"greenroom", None, -3)
        plan("huge memfd", number(319, 279), b"x", 4)
        plan("secret memory", 447, 0)
        plan("a call of the future", 1000)
        plan("personality", number(135, 92), 0x0400000)
        plan("fanotify", number(300, 262), 0x200, 0)
        plan("kernel log", number(103, 116), 3, space, 4000)
        plan("file by handle", number(304, 265), -100, space, 0)
        plan("clock", number(227, 112), 0, struct.pack("qq", 0, 0))
        plan("host name", number(170, 161), b"x", 1)
        plan("reboot", number(169, 142), 0xfee1dead, 672274793, 0)
        plan("module", number(313, 273), 0, b"", 0)
        plan("swap", number(167, 224), b"/nowhere", 0)
        plan("quota", number(179, 60), 0x800001, None, 0, space)
        plan("ask to be traced", number(101, 117), 0, 0, 0, 0)
        plan("trace victim", number(101, 117), 16, VICTIM, 0, 0)
        plan("trace daemon", number(101, 117), 16, DAEMON, 0, 0)
        local, remote = struct.pack("QQ", ctypes.addressof(space), 8), struct.pack("QQ", 0x400000, 8)
        plan("read victim's memory", number(310, 270), VICTIM, local, 1, remote, 1, 0)
        plan("write victim's memory", number(311, 271), VICTIM, local, 1, remote, 1, 0)

        @attack
        def victims_limits():
            resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (4, 4))

        @attack
        def daemons_limits():
            resource.prlimit(DAEMON, resource.RLIMIT_NOFILE, (4, 4))

        @attack
        def victims_descriptors():
            call(438, os.pidfd_open(VICTIM), 0, 0)

        attacks["signal victim"] = lambda: os.kill(VICTIM, 0)
        attacks["signal victim by pidfd"] = lambda: signal.pidfd_send_signal(os.pidfd_open(VICTIM), 0)
        attacks["signal daemon"] = lambda: os.kill(DAEMON, 0)
        attacks["victim in proc"] = lambda: os.stat("/proc/%d" % VICTIM) and None
        attacks["victim's environment"] = lambda: open("/proc/%d/environ" % VICTIM).close()
        attacks["victim's files by proc"] = lambda: os.listdir("/proc/%d/root/tmp" % VICTIM) and None
        attacks["victim's secret"] = lambda: open(CONTAINER + "/Documents/secret", "r+").close()
        attacks["a file for victim"] = lambda: open(CONTAINER + "/Documents/planted", "w").close()
        attacks["hard link"] = lambda: os.link(CONTAINER + "/Documents/secret", os.environ["HOME"] + "/stolen")
        attacks["move"] = lambda: os.rename(CONTAINER + "/Documents/secret", os.environ["HOME"] + "/stolen")
        for folder in ["/tmp", "/var/tmp", "/dev/shm"]:
            path = folder + "/greenroom-victim-%d" % DAEMON
            attacks["victim's file in " + folder] = lambda path=path: os.stat(path) and None

        attacks["mode of the home"] = lambda: os.chmod(SYSTEM, 0)
        attacks["attribute of the home"] = lambda: os.setxattr(SYSTEM, "user.greenroom", b"x")
        attacks["mode of the home's file"] = lambda: os.chmod(SYSTEM + "/state.sqlite", 0o666)
        attacks["times of the home's file"] = lambda: os.utime(SYSTEM + "/state.sqlite", (0, 0))
        attacks["database"] = lambda: open(SYSTEM + "/state.sqlite", "rb").close()
        attacks["mode of victim's file"] = lambda: os.chmod(CONTAINER + "/Documents/secret", 0)
        attacks["tools' socket"] = lambda: socket.socket(socket.AF_UNIX).connect(SYSTEM + "/control")
        attacks["services' socket"] = lambda: socket.socket(socket.AF_UNIX).connect(SYSTEM + "/service")
        attacks["daemon's oom_score_adj"] = lambda: write("/proc/%d/oom_score_adj" % DAEMON, "500")
        attacks["mode of the user's file"] = lambda: os.chmod(NOTE, 0o666)
        attacks["times of the user's file"] = lambda: os.utime(NOTE, (0, 0))
        attacks["attribute of the user's file"] = lambda: os.setxattr(NOTE, "user.greenroom", b"x")

        @attack
        def lock_of_the_database():
            # Where SQLite locks: a read lock there keeps the others from writing.
            with open(SYSTEM + "/state.sqlite-shm", "rb") as file:
                fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 8, 120)

        @attack
        def system_v():
            ctypes.set_errno(0)
            if libc.shmget(0x67720000 + DAEMON % 65536, 4096, 0) < 0:
                raise OSError(ctypes.get_errno(), "refused")

        @attack
        def abstract_socket():
            socket.socket(socket.AF_UNIX).connect("\\0greenroom-victim-" + CONTAINER)

        def group():
            line = [line for line in open("/proc/self/cgroup") if line.startswith("0::")][0]
            for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]:
                if os.path.exists(root + "/cgroup.procs"):
                    return root, root + line[3:].strip()
            raise FileNotFoundError(errno.ENOENT, "the groups are hidden")

        def write(path, text):
            with open(path, "w") as file:
                file.write(text)

        attacks["groups of others"] = lambda: str(sum(len(names) for _, names, _ in os.walk("/sys/fs/cgroup")))
        attacks["leave the group"] = lambda: write(group()[0] + "/cgroup.procs", str(os.getpid()))
        attacks["own freezer"] = lambda: write(group()[1] + "/cgroup.freeze", "0")
        attacks["file of the kernel"] = lambda: write("/sys/kernel/mm/transparent_hugepage/enabled", "never")
        attacks["setting of the kernel"] = lambda: write("/proc/sys/kernel/core_pattern", "|/bin/true")
        attacks["memory device"] = lambda: open("/dev/mem", "rb").close()
        attacks["disk device"] = lambda: open("/dev/loop0", "rb").close()
        attacks["device of one's own"] = lambda: os.mknod(os.environ["HOME"] + "/null", 0o20666, os.makedev(1, 3))
        attacks["raw socket"] = lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).close()
        attacks["packet socket"] = lambda: socket.socket(17, socket.SOCK_RAW).close()
        attacks["crypto socket"] = lambda: socket.socket(38, socket.SOCK_SEQPACKET).close()
        attacks["sockets of all"] = lambda: socket.socket(16, socket.SOCK_RAW, 4).close()
        attacks["huge pages"] = lambda: mmap.mmap(-1, 2 << 20, flags=0x40022).close()
        master, slave = pty.openpty()
        attacks["type into a terminal"] = lambda: fcntl.ioctl(slave, 0x5412, b"x") and None
        plan("type with high bits", number(16, 29), slave, 0x5412 | 1 << 32, b"x")
        attacks["another project"] = lambda: fcntl.ioctl(os.open(os.environ["HOME"], 0), 0x401C5820, bytes(28)) and None

        @attack
        def descriptors_in_flight():
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
            kept = []
            for _ in range(20):
                one, other = socket.socketpair()
                one.setblocking(False)
                kept += [one, other]
                for _ in range(20):
                    socket.send_fds(one, [b"x"], [0] * 32)

        @attack
        def an_old_call():
            # getpid by int 0x80, whose numbers are those of 32 bits.
            if not isX86:
                return "ENOSYS"
            code = mmap.mmap(-1, 4096, prot=7)
            code.write(bytes.fromhex("b814000000cd80c3"))
            function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
            pid = os.fork()
            if pid == 0:
                os._exit(min(255, -function()) if function() < 0 else 0)
            status = os.waitpid(pid, 0)[1]
            code = os.waitstatus_to_exitcode(status)
            # A kernel that has none of them ends the program.
            return "ENOSYS" if code == -signal.SIGSEGV else errno.errorcode.get(code, "done")

        def status(key):
            return [line.split()[1] for line in open("/proc/self/status") if line.startswith(key + ":")][0]

        attacks["inherited"] = lambda: " ".join(sorted(inherited))
        attacks["new privileges"] = lambda: status("NoNewPrivs")
        attacks["capabilities"] = lambda: " ".join(
            str(int(status("Cap" + which), 16)) for which in ["Inh", "Prm", "Eff", "Amb"])
        attacks["bounding set"] = lambda: str(int(status("CapBnd"), 16))
        attacks["setuid program"] = lambda: int(subprocess.check_output([SETUID, "-u"])) == os.getuid()
        attacks["size of /dev/shm"] = lambda: os.statvfs("/dev/shm").f_blocks * os.statvfs("/dev/shm").f_frsize >> 20
        attacks["limits"] = lambda: " ".join(
            str(resource.getrlimit(limit)[1] <= most) for limit, most in [
                (resource.RLIMIT_NOFILE, 65536), (resource.RLIMIT_MEMLOCK, 8 << 20), (resource.RLIMIT_CORE, 0),
                (resource.RLIMIT_MSGQUEUE, 819200), (resource.RLIMIT_SIGPENDING, 8192)])

        # What honest programs do.
        @attack
        def honest_threads():
            thread = threading.Thread(target=lambda: None)
            thread.start()
            thread.join()

        @attack
        def honest_shared_memory():
            memory = multiprocessing.shared_memory.SharedMemory(create=True, size=1 << 20)
            memory.buf[0] = 1
            memory.close()
            memory.unlink()

        @attack
        def honest_interfaces():
            socket.if_nameindex()

        @attack
        def honest_server():
            server = socket.create_server(("127.0.0.1", 0))
            socket.create_connection(server.getsockname())
            here = socket.socket(socket.AF_UNIX)
            here.bind("\\0greenroom-own-%d" % os.getpid())
            here.listen(1)
            socket.socket(socket.AF_UNIX).connect("\\0greenroom-own-%d" % os.getpid())

        @attack
        def honest_child():
            child = subprocess.Popen(["sleep", "100"])
            os.kill(child.pid, signal.SIGTERM)
            assert child.wait() == -signal.SIGTERM
            os.stat("/proc/%d" % os.getpid())

        @attack
        def honest_files():
            for folder in [None, "/tmp", "/var/tmp", "/dev/shm"]:
                with tempfile.NamedTemporaryFile(dir=folder) as file:
                    file.write(b"x")
            home = os.environ["HOME"]
            write(home + "/one", "x")
            os.rename(home + "/one", home + "/Documents/two")
            os.link(home + "/Documents/two", home + "/three")
            os.truncate(home + "/three", 0)

        @attack
        def honest_modes():
            path = os.environ["HOME"] + "/modes"
            write(path, "x")
            with open(path, "r+") as file:
                os.fchmod(file.fileno(), 0o640)
                os.utime(file.fileno(), (0, 0))
                fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            assert os.stat(path).st_mode & 0o777 == 0o640 and os.stat(path).st_mtime == 0
            assert os.stat(path).st_uid == os.getuid() and os.stat(path).st_gid == os.getgid()

        @attack
        def honest_output():
            write("/dev/stdout", "by name\\n")

        @attack
        def honest_terminal():
            fcntl.ioctl(master, 0x5414, struct.pack("HHHH", 24, 80, 0, 0))

        attacks["honest memory"] = lambda: (mmap.mmap(-1, 2 << 20).close(), os.close(os.memfd_create("x"))) and None
        attacks["honest machine"] = lambda: [open("/proc/" + name).read() for name in ["meminfo", "cpuinfo"]] and None
        """
}
