internal import Dispatch
internal import Synchronization
package import Wire

/// What an app says to a service: through a socket, or to a simulated one in the same process. Any thread may say it.
package protocol ServiceLink: AnyObject, Sendable {
    typealias Answered = @Sendable (Result<JSONValue, RPCError>) -> Void

    /// Begins, so that the service can ask the app for something.
    func start()

    /// Asks the service, and asks again after its death if it has not answered.
    ///
    /// - Parameters:
    ///   - isErrand: the app runs until it is answered; not for what may take for ever.
    ///   - completion: called on any thread, not before this returns.
    func request(_ method: String, _ params: JSONValue, isErrand: Bool, completion: @escaping Answered)

    /// Ends it for good.
    func stop()

    /// Calls when the service has all that the app has answered, or there is none any more: the app may be suspended
    /// then, which would keep back what was not written.
    func settle(_ done: @escaping @Sendable () -> Void)

    /// Does something that asks the service, while the thread is about to wait for the answer.
    func whileWaiting(_ body: () -> Void)
}

extension ServiceLink {
    // A service that is another process answers meanwhile.
    package func whileWaiting(_ body: () -> Void) { body() }
}

/// What hears what a service says to an app.
package protocol ServiceListener: AnyObject, Sendable {
    /// What the app says first on each connection.
    ///
    /// - Parameter running: the numbers of what this process was asked and has not answered.
    func hello(running: [Int64]) -> JSONValue
    /// The service's answer to that.
    func greeted(_ answer: JSONValue)
    /// The service does not speak with this app.
    func refused(_ error: RPCError)
    /// The service asks for something, for the first time.
    func called(_ call: ServiceCall)
    func told(_ method: String, _ params: JSONValue)
}

/// Something that a service asks an app for.
package struct ServiceCall: Sendable {
    package let seq: Int64
    package let method: String
    package let params: JSONValue
    /// To be called once, on any thread.
    package let answer: @Sendable (Result<JSONValue, RPCError>) -> Void

    package init(
        seq: Int64, method: String, params: JSONValue,
        answer: @escaping @Sendable (Result<JSONValue, RPCError>) -> Void
    ) {
        self.seq = seq
        self.method = method
        self.params = params
        self.answer = answer
    }
}

