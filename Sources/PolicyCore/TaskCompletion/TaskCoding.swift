internal import Model

// The stable form of what effects say of background tasks; see `EffectCoding.swift`.
extension FieldSink {
    /// Reasons 39 to 43.
    mutating func writeTask(_ reason: Reason) {
        switch reason {
        case .taskBegan(let name):
            write(UInt8(39))
            write(name)
        case .finishesTask(let name, let limit):
            write(UInt8(40))
            write(name)
            write(limit.nanoseconds)
        case .taskEnded(let name):
            write(UInt8(41))
            write(name)
        case .tasksExpire(let names, let left):
            write(UInt8(42))
            write(names)
            write(left.nanoseconds)
        case .taskRefused(let refusal):
            write(UInt8(43))
            write(refusal)
        default: break
        }
    }

    mutating func write(_ texts: [String]) {
        write(UInt64(texts.count))
        for text in texts { write(text) }
    }

    mutating func write(_ expiration: Expiration) {
        write(UInt64(expiration.tasks.count))
        for task in expiration.tasks { write(task.rawValue) }
        write(UInt64(expiration.round))
        write(expiration.left.nanoseconds)
    }

    mutating func write(_ refusal: TaskRefusal) {
        switch refusal {
        case .noMultitasking(let profile):
            write(UInt8(1))
            write(profile)
        case .timeIsOver(let limit):
            write(UInt8(2))
            write(limit.nanoseconds)
        case .tooMany(let limit):
            write(UInt8(3))
            write(Int64(limit))
        case .beingEnded: write(UInt8(4))
        }
    }

    mutating func write(_ end: TaskEnd) {
        write(end.names)
        write(Int64(end.count))
        write(end.allowed.nanoseconds)
        write(end.notice.nanoseconds)
        write(end.verdict == .watchdog)
        write(Int64(end.strayEnds))
    }
}
