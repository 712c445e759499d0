internal import Foundation
internal import Synchronization

/// Calls that wait for their time on the run loops of the threads that asked.
enum DelayedMessages {
    // A timer is used on its own thread, but for `invalidate()`.
    private struct Waiting: @unchecked Sendable {
        var message: Message
        var timer: Timer
    }

    private static let waiting = Mutex<[ObjectIdentifier: Waiting]>([:])

    static func add(_ message: Message, after delay: TimeInterval, in modes: [RunLoop.Mode]) {
        let timer = Timer(timeInterval: max(delay, 0), repeats: false) { timer in
            let waiting = Self.waiting.withLock { $0.removeValue(forKey: ObjectIdentifier(timer)) }
            waiting?.message.send()
        }
        let entry = Waiting(message: message, timer: timer)
        waiting.withLock { $0[ObjectIdentifier(timer)] = entry }
        for mode in modes { RunLoop.current.add(timer, forMode: mode) }
    }

    static func cancel(where matches: (Message) -> Bool) {
        let all = waiting.withLock { $0 }
        for (key, entry) in all where matches(entry.message) {
            _ = waiting.withLock { $0.removeValue(forKey: key) }
            entry.timer.invalidate()
        }
    }
}
