internal import CLinux
internal import Glibc
package import SystemPackage

/// A program that could not be started, and the step at which it failed.
package struct SpawnError: Error, Hashable, Sendable, CustomStringConvertible {
    package let stage: String
    package let errno: Errno

    package var description: String { "\(stage): \(errno)" }

    /// Stages before the child, behind those of C.
    fileprivate static let sandbox = CInt(GR_STAGE_FROZEN.rawValue) + 1
    fileprivate static let text = CInt(GR_STAGE_FROZEN.rawValue) + 2

    init(stage: CInt, errno: CInt) {
        let names = [
            "clone", "clone3", "cgroup.procs", "setsid", "mount namespace", "setrlimit", "dup2", "setresuid", "chdir",
            "execve", "time", "frozen cgroup", "sandbox", "text",
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
            texts += sandbox.binds.map(\.source) + sandbox.links.map(\.target) + inside + [sandbox.hide]
        }
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
        }
    }
}

/// C strings and arrays that live as long as this object: the child must find everything prepared.
@safe private final class CStrings {
    private var blocks: [UnsafeMutableRawPointer] = unsafe []

    deinit { unsafe blocks.forEach { unsafe $0.deallocate() } }

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
