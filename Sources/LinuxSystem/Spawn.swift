internal import CLinux
internal import Glibc
package import SystemPackage

/// A program that could not be started, and the step at which it failed.
package struct SpawnError: Error, Hashable, Sendable, CustomStringConvertible {
    package let stage: String
    package let errno: Errno

    package var description: String { "\(stage): \(errno)" }
    /// Everything worked but the program itself.
    var isProgram: Bool { stage == "execve" }

    /// Stages before the child, behind those of C.
    fileprivate static let sandbox = CInt(GR_STAGE_CONFINEMENT.rawValue) + 1
    fileprivate static let text = CInt(GR_STAGE_CONFINEMENT.rawValue) + 2

    init(stage: CInt, errno: CInt) {
        let names = [
            "clone", "clone3", "cgroup.procs", "setsid", "mount namespace", "setrlimit", "dup2", "setresuid", "chdir",
            "execve", "time", "frozen cgroup", "seccomp", "sandbox", "text",
        ]
        self.stage = names.indices.contains(Int(stage)) ? names[Int(stage)] : "spawn"
        self.errno = Errno(rawValue: errno)
    }
}

/// A process to be started: in its cgroup from its first instruction, with nothing inherited that is not named.
package struct Spawn {
    package struct ResourceLimit: Sendable {
        package enum Kind: Sendable {
            case processes, addressSpace, processorSeconds, openFiles, coreSize, messageQueues, lockedMemory,
                pendingSignals, nice, data, fileSize
        }
        package var kind: Kind
        package var soft: UInt64
        package var hard: UInt64

        package init(_ kind: Kind, _ value: UInt64) { self.init(kind, soft: value, hard: value) }

        package init(_ kind: Kind, soft: UInt64, hard: UInt64) {
            self.kind = kind
            self.soft = soft
            self.hard = hard
        }

        /// No more than this process may have itself.
        package static func atMost(_ kind: Kind, _ value: UInt64) -> ResourceLimit {
            var own = rlimit()
            let limit = ResourceLimit(kind, value)
            guard unsafe getrlimit(limit.resource, &own) == 0 else { return limit }
            return ResourceLimit(
                kind, soft: min(value, UInt64(own.rlim_cur)), hard: min(value, UInt64(own.rlim_max)))
        }

        /// Threads may take a nice value of 0 and, by so much, below it: as far as this process may allow it. What it
        /// may itself stays.
        package static func nice(below zero: UInt64) -> ResourceLimit? {
            var own = rlimit()
            guard unsafe getrlimit(GR_RLIMIT_NICE, &own) == 0 else { return nil }
            let wanted = 20 + zero
            let hard = CurrentProcess.canRaiseLimits ? max(wanted, UInt64(own.rlim_max)) : UInt64(own.rlim_max)
            return ResourceLimit(.nice, soft: max(UInt64(own.rlim_cur), min(wanted, hard)), hard: hard)
        }
    }

    /// A mount namespace in which a directory holds nothing but what is bound into it (needs CAP_SYS_ADMIN, or a user
    /// namespace).
    package struct Sandbox {
        package var hide: String
        package var binds: [(source: String, target: String, isReadOnly: Bool)] = []
        package var links: [(target: String, path: String)] = []
        /// The folder that is `/tmp` and `/var/tmp` there; where what is hidden lies below them, they are in memory.
        package var temporary: String?
        /// Folders of sockets directly below `/tmp` that are to be seen all the same.
        package var shown: [String] = []
        /// The size of a `/dev/shm` of its own.
        package var sharedMemory: UInt64?
        /// System V's and POSIX's queues, semaphores and shared memory are its own, and end with it.
        package var ownsIPC = false
        /// `/proc` shows only what its user may look into (Linux 5.8; not in a user namespace), and no groups are seen.
        package var hidesProcesses = false
        /// It belongs to a user namespace, which ordinary users can make. The program keeps its user.
        package var ownsUser = false
        /// `/proc` is read-only.
        package var closesProcesses = false
        /// Only what is bound, `/tmp` and `/dev/shm` can be changed: files, modes, times, attributes (Linux 5.12).
        package var closesRest = false

        package init(hiding directory: String) { hide = directory }
    }

    /// What the program may not do, whatever its user may: it gets no new privileges, has no capability and none of
    /// its starter's keys, and makes only system calls that ordinary programs make. Works for every user; what the
    /// kernel lacks is left out.
    package struct Confinement {
        /// Other programs, and the daemon, have the same user.
        package var sharesUser = false
        /// It may not ask the process that starts it to trace it.
        package var isUntraceable = true
        /// It may make namespaces of its own, as browsers do for their sandboxes.
        package var makesNamespaces = false
        /// It reaches abstract Unix sockets of others, for a display or a message bus.
        package var reachesAbstractSockets = false
        /// It may have threads and no other processes: with it everything that it began is over.
        package var isAlone = false
        /// It can change files only at or below these paths (Linux 5.19); empty: wherever its user can.
        package var writable: [String] = []

        package init() {}

        /// The version of Landlock's interface, 0 without it: files can be closed from 2 on, signals and abstract
        /// sockets from 6 on.
        package static var landlockVersion: Int { Int(gr_landlock_version()) }
    }

    package var path: String
    package var arguments: [String]
    package var environment: [String]
    package var directory: String?
    /// An open cgroup v2 directory.
    package var cgroup: Descriptor?
    /// Gets the child's pid as text, written by the child itself.
    package var birth: Descriptor?
    /// Open `cgroup.procs` files of v1 controllers.
    package var joins: [Descriptor] = []
    package var isSessionLeader = true
    /// The target descriptor that becomes the controlling terminal.
    package var controllingTerminal: CInt?
    package var descriptors: [(source: Descriptor, target: CInt)] = []
    package var limits: [ResourceLimit] = []
    package var uid: UInt32?
    package var forbidsNewPrivileges = false
    package var oomScore: CInt?
    package var sandbox: Sandbox?
    package var confinement: Confinement?
    /// A child that takes longer until its program is loaded is killed: the caller waits for it.
    package var limitMilliseconds: CInt = 5000

    package init(path: String, arguments: [String], environment: [String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts it; the process exists, and runs the program, when this returns. A frozen cgroup is refused.
    package func start() throws(SpawnError) -> PidFD {
        try validate()
        let memory = CStrings()
        let descriptors = try withStandardStreams()
        var what = unsafe gr_spawn()
        unsafe what.path = UnsafePointer(memory.string(path))
        unsafe what.arguments = UnsafePointer(memory.list(arguments))
        unsafe what.environment = UnsafePointer(memory.list(environment))
        unsafe what.directory = directory.map { unsafe UnsafePointer(memory.string($0)) }
        unsafe what.cgroup = cgroup?.rawValue ?? -1
        unsafe what.birth = birth?.rawValue ?? -1
        let joined = joins.map(\.rawValue) + [-1, -1, -1, -1]
        unsafe what.joins = (joined[0], joined[1], joined[2], joined[3])
        unsafe what.join_count = CInt(joins.count)
        unsafe what.new_session = isSessionLeader ? 1 : 0
        unsafe what.controlling_terminal = controllingTerminal ?? -1
        unsafe what.change_user = uid == nil ? 0 : 1
        unsafe what.uid = uid ?? 0
        unsafe what.gid = uid ?? 0
        unsafe what.no_new_privileges = forbidsNewPrivileges ? 1 : 0
        unsafe what.oom_score = oomScore ?? CInt.min
        unsafe what.milliseconds = limitMilliseconds
        let mappings = unsafe memory.array(
            descriptors.map { gr_mapping(source: $0.source.rawValue, target: $0.target) })
        unsafe what.mappings = UnsafePointer(mappings)
        unsafe what.mapping_count = CInt(descriptors.count)
        let bounds = unsafe memory.array(limits.map { gr_limit(resource: $0.resource, soft: $0.soft, hard: $0.hard) })
        unsafe what.limits = UnsafePointer(bounds)
        unsafe what.limit_count = CInt(limits.count)
        if let sandbox { unsafe sandbox.fill(&what, memory) }
        if let confinement { unsafe confinement.fill(&what, memory) }
        var pidfd: CInt = -1
        var stage: CInt = 0
        var error: CInt = 0
        let pid = unsafe gr_spawn(&what, &pidfd, &stage, &error)
        withExtendedLifetime((memory, descriptors, self)) {}
        guard pid > 0 else { throw SpawnError(stage: stage, errno: error) }
        return PidFD(pid: pid, owning: pidfd)
    }
}

extension Spawn {
    /// What the child cannot check, or would take for something else.
    private func validate() throws(SpawnError) {
        var texts = [path, directory ?? ""] + arguments + environment
        if let sandbox {
            let inside = sandbox.binds.map(\.target) + sandbox.links.map(\.path)
            // Made as root before anything is hidden from it: a path that leads elsewhere would be made there.
            guard ([sandbox.hide] + inside).allSatisfy(isPlain), inside.allSatisfy({ $0.hasPrefix(sandbox.hide + "/") })
            else { throw SpawnError(stage: SpawnError.sandbox, errno: EINVAL) }
            texts += sandbox.shown + [sandbox.temporary ?? ""]
            texts += sandbox.binds.map(\.source) + sandbox.links.map(\.target) + inside + [sandbox.hide]
        }
        texts += confinement?.writable ?? []
        // C ends a text at its first zero byte.
        if texts.contains(where: { $0.utf8.contains(0) }) { throw SpawnError(stage: SpawnError.text, errno: EINVAL) }
        guard joins.count <= 4 else { throw SpawnError(stage: CInt(GR_STAGE_CGROUP.rawValue), errno: E2BIG) }
    }

    private func isPlain(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count > 1 && parts[0].isEmpty && parts.dropFirst().allSatisfy { !["", ".", ".."].contains($0) }
    }

    /// A program without one of the three would write its messages into the next file that it opens.
    private func withStandardStreams() throws(SpawnError) -> [(source: Descriptor, target: CInt)] {
        let missing = (0...2).filter { number in !descriptors.contains { $0.target == number } }
        if missing.isEmpty { return descriptors }
        do throws(SystemError) {
            let null = try Descriptor.open("/dev/null", .readWrite)
            return descriptors + missing.map { (null, CInt($0)) }
        } catch {
            throw SpawnError(stage: CInt(GR_STAGE_DESCRIPTORS.rawValue), errno: error.errno.rawValue)
        }
    }
}

extension Spawn.ResourceLimit {
    fileprivate var resource: CInt {
        switch kind {
        case .processes: GR_RLIMIT_PROCESSES
        case .addressSpace: GR_RLIMIT_ADDRESS_SPACE
        case .processorSeconds: GR_RLIMIT_PROCESSOR
        case .openFiles: GR_RLIMIT_FILES
        case .coreSize: GR_RLIMIT_CORE
        case .messageQueues: GR_RLIMIT_QUEUES
        case .lockedMemory: GR_RLIMIT_LOCKED_MEMORY
        case .pendingSignals: GR_RLIMIT_PENDING_SIGNALS
        case .nice: GR_RLIMIT_NICE
        case .data: GR_RLIMIT_DATA
        case .fileSize: GR_RLIMIT_FILE_SIZE
        }
    }
}
