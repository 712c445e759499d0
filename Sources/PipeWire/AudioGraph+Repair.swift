internal import Dispatch
internal import LinuxSystem

/// Streams that the server left half linked, and what is done about them.
///
/// When PipeWire and WirePlumber are killed again and again within a moment, one of a stream's links may stay paused
/// beside another that is active (PipeWire 0.3.65). Such a stream is silent, and nothing puts that right.
package struct Repair {
    /// Links become active one after the other.
    package static let patience: Int64 = 1_000_000_000
    private static let mostAttempts = 3

    private struct Case {
        var since: Int64?
        var attempts = 0

        /// From when on it is to be linked again.
        var deadline: Int64? { attempts < Repair.mostAttempts ? since.map { $0 + Repair.patience } : nil }
        func isDue(at now: Int64) -> Bool { deadline.map { $0 <= now } ?? false }
    }

    private var cases: [NodeIdentifier: Case] = [:]
    /// Those that were taken down to be put back.
    private var underWay: Set<NodeIdentifier> = []
    var isTimed = false

    package init() {}

    /// Whether one of the links of a stream to its device is active, and another is not. Of some that is not known.
    package static func isHalf(_ links: [Bool?]) -> Bool { links.contains(true) && links.contains(false) }

    /// When it is to look again: not before one has been half linked for as long as that may take.
    package var deadline: Int64? { cases.values.compactMap(\.deadline).min() }

    /// Takes the streams that are half linked now. Those that were for too long are to be linked again.
    package mutating func look(_ halves: Set<NodeIdentifier>, at now: Int64) -> [NodeIdentifier] {
        for stream in halves { cases[stream, default: Case()].since = cases[stream]?.since ?? now }
        for stream in cases.keys where !halves.contains(stream) { cases[stream]?.since = nil }
        let due = cases.filter { $0.value.isDue(at: now) }.keys.sorted()
        for stream in due {
            cases[stream]?.attempts += 1
            cases[stream]?.since = nil
        }
        return due
    }

    package mutating func begins(_ stream: NodeIdentifier) { underWay.insert(stream) }

    /// Whether it is still to be put back.
    package mutating func isTakenDown(_ stream: NodeIdentifier) -> Bool { underWay.remove(stream) != nil }

    /// What others say of it counts.
    package mutating func isDecidedElsewhere(_ stream: NodeIdentifier) { underWay.remove(stream) }

    package mutating func forget(_ stream: NodeIdentifier) {
        cases[stream] = nil
        underWay.remove(stream)
    }
}

extension AudioGraph {
    func linkChanged(_ id: UInt32, isActive: Bool) {
        guard model.links[id] != nil else { return }
        model.links[id]?.isActive = isActive
        lookForHalfLinked()
    }

    /// With every link that changes or goes, and when one has been half linked for long.
    func lookForHalfLinked() {
        let halves = model.nodes.filter { $0.value.streamDirection != nil && model.isHalfActive($0.key) }
            .compactMap(\.value.serial).filter(isPermitted)
        for stream in repair.look(Set(halves), at: Clock.monotonic()) { linkAgain(stream) }
        guard !repair.isTimed, let deadline = repair.deadline else { return }
        repair.isTimed = true
        let left = max(0, deadline - Clock.monotonic())
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(left))) { [weak self] in
            self?.repair.isTimed = false
            self?.lookForHalfLinked()
        }
    }

    /// Takes a stream down and puts it back, unless its service decides otherwise meanwhile.
    package func linkAgain(_ stream: NodeIdentifier) {
        repair.begins(stream)
        setPermitted(stream, false) { [weak self] _ in
            guard let self, repair.isTakenDown(stream) else { return }
            setPermitted(stream, true)
        }
    }
}
