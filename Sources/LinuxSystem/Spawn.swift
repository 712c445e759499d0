internal import CLinux
internal import Glibc
package import SystemPackage

/// A program that could not be started, and the step at which it failed.
package struct SpawnError: Error, Hashable, Sendable, CustomStringConvertible {
    package let stage: String
    package let errno: Errno

    package var description: String { "\(stage): \(errno)" }

    init(stage: CInt, errno: CInt) {
        let names = [
            "clone", "clone3", "cgroup.procs", "setsid", "mount namespace", "setrlimit", "dup2", "setresuid", "chdir",
            "execve", "time",
        ]
        self.stage = names.indices.contains(Int(stage)) ? names[Int(stage)] : "spawn"
        self.errno = Errno(rawValue: errno)
    }
}

/// A process to be started: in its cgroup from its first instruction, with nothing inherited that is not named.
package struct Spawn {
    package struct ResourceLimit: Sendable {
        package enum Kind: Sendable {
            case processes, addressSpace, processorSeconds, openFiles, coreSize
        }
        package var kind: Kind
        package var value: UInt64

        package init(_ kind: Kind, _ value: UInt64) {
            self.kind = kind
            self.value = value
        }
    }

    /// A mount namespace in which a directory holds nothing but what is bound into it (needs CAP_SYS_ADMIN).
    package struct Sandbox {
        package var hide: String
        package var binds: [(source: String, target: String, isReadOnly: Bool)] = []
        package var links: [(target: String, path: String)] = []

        package init(hiding directory: String) { hide = directory }
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

    package init(path: String, arguments: [String], environment: [String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
    }

    /// Starts it; the process exists, and runs the program, when this returns.
    package func start() throws(SpawnError) -> PidFD {
        let memory = CStrings()
        var what = unsafe gr_spawn()
        unsafe what.path = UnsafePointer(memory.string(path))
        unsafe what.arguments = UnsafePointer(memory.list(arguments))
        unsafe what.environment = UnsafePointer(memory.list(environment))
        unsafe what.directory = directory.map { unsafe UnsafePointer(memory.string($0)) }
        unsafe what.cgroup = cgroup?.rawValue ?? -1
        unsafe what.birth = birth?.rawValue ?? -1
        unsafe what.joins = (joins.first?.rawValue ?? -1, joins.dropFirst().first?.rawValue ?? -1, -1, -1)
        unsafe what.join_count = CInt(min(2, joins.count))
        unsafe what.new_session = isSessionLeader ? 1 : 0
        unsafe what.controlling_terminal = controllingTerminal ?? -1
        unsafe what.change_user = uid == nil ? 0 : 1
        unsafe what.uid = uid ?? 0
        unsafe what.gid = uid ?? 0
        unsafe what.no_new_privileges = forbidsNewPrivileges ? 1 : 0
        unsafe what.oom_score = oomScore ?? CInt.min
        let mappings = unsafe memory.array(
            descriptors.map { gr_mapping(source: $0.source.rawValue, target: $0.target) })
        unsafe what.mappings = UnsafePointer(mappings)
        unsafe what.mapping_count = CInt(descriptors.count)
        let bounds = unsafe memory.array(limits.map { gr_limit(resource: $0.resource, soft: $0.value, hard: $0.value) })
        unsafe what.limits = UnsafePointer(bounds)
        unsafe what.limit_count = CInt(limits.count)
        if let sandbox {
            unsafe what.hide = UnsafePointer(memory.string(sandbox.hide))
            let binds = unsafe memory.array(
                sandbox.binds.map {
                    unsafe gr_bind(
                        source: memory.string($0.source), target: memory.string($0.target),
                        read_only: $0.isReadOnly ? 1 : 0)
                })
            unsafe what.binds = UnsafePointer(binds)
            unsafe what.bind_count = CInt(sandbox.binds.count)
            let links = unsafe memory.array(
                sandbox.links.map { unsafe gr_link(target: memory.string($0.target), path: memory.string($0.path)) })
            unsafe what.links = UnsafePointer(links)
            unsafe what.link_count = CInt(sandbox.links.count)
        }
        var pidfd: CInt = -1
        var stage: CInt = 0
        var error: CInt = 0
        let pid = unsafe gr_spawn(&what, &pidfd, &stage, &error)
        withExtendedLifetime((memory, self)) {}
        guard pid > 0 else { throw SpawnError(stage: stage, errno: error) }
        return PidFD(pid: pid, owning: pidfd)
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
        }
    }
}

/// C strings and arrays that live as long as this object: the child must find everything prepared.
@safe private final class CStrings {
    private var blocks: [UnsafeMutableRawPointer] = unsafe []

    deinit { unsafe blocks.forEach { unsafe free($0) } }

    func string(_ text: String) -> UnsafeMutablePointer<CChar> {
        let count = text.utf8.count
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: count + 1)
        for (index, byte) in text.utf8.enumerated() { unsafe copy[index] = CChar(bitPattern: byte) }
        unsafe copy[count] = 0
        unsafe blocks.append(UnsafeMutableRawPointer(copy))
        return unsafe copy
    }

    func list(_ texts: [String]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
        unsafe array(texts.map { unsafe string($0) } + [nil])
    }

    func array<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
        unsafe copy.initialize(from: elements, count: elements.count)
        unsafe blocks.append(UnsafeMutableRawPointer(copy))
        return unsafe copy
    }
}