/// An app's end of the wire to a service that numbers what it asks the app for: `params.seq`, which is also the
/// request's `id`. No number is given twice, over the lives of both; they need not come in their order, since what
/// waits for its moment may be overtaken.
///
/// Each of them reaches the listener once, however often the service asks. The app's answers are given again on each
/// new connection, since one that was on its way when the last connection ended is lost.
// What is not behind the mutex is touched on the stream's queue only.
package final class ServiceClient: ServiceLink, @unchecked Sendable {
    private struct Pending {
        let line: [UInt8]
        let completion: Answered
    }

    private let service: String
    private let stream: ServiceStream
    private let connect: ServiceStream.Connector
    private let errand: String
    private let keeper: ServiceErrands
    private weak let listener: (any ServiceListener)?
    /// How many requests are out for which the app has to run.
    private let errands = Mutex(0)
    private var helloID: Int64?
    private var isGreeted = false
    private var refusal: RPCError?
    private var pending: [Int64: Pending] = [:]
    private var ledger = ServiceLedger()
    /// They wait for a connection on which the app's answers are given again.
    private var settling: [@Sendable () -> Void] = []

    /// - Parameters:
    ///   - service: its declared name.
    ///   - errand: what the app does while the service has not answered it, for people.
    ///   - keeper: who keeps the app running meanwhile.
    ///   - listener: held weakly.
    ///   - connect: another way than through the system.
    package init(
        _ service: String, errand: String, keeper: ServiceErrands = .shared, listener: any ServiceListener,
        connect: ServiceStream.Connector? = nil
    ) {
        self.service = service
        stream = ServiceStream("greenroom.\(service)")
        self.errand = errand
        self.keeper = keeper
        self.listener = listener
        self.connect = connect ?? { ServiceConnections.shared.attempt(service) }
    }

    package func start() { stream.start(connect) { [self] in hear($0) } }

    /// Ends the connection for good.
    package func stop() {
        stream.stop()
        stream.queue.async { self.settled() }
    }

    package func settle(_ done: @escaping @Sendable () -> Void) {
        stream.queue.async { [self] in
            // Of a service that has died the app may not have heard yet. Its successor asks again.
            let isWritten = ledger.answers.isEmpty || isGreeted && stream.isOpen
            if isWritten || refusal != nil || !stream.comesBack { return done() }
            settling.append(done)
        }
    }

    package func request(
        _ method: String, _ params: JSONValue, isErrand: Bool = true, completion: @escaping Answered
    ) {
        // It may be what ends the app's work, such as its sound or its location.
        Departure.prepare()
        if isErrand { setOut(by: 1) }
        let finish: Answered = { [self] result in
            // Not on the queue: the app may wait there for an answer.
            DispatchQueue.global(qos: .userInitiated).async { [self] in
                completion(result)
                if isErrand { Turn.end { [self] in setOut(by: -1) } }
            }
        }
        stream.queue.async { [self] in
            if let refusal { return finish(.failure(refusal)) }
            let id = stream.nextID()
            let line = RPCMessage.request(id: .int(id), method: method, params: params).encoded()
            pending[id] = Pending(line: line, completion: finish)
            if isGreeted { stream.send(line) }
        }
        start()
    }

    private func setOut(by change: Int) {
        errands.withLock { count in
            let was = count
            count += change
            if (was == 0) != (count == 0) { keeper.set(errand, isOut: count > 0) }
        }
    }

    // MARK: On the queue

    private func hear(_ news: ServiceStream.News) {
        switch news {
        case .connected:
            isGreeted = false
            guard let listener else { return stream.stop() }
            helloID = stream.ask("hello", listener.hello(running: ledger.running.sorted()))
        case .ended:
            isGreeted = false
            helloID = nil
        case .asked(let question, let method, let params): asked(question, method, params)
        case .told(let method, let params): listener?.told(method, params)
        case .answered(helloID, let result): greeted(result)
        case .answered(let number, let result): pending.removeValue(forKey: number)?.completion(result)
        case .complained(let error), .unavailable(let error): giveUp(error)
        }
    }

    private func greeted(_ result: Result<JSONValue, RPCError>) {
        helloID = nil
        switch result {
        case .success(let answer):
            isGreeted = true
            listener?.greeted(answer)
            for (seq, answer) in ledger.answers { reply(seq, answer) }
            settled()
            for (_, request) in pending.sorted(by: { $0.key < $1.key }) { stream.send(request.line) }
        case .failure(let error):
            refusal = error
            stream.stop()
            listener?.refused(error)
            giveUp(error)
        }
    }

    private func giveUp(_ error: RPCError) {
        let hopeless = pending.sorted { $0.key < $1.key }
        pending = [:]
        for (_, request) in hopeless { request.completion(.failure(error)) }
        settled()
    }

    private func settled() {
        let ready = settling
        settling = []
        for done in ready { done() }
    }

    private func asked(_ question: ServiceStream.Question, _ method: String, _ params: JSONValue) {
        let seq: Int64
        do throws(RPCError) {
            seq = try params.integer("seq")
            guard question.id == .int(seq) else {
                throw .invalidParameter("seq", "the id of what an app is asked equals its seq")
            }
        } catch {
            return stream.answer(question, .failure(error))
        }
        switch ledger.receive(seq) {
        case .answered(let answer): reply(seq, answer)
        case .running: break
        case .new:
            guard let listener else { return }
            listener.called(
                ServiceCall(seq: seq, method: method, params: params) { [self] result in
                    stream.queue.async { [self] in finish(seq, result) }
                })
        }
    }

    private func finish(_ seq: Int64, _ result: Result<JSONValue, RPCError>) {
        ledger.finish(seq, result)
        if isGreeted { reply(seq, result) }
    }

    private func reply(_ seq: Int64, _ result: Result<JSONValue, RPCError>) {
        switch result {
        case .success(let result): stream.send(RPCMessage.response(id: .int(seq), result: result).encoded())
        case .failure(let error): stream.send(RPCMessage.failure(id: .int(seq), error).encoded())
        }
    }
}
