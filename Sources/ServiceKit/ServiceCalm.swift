package import Dispatch
internal import LinuxSystem

/// What a service does when nothing happens: it gives back what it needs only while it works, and ends when nobody has
/// needed it for a while.
///
/// Unchecked: used on its queue only.
package final class ServiceCalm: @unchecked Sendable {
    private let queue: DispatchQueue
    private let idleExit: Double
    private var activity: UInt64 = 0
    private var isResting = false
    /// While nobody needs it. One that is taken back wakes the process no more.
    private var end: (any DispatchSourceTimer)?

    /// Whether nobody needs it, and what it does when that has been so for a while.
    package var isIdle: () -> Bool = { false }
    package var onIdle: () -> Void = {}

    /// - Parameter idleExit: seconds.
    package init(_ queue: DispatchQueue, idleExit: Double) { (self.queue, self.idleExit) = (queue, idleExit) }

    /// Something happens.
    package func stir() {
        activity &+= 1
        guard !isResting else { return }
        isResting = true
        rest(after: activity)
    }

    private func rest(after seen: UInt64) {
        queue.asyncAfter(deadline: .now() + .seconds(5)) { [weak self] in
            guard let self else { return }
            guard seen == activity else { return rest(after: activity) }
            isResting = false
            CurrentProcess.returnFreeMemory()
            CurrentProcess.forgetCode()
        }
    }

    /// Something is as it may not have been before.
    package func armIdle() {
        guard isIdle() else {
            end?.cancel()
            end = nil
            return
        }
        guard end == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            end = nil
            if isIdle() { onIdle() }
        }
        timer.schedule(deadline: .now() + idleExit)
        timer.activate()
        end = timer
    }
}

/// A line for each thing that a person may want to know, and no flood of them.
package struct ServiceLog {
    private let name: String
    private var second: Int64 = 0
    private var count = 0

    package init(_ name: String) { self.name = name }

    package mutating func write(_ sentence: String) {
        let now = Clock.boot() / 1_000_000_000
        if now != second { (second, count) = (now, 0) }
        count += 1
        if count <= 20 { StandardError.write("\(name): \(sentence)\n") }
    }
}

/// What waits until the daemon is heard, in order.
package struct Hearings {
    private var waiting: [() -> Void] = []

    package init() {}

    package mutating func append(_ body: @escaping () -> Void) { waiting.append(body) }

    package mutating func removeFirst() -> (() -> Void)? { waiting.isEmpty ? nil : waiting.removeFirst() }

    package mutating func removeAll() -> [() -> Void] {
        defer { waiting = [] }
        return waiting
    }
}

/// What the daemon waits for, by the number that a Core knows it by.
package struct StopOrders {
    private var waiting: [UInt64: () -> Void] = [:]
    /// Beside the Core's own orders.
    private var next: UInt64 = 1 << 62

    package init() {}

    package mutating func insert(_ done: @escaping () -> Void) -> UInt64 {
        defer { next += 1 }
        waiting[next] = done
        return next
    }

    package mutating func done(_ order: UInt64) { waiting.removeValue(forKey: order)?() }
}
