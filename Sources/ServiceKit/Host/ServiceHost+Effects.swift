internal import LinuxSystem
package import Model
internal import ServiceCore
internal import ServiceWire
internal import Wire

extension ServiceHost {
    func perform(_ effect: ServiceEffect<Words>) {
        switch effect {
        // Committed already.
        case .store, .erase: break
        case .reply(let request, let reply): answer(request, .success(reply))
        case .refuse(let request, let refusal): answer(request, .failure(refusal))
        case .tell(let connection, let number, let news): tell(connection, number, news)
        case .notify(let connection, let notice):
            let message = Translation.message(for: notice)
            peers[connection.rawValue]?.send(.notification(method: message.name, params: message.params))
        case .hold(let app, let process, let hold, let because):
            self.hold(ServiceHold(app, process: process, hold, because: because))
        case .drop(let app, let process, let hold, let because):
            drop(ServiceHold(app, process: process, hold, because: because))
        case .stopped(let order): stops.removeValue(forKey: order)?(.success([:]))
        case .wake(let app, let upTo, let window, let because, let payload):
            wake(app, upTo, window, because, payload)
        case .note(let app, let sentence): explain(app, sentence)
        case .ask(let service, let question): ask(service, question)
        case .own(let effect): world.perform(effect, self)
        }
    }

    private func tell(_ connection: ConnectionID, _ number: NewsNumber, _ news: Words.News) {
        let message = Translation.message(for: news, number)
        peers[connection.rawValue]?.request(message.name, message.params, number: number) { [weak self] result in
            self?.assumeIsolated { $0.answered(connection, number, result, to: news) }
        }
    }

    /// An app that does not understand it would not the next time, either: the policy is told that it is done with it.
    func answered(
        _ connection: ConnectionID, _ number: NewsNumber, _ result: Result<JSONValue, RPCError>, to news: Words.News?
    ) {
        if case .failure(let error) = result { note("an app refused what it was told: \(error.message.prefix(200))") }
        if let answer = Translation.answer(result, to: news) { post(.answered(connection, number, answer)) }
    }

    // MARK: The daemon

    private func hold(_ hold: ServiceHold<Words.Hold>) {
        guard let broker, broker.isConnected else { return post(.held(hold.app, hold.name, .lost)) }
        let number = asked.insert(.held(hold.app, hold.name, .lost))
        broker.request(.hold, hold.json) { [weak self] result in
            self?.assumeIsolated { host in
                guard host.asked.remove(number) else { return }
                switch result {
                case .success: host.post(.held(hold.app, hold.name, .allowed))
                case .failure: host.post(.held(hold.app, hold.name, .refused))
                }
            }
        }
    }

    private func drop(_ hold: ServiceHold<Words.Hold>) {
        if !hold.because.isEmpty { explain(hold.app, hold.because) }
        broker?.request(
            .drop,
            [
                "app": .string(hold.app.rawValue), "process": .int(hold.process), "hold": .string(hold.name.rawValue),
            ]
        ) { _ in }
    }

    private func explain(_ app: AppIdentifier, _ sentence: String) {
        broker?.tell(.note, ["app": .string(app.rawValue), "sentence": .string(String(sentence.prefix(200)))])
    }

    private func wake(
        _ app: AppIdentifier, _ upTo: NewsNumber, _ window: Words.Window, _ because: String, _ payload: String
    ) {
        guard let broker, broker.isConnected else { return post(.woken(app, upTo, .lost)) }
        let number = asked.insert(.woken(app, upTo, .lost))
        let params: JSONValue = [
            "app": .string(app.rawValue), "window": .string(window.rawValue), "because": .string(because),
            "payload": .string(payload),
        ]
        broker.request(.wake, params) { [weak self] result in
            self?.assumeIsolated { host in
                if host.asked.remove(number) { host.post(.woken(app, upTo, WakeAnswer(result))) }
            }
        }
    }

    private func ask(_ service: String, _ question: Words.Question) {
        guard let broker, broker.isConnected else { return post(.replied(question, .lost)) }
        let number = asked.insert(.replied(question, .lost))
        let message = Translation.message(for: question)
        broker.ask(service, message.name, message.params) { [weak self] result in
            self?.assumeIsolated { host in
                guard host.asked.remove(number) else { return }
                if case .failure(let error) = result { host.note("\(service) was asked: \(error.message)") }
                host.post(.replied(question, ServiceAnswer(result)))
            }
        }
    }

    // MARK: Requests

    /// A number for the policy that leads back to the peer.
    func request(_ answer: PendingRequest) -> RequestID {
        let number = RequestID(number())
        requests[number] = answer
        return number
    }

    /// A number for the policy that leads back to the world.
    package func requestOfWorld() -> RequestID {
        let number = RequestID(number())
        worldRequests.insert(number)
        return number
    }

    private func answer(_ request: RequestID, _ result: Result<Words.Reply, Words.Refusal>) {
        if worldRequests.remove(request) != nil { return world.answered(request, result) }
        guard let pending = requests.removeValue(forKey: request) else { return }
        switch result {
        case .success(let reply):
            let refusal = storageRefusal(ofPromise: pending.isPromise)
            pending.answer(refusal.map(Result.failure) ?? .success(world.result(of: reply)))
        case .failure(let refusal): pending.answer(.failure(Translation.error(of: refusal)))
        }
    }
}

/// A request that waits for the policy's answer.
struct PendingRequest: Sendable {
    enum Asker: Sendable {
        case app(connection: UInt64)
        /// - Parameter isPromise: it is refused while any promised record is not stored.
        case tool(connection: UInt64, isPromise: Bool)
        /// Another service, or the host itself.
        case service
    }

    let asker: Asker
    let answer: @Sendable (Result<JSONValue, RPCError>) -> Void

    var isPromise: Bool {
        if case .tool(_, let isPromise) = asker { isPromise } else { false }
    }

    func isOf(_ peer: UInt64) -> Bool {
        switch asker {
        case .app(let connection), .tool(let connection, _): connection == peer
        case .service: false
        }
    }
}

/// What the daemon was asked and has not answered. When it dies, it never does: the policy is told so.
struct AskedOfDaemon<Words: ServiceWords>: Sendable {
    private var waiting: [UInt64: ServiceEvent<Words>] = [:]
    private var next: UInt64 = 1

    /// - Parameter event: what the policy is told if the daemon dies.
    mutating func insert(_ event: ServiceEvent<Words>) -> UInt64 {
        defer { next += 1 }
        waiting[next] = event
        return next
    }

    /// - Returns: whether it was still waited for.
    mutating func remove(_ number: UInt64) -> Bool { waiting.removeValue(forKey: number) != nil }

    mutating func takeAll() -> [ServiceEvent<Words>] {
        defer { waiting = [:] }
        return waiting.sorted { $0.key < $1.key }.map(\.value)
    }
}

extension ServiceHold {
    var json: JSONValue {
        [
            "app": .string(app.rawValue), "process": .int(process), "hold": .string(name.rawValue),
            "because": .string(because),
        ]
    }
}
