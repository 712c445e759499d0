internal import Curl
internal import LinuxSystem
internal import Synchronization
internal import TransferCore

/// One request of an exchange, as libcurl tells of it. It lives on the thread of the network.
final class Hop: CurlTransferDelegate {
    private let exchange: Exchange
    private let onEnd: () -> Void
    /// Another request follows: elsewhere, or with a password.
    private var isFollowed = false
    private var wasted = 0

    init(_ exchange: Exchange, onEnd: @escaping () -> Void) {
        self.exchange = exchange
        self.onEnd = onEnd
    }

    func transfer(received interim: CurlHead) { exchange.informational(interim) }

    func transfer(answered head: CurlHead) -> CurlFlow {
        exchange.touch()
        switch exchange.judge(head) {
        case .again:
            isFollowed = true
            return .taken
        case .fail(let failure):
            exchange.state.withLock { $0.failure = failure }
            return .abort
        case .report(let event) where exchange.attempt.isQuestion:
            exchange.report(event)
            exchange.state.withLock { $0.isStopped = true }
            return .taken
        case .report(let event):
            let isStopped = exchange.state.withLock { state in
                if !state.isStopped { state.phase = .deciding(isComplete: false) }
                return state.isStopped
            }
            guard !isStopped else { return .abort }
            exchange.report(event)
            return .taken
        }
    }

    func transfer(received bytes: UnsafeRawBufferPointer, moved: Int) -> CurlFlow {
        enum Place {
            case file(FileSink)
            case nowhere, later
        }
        let place = exchange.state.withLock { state -> Place in
            guard !state.isStopped else { return .nowhere }
            switch state.phase {
            case .deciding: return .later
            case .receiving(let sink): return state.holds > 0 ? .later : .file(sink)
            case .preparing, .asking, .ended: return .nowhere
            }
        }
        switch place {
        case .later: return .wait
        case .file(let sink): return unsafe receive(bytes, moved, sink)
        case .nowhere:
            exchange.touch()
            wasted += bytes.count
            // An answer that nobody wants is longer than it is worth.
            return wasted > Exchange.mostWaste ? .abort : .taken
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, _ moved: Int, _ sink: FileSink) -> CurlFlow {
        exchange.moved(received: bytes.count, over: moved)
        if let limit = exchange.attempt.longestAnswer {
            let isTooLong = exchange.state.withLock { state -> Bool in
                guard state.received > limit else { return false }
                state.failure = .answerTooLong
                return true
            }
            if isTooLong { return .abort }
        }
        switch unsafe sink.append(bytes) {
        case .more: return .taken
        case .full:
            exchange.hold()
            return .taken
        // What it was, is told when it has ended.
        case .none: return .abort
        }
    }

    func transferSupplies(into space: UnsafeMutableRawBufferPointer) -> CurlSupply {
        guard exchange.state.withLock({ $0.holds <= 0 }) else { return .wait }
        return unsafe exchange.supply(into: space)
    }

    func transferEnded(_ failure: CurlFailure?) {
        onEnd()
        exchange.hopEnded(isFollowed: isFollowed, failure)
    }
}
