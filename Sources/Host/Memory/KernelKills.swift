internal import LinuxSystem

/// Distinguishes a kill by the kernel's out-of-memory killer from any other SIGKILL.
struct KernelKills {
    private struct Count {
        var at: Int64
        /// Kills on the whole machine, including other containers.
        var machine: Int64
        /// Kills in the cgroups around the daemon.
        var groups: Int64
    }

    private let bounds: MemoryBounds
    /// The daemon learns of a death a moment later, so the last count may include it. Deaths are compared with this
    /// older count.
    private var before: Count
    private var last: Count

    private static let pause: Int64 = 1_000_000_000
    /// After a longer gap the counts before it say nothing about a process that dies now.
    private static let longestGap: Int64 = 3_000_000_000

    init(_ bounds: MemoryBounds) {
        self.bounds = bounds
        last = Self.count(bounds)
        before = last
    }

    private static func count(_ bounds: MemoryBounds) -> Count {
        Count(at: Clock.monotonic(), machine: ProcessMemory.kernelKills() ?? 0, groups: bounds.kills)
    }

    /// Called regularly while apps run.
    mutating func note() {
        let age = Clock.monotonic() - last.at
        guard age >= Self.pause else { return }
        let now = Self.count(bounds)
        before = age > Self.longestGap ? now : last
        last = now
    }

    /// Whether the kernel has killed a process in the last seconds.
    ///
    /// - Parameter memory: the `memory.stat` of the app's own group, if the kernel counts its memory.
    func includes(_ memory: String?) -> Bool {
        let now = Self.count(bounds)
        guard now.machine > before.machine else { return false }
        if let own = memory.flatMap({ MemoryBounds.kills(in: String($0.dropLast("/memory.stat".count))) }) {
            return own > 0
        }
        // The machine's count includes other containers, so the groups' own count decides where it exists.
        return bounds.countsKills ? now.groups > before.groups : true
    }
}
