internal import LinuxSystem
internal import Model
internal import PolicyCore

/// The memory of a system without its own budget: the machine's, or less if the cgroups around the daemon have limits.
struct SharedMemory {
    let bounds: MemoryBounds
    private let machine: Int64
    /// The smallest limit, if it is below the machine's memory.
    private(set) var limit: MemoryBounds.Limit?
    private var lookedAt: Int64 = 0

    /// Nanoseconds between two checks of the limits.
    private static let pause: Int64 = 10_000_000_000

    /// Returns `nil` if the kernel does not report the machine's memory.
    init?(_ bounds: MemoryBounds = MemoryBounds()) {
        guard let machine = ProcessMemory.machine()?.total else { return nil }
        self.bounds = bounds
        self.machine = machine
        limit = Self.limit(bounds, machine)
        lookedAt = Clock.monotonic()
    }

    private static func limit(_ bounds: MemoryBounds, _ machine: Int64) -> MemoryBounds.Limit? {
        bounds.limit.flatMap { $0.bytes < machine ? $0 : nil }
    }

    /// Reads the limits again if the last check is old enough.
    ///
    /// - Returns: whether it read them.
    mutating func refresh() -> Bool {
        let now = Clock.monotonic()
        guard now - lookedAt >= Self.pause else { return false }
        lookedAt = now
        limit = Self.limit(bounds, machine)
        return true
    }

    var total: Int64 { limit?.bytes ?? machine }

    var available: Int64? {
        let available = ProcessMemory.available()
        guard limit != nil, let bound = bounds.balance?.available else { return available }
        return available.map { min($0, bound) } ?? bound
    }

    var balance: ProcessMemory.Balance? { limit == nil ? ProcessMemory.balance() : bounds.balance }
}

extension MemoryRules {
    /// The thresholds in bytes, the largest first.
    func marks(of total: Int64) -> [Int64] {
        let shares = [reclaim, warn, terminate].flatMap { [$0.below, $0.until] } + [lastResort]
        return Set(shares).sorted(by: >).map { total / 1000 * $0 }
    }
}
