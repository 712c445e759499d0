internal import LinuxSystem

/// Tells an end by the kernel's choice, because no memory was left, from any other SIGKILL.
struct KernelKills {
    private struct Count {
        var at: Int64
        /// On the whole machine, other containers included.
        var machine: Int64
        /// In the groups around the daemon.
        var groups: Int64
    }

    private let bounds: MemoryBounds
    /// The end of a process is heard of in a moment: what was counted just before it may count it already.
    private var before: Count
    private var last: Count

    private static let pause: Int64 = 1_000_000_000

    init(_ bounds: MemoryBounds) {
        self.bounds = bounds
        last = Self.count(bounds)
        before = last
    }

    private static func count(_ bounds: MemoryBounds) -> Count {
        Count(at: Clock.monotonic(), machine: ProcessMemory.kernelKills() ?? 0, groups: bounds.kills)
    }

    /// Called while apps run.
    mutating func note() {
        guard Clock.monotonic() - last.at >= Self.pause else { return }
        before = last
        last = Self.count(bounds)
    }

    /// Whether the kernel has ended a process lately.
    ///
    /// - Parameter memory: the `memory.stat` of the app's own group, if the kernel counts its memory.
    func includes(_ memory: String?) -> Bool {
        let now = Self.count(bounds)
        guard now.machine > before.machine else { return false }
        if let own = memory.flatMap({ MemoryBounds.kills(in: String($0.dropLast("/memory.stat".count))) }) {
            return own > 0
        }
        // Somewhere on the machine: in one of these groups if they are counted, else anywhere.
        return bounds.countsKills ? now.groups > before.groups : true
    }
}
