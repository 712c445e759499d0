internal import AsyncHTTPClient
internal import LinuxSystem
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import TransferCore

/// One request of an exchange, as its connection tells of it.
final class HopDelegate: HTTPClientResponseDelegate {
    typealias Response = Void

    enum Fate: Sendable {
        /// The answer is for the Core.
        case deliver
        /// Another request follows: elsewhere, or with a password.
        case again
    }

    /// An answer that nobody wants is longer than it is worth.
    struct TooMuchWaste: Error {}

    private let exchange: Exchange
    private let number: Int
    let fate = Mutex(Fate.deliver)
    private let wasted = Mutex(0)

    init(_ exchange: Exchange, _ number: Int) {
        self.exchange = exchange
        self.number = number
    }

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) { exchange.touch() }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        exchange.touch()
        switch exchange.judge(head) {
        case .again:
            fate.withLock { $0 = .again }
            return task.eventLoop.makeSucceededVoidFuture()
        case .fail(let failure):
            exchange.state.withLock { $0.failure = failure }
            return task.eventLoop.makeFailedFuture(CancellationError())
        case .report(let event) where exchange.attempt.isQuestion:
            exchange.report(event)
            exchange.state.withLock { $0.isStopped = true }
            return task.eventLoop.makeSucceededVoidFuture()
        case .report(let event):
            let promise = task.eventLoop.makePromise(of: Void.self)
            let isStopped = exchange.state.withLock { state -> Bool in
                guard !state.isStopped else { return true }
                state.phase = .deciding(promise)
                return false
            }
            if isStopped {
                promise.fail(CancellationError())
            } else {
                exchange.report(event)
            }
            return promise.futureResult
        }
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let loop = task.eventLoop
        let sink = exchange.state.withLock { state -> FileSink? in
            if case .receiving(let sink) = state.phase, !state.isStopped { return sink }
            return nil
        }
        guard let sink else {
            exchange.touch()
            let isTooMuch = wasted.withLock { wasted in
                wasted += buffer.readableBytes
                return wasted > Exchange.mostWaste
            }
            return isTooMuch ? loop.makeFailedFuture(TooMuchWaste()) : loop.makeSucceededVoidFuture()
        }
        let rest = exchange.moved(received: buffer.readableBytes, on: loop)
        if let limit = exchange.attempt.longestAnswer {
            let isTooLong = exchange.state.withLock { state -> Bool in
                guard state.received > limit else { return false }
                state.failure = .answerTooLong
                return true
            }
            if isTooLong { return loop.makeFailedFuture(CancellationError()) }
        }
        let waits = [sink.append(buffer, on: loop), rest].compactMap { $0 }
        return waits.isEmpty
            ? loop.makeSucceededVoidFuture() : exchange.holdUp(EventLoopFuture.andAllSucceed(waits, on: loop))
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {}

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {}
}

/// What an exchange makes of a head.
enum HeadVerdict {
    case again
    case fail(NetworkFailure)
    case report(TransferEvent)
}

extension Exchange {
    func judge(_ head: HTTPResponseHead) -> HeadVerdict {
        let (address, method) = state.withLock { state in
            state.head = head
            return (state.address, state.method)
        }
        if attempt.usesCookies {
            tools.memory.store(head.headers["set-cookie"], attempt.session, from: address, now: wallSeconds())
        }
        let status = Int(clamping: head.status.code)
        switch Redirect.read(
            status: status, location: head.headers.first(name: "location"), method: method, from: address)
        {
        case .elsewhere: return .fail(.redirectToNowhere)
        case .follow(let redirect): return follow(redirect, from: address)
        case .none: break
        }
        let challenge = challenge(status, head.headers)
        if let challenge, !challenge.isProxy, canAnswer(challenge, at: address) {
            tools.memory.remember(challenge, attempt.session, from: address)
            return .again
        }
        let space = challenge.map { found in
            let proxy = found.isProxy ? attempt.settings.proxy : nil
            return ChallengeSpace(
                host: proxy?.host ?? address.host, port: proxy?.port ?? Int32(address.port), scheme: address.scheme,
                realm: found.realm, method: found.scheme.rawValue.lowercased(), isProxy: found.isProxy)
        }
        if let challenge, !challenge.isProxy { tools.memory.remember(challenge, attempt.session, from: address) }
        let response = TransferResponse(
            url: address.text, status: Int32(clamping: status),
            headers: head.headers.map { HeaderField($0.name, $0.value) },
            httpVersion: "HTTP/\(head.version.major).\(head.version.minor)")
        return .report(.responseHead(attempt.id, ResponseHead(response), challenge: space))
    }

    private func follow(_ redirect: Redirect, from address: Address) -> HeadVerdict {
        let isTooMany = state.withLock { state -> Bool in
            state.redirects += 1
            guard state.redirects <= Self.mostRedirects else { return true }
            state.address = redirect.address
            state.method = redirect.method
            state.answered = nil
            if !redirect.keepsBody {
                state.sendsBody = false
                state.headers.removeAll {
                    ["content-type", "content-length", "content-encoding"].contains($0.name.lowercased())
                }
            }
            state.sent = 0
            if !redirect.address.hasSameOrigin(as: address) {
                // What was meant for one host is not another's to know.
                state.headers.removeAll {
                    ["authorization", "cookie", "proxy-authorization"].contains($0.name.lowercased())
                }
            }
            return false
        }
        return isTooMany ? .fail(.tooManyRedirects) : .again
    }

    private func challenge(_ status: Int, _ headers: HTTPHeaders) -> Challenge? {
        switch status {
        case 401: Challenge.strongest(headers["www-authenticate"], isProxy: false)
        case 407: Challenge.strongest(headers["proxy-authenticate"], isProxy: true)
        default: nil
        }
    }

    /// There is a password for it, and it has not just been refused.
    private func canAnswer(_ challenge: Challenge, at address: Address) -> Bool {
        guard attempt.credential != nil, attempt.space.map(address.isIn) ?? true else { return false }
        return state.withLock { state in
            guard let last = state.answered else { return true }
            return challenge.isStale && last.nonce != challenge.nonce
        }
    }
}
