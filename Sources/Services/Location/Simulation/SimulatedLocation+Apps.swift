internal import LocationCore
internal import LocationModel
internal import LocationTranslation
internal import LocationWire
internal import Model
internal import ServiceCore
internal import ServiceWire
internal import Simulation
internal import Wire

/// An app's end of a connection.
struct LocationConnection: Sendable {
    let app: AppIdentifier
    let process: Int64
    /// It speaks the service's own protocol.
    let isProgram: Bool
    /// What it has asked by this connection: it says all that waits for an answer whenever it says something.
    var asked: Set<UInt64> = []
}

/// Who waits for the Core's answer, and for what.
struct LocationAsked: Sendable {
    enum Kind: Sendable {
        case hello
        case said(number: UInt64)
        /// In the service's own protocol.
        case request(number: UInt64, RPCID)
        /// Another service.
        case service(number: UInt64)
        case deed
    }

    let connection: UInt64
    let kind: Kind
}

// Apps and their connections.
extension SimulatedLocation {
    mutating func attached(_ connection: UInt64, _ app: AppIdentifier, _ client: ServiceModelClient) {
        if facts.clients[app]?.process != client.process {
            facts.clients[app] = LocationFacts.Client(process: client.process)
        }
        connections[connection] = LocationConnection(
            app: app, process: client.process, isProgram: client.isProgram)
        post(
            .attached(
                ConnectionID(connection),
                AppDescription(
                    app, process: client.process, name: app.rawValue, hasKey: client.modes.contains("location"))))
        guard let known = facts.clients[app] else { return }
        ask(connection, .hello(updates: known.updates, heading: known.heading, running: []), .hello)
    }

    private mutating func ask(_ connection: UInt64, _ asked: LocationRequest, _ kind: LocationAsked.Kind) {
        let id = RequestID(number())
        requests[id] = LocationAsked(connection: connection, kind: kind)
        // The app's own side, as its framework has it.
        if let app = connections[connection]?.app {
            switch asked {
            case .hello(let updates, let heading, _):
                facts.clients[app]?.updates = updates
                facts.clients[app]?.heading = heading
            case .update(let settings): facts.clients[app]?.updates = settings
            case .stopUpdates: facts.clients[app]?.updates = nil
            case .heading(let isOn): facts.clients[app]?.heading = isOn
            case .once, .significantChanges, .visits, .monitor, .unmonitor, .state, .authorize: break
            }
        }
        post(.app(ConnectionID(connection), id, asked))
    }

    mutating func said(_ connection: UInt64, _ number: UInt64, _ words: String) {
        guard connections[connection]?.asked.insert(number).inserted == true else { return }
        if words.hasPrefix("{") { return hear(connection, number, words) }
        guard let spoken = SpokenLocation(words) else {
            return acts.append(.answer(connection: connection, number: number, keeps: nil))
        }
        ask(connection, spoken.request, .said(number: number))
    }

    private mutating func hear(_ connection: UInt64, _ number: UInt64, _ words: String) {
        guard let message = try? RPCMessage.parse(Array(words.utf8)) else { return }
        switch message {
        case .request(let id, let name, let params):
            do throws(RPCError) {
                guard let method = LocationClientMethod(rawValue: name) else { throw .methodNotFound(name) }
                ask(connection, try LocationRequest(method, params), .request(number: number, id))
            } catch {
                acts.append(.answer(connection: connection, number: number, keeps: nil))
                tell(connection, .failure(id: id, error))
            }
        case .response(.int(let seq), _), .failure(.int(let seq)?, _):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            post(.answered(ConnectionID(connection), Int64(seq), Nothing()))
        case .response, .failure, .notification:
            acts.append(.answer(connection: connection, number: number, keeps: nil))
        }
    }

    // MARK: Told

    private mutating func tell(_ connection: UInt64, _ message: RPCMessage, seq: NewsNumber = 0) {
        tell(connection, String(decoding: message.encoded().dropLast(), as: UTF8.self), seq: seq)
    }

    /// - Parameter seq: of what is told once; 0: of nothing that is numbered.
    private mutating func tell(_ connection: UInt64, _ words: String, seq: NewsNumber = 0) {
        let number = number()
        told[number] = (connection, seq)
        acts.append(
            .tell(connection: connection, number: number, words, sequence: seq == 0 ? nil : UInt64(seq)))
    }

    mutating func tell(_ connection: UInt64, _ seq: NewsNumber, _ news: LocationNews) {
        guard let known = connections[connection] else { return }
        guard known.isProgram else { return tell(connection, news.words, seq: seq) }
        let message = LocationTold(seq: seq, news: news)
        tell(connection, .request(id: .int(seq), method: message.message.rawValue, params: message.json), seq: seq)
    }

    mutating func notify(_ connection: UInt64, _ notice: LocationNotice) {
        guard let known = connections[connection] else { return }
        if known.isProgram {
            let message = LocationOnWire.message(for: notice)
            return tell(connection, .notification(method: message.name, params: message.params))
        }
        switch notice {
        case .fixes: tell(connection, "fix")
        case .failed(let code, _): tell(connection, "failed: \(code.rawValue)")
        case .heading, .surroundings: break
        }
    }

    /// The app's main thread has dealt with it.
    mutating func heard(_ number: UInt64) {
        guard let telling = told.removeValue(forKey: number), telling.seq != 0,
            let known = connections[telling.connection]
        else { return }
        // The code of a real app answers itself.
        if !known.isProgram { post(.answered(ConnectionID(telling.connection), telling.seq, Nothing())) }
    }

    // MARK: Answered

    mutating func answered(_ request: RequestID, _ result: Result<LocationReply, LocationRefusal>) {
        guard let asked = requests.removeValue(forKey: request) else { return }
        let connection = asked.connection
        switch asked.kind {
        case .hello:
            guard case .success(let reply) = result, connections[connection]?.isProgram == true else { return }
            tell(connection, .notification(method: "hello", params: reply.json))
        case .service(let number):
            switch result {
            case .success: acts.append(.reply(number: number, .done("{}")))
            case .failure(let refusal): acts.append(.reply(number: number, .refused(refusal.sentence)))
            }
        case .deed: if case .failure(let refusal) = result { refusedDeed = refusal }
        case .said(let number):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            switch result {
            case .failure(let refusal):
                // Updates that were refused did not begin.
                if let app = connections[connection]?.app, refusal == .denied { facts.clients[app]?.updates = nil }
                tell(connection, "refused: \(refusal.word)")
            case .success(.fix): tell(connection, "fix")
            case .success(.state(let state)): tell(connection, "it is \(state.rawValue)")
            case .success(.authorization(let authorization, _)): tell(connection, authorization.rawValue)
            case .success(.done), .success(.hello): break
            }
        case .request(let number, let id):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            switch result {
            case .success(let reply): tell(connection, .response(id: id, result: reply.json))
            case .failure(let refusal): tell(connection, .failure(id: id, RPCError(refusal)))
            }
        }
    }
}
