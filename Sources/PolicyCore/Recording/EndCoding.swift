internal import Model

// Why apps end, in the stable form of effects (`EffectCoding.swift`).
extension FieldSink {
    mutating func write(_ reason: EndReason) {
        switch reason {
        case .closedByUser: write(UInt8(1))
        case .restartedByUser: write(UInt8(2))
        case .uninstalled: write(UInt8(3))
        case .systemShutdown: write(UInt8(4))
        case .exitsOnSuspend: write(UInt8(5))
        case .exceeded(let limit, let allowed):
            write(UInt8(6))
            write(limit)
            write(allowed.nanoseconds)
        case .tooManyProcesses(let count, let limit):
            write(UInt8(7))
            write(Int64(count))
            write(Int64(limit))
        case .tooManyMappings(let count, let limit):
            write(UInt8(12))
            write(Int64(count))
            write(Int64(limit))
        case .mappingTooLarge(let bytes, let limit):
            write(UInt8(13))
            write(bytes)
            write(limit)
        case .tooManyPurgeableObjects(let count, let limit):
            write(UInt8(51))
            write(Int64(count))
            write(Int64(limit))
        case .ended(let status):
            write(UInt8(8))
            write(status)
        case .failedToLaunch(let failure):
            write(9, failure.stage)
            write(Int64(failure.errorNumber))
            write(failure.message)
        case .stray: write(UInt8(10))
        case .memory(let end):
            write(UInt8(11))
            write(end)
        case .heldLock(let path): write(20, path)
        case .usedGPU(let use):
            write(21, use.kind.rawValue)
            write(use.driver)
        case .tasksNotEnded(let end):
            write(UInt8(14))
            write(end)
        case .windowNotCompleted(let end):
            write(UInt8(15))
            write(end.kind)
            write(end.allowed.nanoseconds)
        case .filledDisk(let use):
            write(UInt8(40))
            write(use.written)
            write(use.free)
        }
    }

    mutating func write(_ end: MemoryEnd) {
        write(end.kind.rawValue)
        for bytes in [end.footprint.dirty, end.footprint.purgeable, end.footprint.clean] { write(bytes) }
        write(end.limit ?? -1)
        write(end.available)
        write(end.budget)
    }

    private mutating func write(_ limit: Limit) {
        switch limit {
        case .launch: write(UInt8(1))
        case .callback(let kind): write(2, kind.rawValue)
        case .termination: write(UInt8(3))
        case .mainThread: write(UInt8(4))
        case .tasks: write(UInt8(5))
        case .window(let service): write(6, service.rawValue)
        }
    }

    private mutating func write(_ status: ExitStatus) {
        switch status {
        case .exited(let code):
            write(UInt8(0))
            write(Int64(code))
        case .signaled(let signal):
            write(UInt8(1))
            write(Int64(signal))
        case .unknown: write(UInt8(2))
        case .outOfMemory: write(UInt8(3))
        }
    }
}
