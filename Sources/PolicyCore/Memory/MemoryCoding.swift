internal import Model

// The stable form of what effects say of memory and of the disk; see `EffectCoding.swift`.
extension FieldSink {
    /// Reasons 33 to 38, and 117.
    mutating func writeMemory(_ reason: Reason) {
        switch reason {
        case .memoryLevel(let level, let available, let budget):
            write(UInt8(33))
            write(level.rawValue)
            write(available)
            write(budget)
        case .memorySimulated(let level):
            write(UInt8(34))
            write(level.rawValue)
        case .memoryTight(let available, let budget):
            write(UInt8(38))
            write(available)
            write(budget)
        case .memoryReclaimed(let bytes):
            write(UInt8(35))
            write(bytes)
        case .memoryLimit(let name, let dirty, let limit):
            write(UInt8(36))
            write(name)
            write(dirty)
            write(limit)
        case .memoryNearLimit(let name, let dirty, let limit):
            write(UInt8(37))
            write(name)
            write(dirty)
            write(limit)
        case .cachesEmptied(let freed, let left):
            write(UInt8(117))
            write(freed)
            write(left)
        default: break
        }
    }
}
