internal import CPipeWire
internal import Dispatch
internal import LinuxSystem

/// What clients have to do, one after the other.
///
/// The daemon reads nothing more from a connection that asked something of a client until the client has answered. A
/// client that is frozen would hold it up for good, so what it does not answer within a second is forgotten with the
/// connection.
struct Control {
    struct Work {
        let stream: NodeIdentifier
        /// Of those only the last one of a stream counts.
        let isGain: Bool
        let run: (GraphConnection) -> Void
        let completion: (Bool) -> Void
    }

    var waiting: [Work] = []
    var current: (number: Int32, since: Int64, work: Work)?
    /// Streams whose clients did not answer, and since when.
    var silent: [NodeIdentifier: Int64] = [:]
    var isTimed = false

    var all: [Work] { (current.map { [$0.work] } ?? []) + waiting }
}

extension AudioGraph {
    /// A client that runs answers within milliseconds.
    private static let patienceWithClients: Int64 = 1_000_000_000
    /// One that did not is asked again after so long.
    private static let silence: Int64 = 5_000_000_000

    /// Asks something of a stream's client. `completion` says whether it has done it.
    func ask(
        _ stream: NodeIdentifier, isGain: Bool = false, _ run: @escaping (GraphConnection) -> Void,
        completion: @escaping (Bool) -> Void = { _ in }
    ) {
        if let since = control.silent[stream] {
            guard Clock.monotonic() - since > Self.silence else { return queue.later { completion(false) } }
            control.silent[stream] = nil
        }
        let superseded = control.waiting.filter { isGain && $0.isGain && $0.stream == stream }
        control.waiting.removeAll { isGain && $0.isGain && $0.stream == stream }
        control.waiting.append(Control.Work(stream: stream, isGain: isGain, run: run, completion: completion))
        for work in superseded { work.completion(true) }
        nextControl()
    }

    private func nextControl() {
        guard let connection, let graph = unsafe connection.graph else { return }
        while control.current == nil, !control.waiting.isEmpty {
            let work = control.waiting.removeFirst()
            work.run(connection)
            let number = unsafe gr_control_synchronize(graph)
            guard number >= 0 else {
                queue.later { work.completion(false) }
                continue
            }
            control.current = (number, Clock.monotonic(), work)
        }
        awaitAnswer()
    }

    private func awaitAnswer() {
        guard !control.isTimed, let current = control.current else { return }
        control.isTimed = true
        let left = max(0, current.since + Self.patienceWithClients - Clock.monotonic())
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(left))) { [weak self] in
            guard let self else { return }
            control.isTimed = false
            guard let current = control.current else { return }
            if Clock.monotonic() - current.since >= Self.patienceWithClients { giveUp(current.work) }
            awaitAnswer()
        }
    }

    func controlDone(_ number: Int32) {
        guard let current = control.current, current.number == number else { return }
        control.current = nil
        current.work.completion(true)
        nextControl()
    }

    private func giveUp(_ work: Control.Work) {
        guard let graph = unsafe connection?.graph else { return }
        unsafe gr_control_close(graph)
        control.silent[work.stream] = Clock.monotonic()
        endControl(of: work.stream, false)
        for (stream, gain) in gains where stream != work.stream {
            unsafe gr_control_watch_volumes(graph, gain.node, true)
        }
        nextControl()
    }

    /// Ends what a stream's client is asked.
    func endControl(of stream: NodeIdentifier, _ result: Bool) {
        control.silent = control.silent.filter { $0.key != stream || !result }
        let ended = control.all.filter { $0.stream == stream }
        control.waiting.removeAll { $0.stream == stream }
        if control.current?.work.stream == stream { control.current = nil }
        for work in ended { work.completion(result) }
        if !ended.isEmpty { nextControl() }
    }

    /// A stream has changed, so its client runs again.
    func mayAnswerAgain(_ stream: NodeIdentifier) {
        guard control.silent.removeValue(forKey: stream) != nil else { return }
        if let node = model.node(stream) { linking.configuring.remove(node) }
        guard let gain = gains[stream], let graph = unsafe connection?.graph
        else { return }
        unsafe gr_control_watch_volumes(graph, gain.node, true)
        sendGain(stream)
    }
}
