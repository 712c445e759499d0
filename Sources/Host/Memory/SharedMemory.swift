internal import LinuxSystem
internal import Model
internal import PolicyCore

/// What a system without a budget of its own has: the machine, or what the memory groups around the daemon leave of it.
struct SharedMemory {
    let bounds: MemoryBounds
    private let machine: Int64
    /// The smallest limit, if it is below what the machine has.
    private(set) var limit: MemoryBounds.Limit?
    private var lookedAt: Int64 = 0

    /// Nanoseconds between looks at the limits.
    private static let pause: Int64 = 10_000_000_000

    /// - Returns: `nil` if the kernel does not say what the machine has.
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

    /// Looks at the limits again, from time to time.
    ///
    /// - Returns: whether it did.
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
    /// Bytes at which something changes, the largest first.
    func marks(of total: Int64) -> [Int64] {
        let shares = [reclaim, warn, terminate].flatMap { [$0.below, $0.until] } + [lastResort]
        return Set(shares).sorted(by: >).map { total / 1000 * $0 }
    }
}
