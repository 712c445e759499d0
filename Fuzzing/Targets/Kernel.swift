internal import LinuxSystem

extension FuzzTarget {
    /// The first byte says which file of `/proc` the rest is to be.
    static let proc = FuzzTarget("proc", "files of /proc: stat, smaps_rollup, locks, fdinfo, cgroup", longest: 1 << 14)
    {
        (bytes) throws(BrokenPromise) in
        let rest = Array(bytes.dropFirst())
        let text = String(decoding: rest, as: UTF8.self)
        switch (bytes.first ?? 0) % 6 {
        case 0: return ProcFS.parseStat(rest).map { Verdict.taken("\($0.state)") } ?? .refused("stat")
        case 1:
            guard let memory = ProcFS.parseMemory(rest) else { return .refused("memory") }
            return .taken(memory.dirty < 0 ? "negative" : "memory")
        case 2:
            let table = LockTable(rest)
            for entry in table.entries {
                _ = table.isAwaited(entry.lock, byOthersThan: [1])
                _ = table.isAwaitedBySQLite(entry.lock, byOthersThan: [1])
            }
            return .taken("\(min(table.entries.count, 3)) locks")
        case 3: return .taken("\(min(ProcFS.parseLocks(rest).count, 3)) fdinfo")
        case 4:
            return GPUClients.parse(text, device: "/dev/dri/card0").map { Verdict.taken($0.0.driver) }
                ?? .refused("drm")
        default: return ProcFS.parseCgroup(text).map { _ in Verdict.taken("cgroup") } ?? .refused("cgroup")
        }
    }

    /// The first eight bytes are a moment, in seconds since 1970; the rest is a compiled time zone.
    static let zone = FuzzTarget("zone", "compiled time zones and their rules", longest: 1 << 13) {
        (bytes) throws(BrokenPromise) in
        guard bytes.count > 8 else { return .refused("short") }
        let number = bytes[..<8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // The kernel's clock ends there.
        let moment = Int64(number % 8_277_292_036)
        guard let zone = TimeZoneFile(Array(bytes[8...])) else { return .refused("") }
        let look = zone.look(at: moment, most: 8)
        try promise(look.next.count <= 8, "\(look.next.count) changes")
        var last = moment
        for change in look.next {
            try promise(change.at > moment, "a change at \(change.at) comes next after \(moment)")
            try promise(change.at >= last, "changes come out of order")
            last = change.at
        }
        return .taken("\(min(look.next.count, 2))")
    }
}
