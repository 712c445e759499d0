internal import LinuxSystem
internal import Model
internal import Synchronization
internal import SystemPackage

/// The files in which a group's share of the machine is written. A write holds for all that is in the group and all
/// that will be, outlives the daemon, and there is nothing to remember.
struct GroupShares {
    private struct File {
        let descriptor: Descriptor
        let low: [UInt8]
        let ordinary: [UInt8]
    }

    private let files: [File]
    /// The kernel divides the processors between groups; without it threads have to be told.
    let dividesProcessors: Bool

    /// A hundredth of what others have. Not nothing: who is called, or looked at, has to be able to answer.
    private static let weights = (low: "1", ordinary: "100")
    static let legacyShares = (low: "10", ordinary: "1024")

    init(_ environment: HostEnvironment, _ app: String) {
        var files: [File] = []
        func add(_ path: String, _ low: String, _ ordinary: String) -> Bool {
            guard let descriptor = try? Descriptor.open(path, .write) else { return false }
            files.append(File(descriptor: descriptor, low: Array(low.utf8), ordinary: Array(ordinary.utf8)))
            return true
        }
        var divides = false
        if let group = environment.cgroupPath(app) {
            divides = add(group + "/cpu.weight", Self.weights.low, Self.weights.ordinary)
            _ = add(group + "/io.weight", "default \(Self.weights.low)", "default \(Self.weights.ordinary)")
        }
        if let legacy = LegacyShares(environment, app) {
            // Before Linux 5.15 no group can be idle: then it has a small share.
            let isThere =
                add(legacy.group + "/cpu.idle", "1", "0")
                || add(legacy.group + "/cpu.shares", Self.legacyShares.low, Self.legacyShares.ordinary)
            divides = divides || isThere
        }
        self.files = files
        dividesProcessors = divides
    }

    func set(_ priority: AppPriority) {
        for file in files {
            do throws(SystemError) {
                _ = try file.descriptor.write((priority == .background ? file.low : file.ordinary)[...])
            } catch {
                Diagnostics.write("a share could not be set: \(error)")
            }
        }
    }
}

/// A group of the v1 hierarchy for processors, which an app is born into where the v2 one has no such controller. It
/// lies beside those of everything else on the machine and not below one of the system: there, what runs in the
/// background would use up what the system has, and the app on screen would come after other people's programs.
struct LegacyShares: Sendable {
    let group: String
    private let system: String

    /// Microseconds of each second for an app's real-time threads. Kernels that count them so
    /// (`CONFIG_RT_GROUP_SCHED`) let none be real-time in a group that has none.
    private static let realTime = "50000"

    init?(_ environment: HostEnvironment, _ app: String) {
        guard let system = environment.legacyProcessors else { return nil }
        self.system = system
        group = "\(system)-\(app)"
    }

    var background: CommonBackground { CommonBackground(self, system: system) }

    /// When the app has ended; its next process has a new one.
    func remove() {
        let gaveBack = hasRealTime
        try? Cgroup.remove(at: group)
        if gaveBack { Self.shortage.withLock { $0.end() } }
    }

    /// When no app is left.
    static func removeAll(_ environment: HostEnvironment) {
        guard let system = environment.legacyProcessors, let slash = system.lastIndex(of: "/") else { return }
        for group in Cgroup.children(of: String(system[..<slash])) where group.hasPrefix(system + "-") {
            try? Cgroup.remove(at: group)
        }
    }

    /// Makes it as any app's is, whatever its last tenant had.
    func begin() throws(SystemError) -> Descriptor {
        try FileSystem.makeDirectory(group, mode: 0o755)
        // While it is idle, it has no shares.
        if FileSystem.exists(group + "/cpu.idle") { try Cgroup.write("0", to: group + "/cpu.idle") }
        try Cgroup.write(GroupShares.legacyShares.ordinary, to: group + "/cpu.shares")
        setsRealTime(true)
        return try Descriptor.open(group + "/cgroup.procs", .write)
    }

    /// Where the time is given away already, apps go without.
    func setsRealTime(_ isAllowed: Bool) {
        let (isShort, number) = Self.shortage.withLock { ($0.isThere, $0.number) }
        guard isAllowed != hasRealTime, !isAllowed || !isShort else { return }
        do throws(SystemError) {
            try Cgroup.write(isAllowed ? Self.realTime : "0", to: group + "/cpu.rt_runtime_us")
            if !isAllowed { Self.shortage.withLock { $0.end() } }
        } catch {
            if isAllowed, error.errno == .invalidArgument { Self.shortage.withLock { $0.begin(asOf: number) } }
        }
    }

    /// The kernel looks at every group of the machine at each change, also at one that it refuses: among thousands of
    /// apps, of which twenty can have such time, that is most of a launch. So it is asked again when one of them gave
    /// it back, or after a while, since others have such time too.
    private struct Shortage {
        private var until: Int64 = 0
        /// How often it has ended.
        private(set) var number: UInt64 = 0
        private static let length: Int64 = 10_000_000_000

        var isThere: Bool { Clock.monotonic() < until }

        /// Not if one gave it back since it was asked for.
        mutating func begin(asOf asked: UInt64) {
            if asked == number { until = Clock.monotonic() + Self.length }
        }

        mutating func end() {
            until = 0
            number += 1
        }
    }

    private static let shortage = Mutex(Shortage())

    private var hasRealTime: Bool {
        FileSystem.read(group + "/cpu.rt_runtime_us", limit: 16).map { $0.first != UInt8(ascii: "0") } ?? false
    }
}
