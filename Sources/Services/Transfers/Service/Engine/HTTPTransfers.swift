internal import LinuxSystem
internal import Synchronization
internal import TransferCore

/// The network: starts attempts, and reports what becomes of them as events of the Core.
///
/// Attempts of one transfer follow one another: the next begins when nothing touches the files of the one before.
final class HTTPTransfers: Sendable {
    private struct Lane {
        var running: Exchange?
        var next: Exchange?
    }

    private let tools: ExchangeTools
    /// `nil`: a fault of this process will be nobody's.
    private let marks: FaultMarks?
    private let interopVersion: Int32
    private let lanes = Mutex<[TransferID: Lane]>([:])

    init(_ tools: ExchangeTools, marks: FaultMarks?, interopVersion: Int32) {
        self.tools = tools
        self.marks = marks
        self.interopVersion = interopVersion
    }

    func start(_ id: AttemptID, _ order: DownloadOrder, session: SessionKey) {
        start(Attempt(id, order, session: session))
    }

    func start(_ id: AttemptID, _ order: UploadOrder, session: SessionKey) {
        start(Attempt(id, order, session: session, interopVersion: interopVersion))
    }

    private func start(_ attempt: Attempt) {
        let transfer = attempt.id.transfer
        guard let exchange = Exchange(attempt, tools, onClosed: { [weak self] in self?.closed(transfer) }) else {
            tools.report(.failed(attempt.id, .unsupportedURL))
            return
        }
        let mayStart = lanes.withLock { lanes in
            guard lanes[transfer]?.running != nil else {
                marks?.mark(transfer.rawValue)
                lanes[transfer] = Lane(running: exchange)
                return true
            }
            lanes[transfer]?.next = exchange
            return false
        }
        if mayStart { exchange.start() }
    }

    func receive(_ id: AttemptID, at offset: Int64) { exchange(id)?.receive(at: offset) }

    func stop(_ id: AttemptID) {
        let waiting = lanes.withLock { lanes -> Bool in
            guard lanes[id.transfer]?.next?.attempt.id == id else { return false }
            lanes[id.transfer]?.next = nil
            return true
        }
        if !waiting { exchange(id)?.stop() }
    }

    private func exchange(_ id: AttemptID) -> Exchange? {
        lanes.withLock { lanes in
            guard let running = lanes[id.transfer]?.running, running.attempt.id == id else { return nil }
            return running
        }
    }

    private func closed(_ transfer: TransferID) {
        let next = lanes.withLock { lanes -> Exchange? in
            let next = lanes[transfer]?.next
            lanes[transfer] = next.map { Lane(running: $0) }
            if next == nil { marks?.unmark(transfer.rawValue) }
            return next
        }
        next?.start()
    }

    /// Ends everything; what is not told yet is lost, as in a crash.
    func shutDown() {
        let running = lanes.withLock { lanes in lanes.values.compactMap(\.running) }
        for exchange in running { exchange.stop() }
        tools.network.end()
    }
}
