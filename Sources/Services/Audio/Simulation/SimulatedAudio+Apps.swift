internal import AudioCore
internal import AudioModel
internal import AudioTranslation
internal import AudioWire
internal import Model
internal import ServiceCore
internal import Simulation
internal import Wire

/// An app's end of a connection.
struct AudioConnection: Sendable {
    let app: AppIdentifier
    let process: Int64
    /// It speaks the service's own protocol.
    let isProgram: Bool
    /// What it has asked by this connection: it says all that waits for an answer whenever it says something.
    var asked: Set<UInt64> = []
}

/// Who waits for the Core's answer, and for what.
struct AudioAsked: Sendable {
    enum Kind: Sendable {
        case hello
        case said(number: UInt64)
        /// In the service's own protocol.
        case request(number: UInt64, RPCID)
        case deed
    }

    let connection: UInt64
    let kind: Kind
    let asked: AudioRequest?
}

/// What an app was told, until it has heard it.
struct AudioTelling: Sendable {
    let connection: UInt64
    let news: AudioNews?
    let seq: NewsNumber
    /// What the app had begun by then.
    let epoch: Int
}

// Apps and their connections.
extension SimulatedAudio {
    mutating func attached(_ connection: UInt64, _ app: AppIdentifier, _ client: ServiceModelClient) {
        for node in facts.endProcess(of: app, but: client.process) { post(.nodeGone(node)) }
        if facts.clients[app] == nil { facts.clients[app] = AudioFacts.Client(process: client.process) }
        connections[connection] = AudioConnection(
            app: app, process: client.process, isProgram: client.isProgram)
        post(
            .attached(
                ConnectionID(connection),
                AppDescription(
                    app, process: client.process, name: app.rawValue, hasKey: client.modes.contains("audio"))))
        guard let hello = facts.clients[app]?.hello else { return }
        ask(connection, .hello(hello), .hello)
    }

    private mutating func ask(_ connection: UInt64, _ asked: AudioRequest, _ kind: AudioAsked.Kind) {
        let id = RequestID(number())
        requests[id] = AudioAsked(connection: connection, kind: kind, asked: asked)
        note(asked, connection)
        post(.app(ConnectionID(connection), id, asked))
    }

    /// The app's own side, as its framework has it.
    private mutating func note(_ asked: AudioRequest, _ connection: UInt64) {
        guard let app = connections[connection]?.app else { return }
        change(app) { client in
            switch asked {
            case .hello(let hello): client.hello = hello
            case .set(let settings): client.hello.settings = settings
            case .remote(let commands, let events):
                (client.hello.commands, client.hello.wantsEvents) = (commands, events)
            case .nowPlaying(let playing): client.hello.nowPlaying = playing
            case .override(let toSpeaker): client.hello.overridesToSpeaker = toSpeaker
            case .deactivate:
                client.hello.isActive = false
                client.hello.streams = [:]
            case .stop(let number): client.hello.streams[number] = nil
            case .activate, .start, .requestPermission: break
            }
        }
        switch asked {
        case .stop(let number): stand(app, only: number)
        case .deactivate: stand(app, only: nil)
        default: break
        }
    }

    private mutating func change(_ app: AppIdentifier, _ body: (inout AudioFacts.Client) -> Void) {
        guard var client = facts.clients[app] else { return }
        body(&client)
        facts.clients[app] = client
    }

    /// Its streams stand still; `nil`: all.
    private mutating func stand(_ app: AppIdentifier, only number: Int64?) {
        facts.lost.removeAll { $0.owner == .app(app) && (number == nil || $0.stream == number) && $0.stream != nil }
        for (id, node) in facts.orderedNodes where node.owner == .app(app) && node.runs && node.stream != nil {
            guard number == nil || node.stream == number else { continue }
            facts.nodes[id]?.runs = false
            post(.nodeRuns(id, false))
        }
    }

    mutating func said(_ connection: UInt64, _ number: UInt64, _ words: String) {
        guard let known = connections[connection], connections[connection]?.asked.insert(number).inserted == true else {
            return
        }
        if words.hasPrefix("{") { return hear(connection, known, number, words) }
        guard let spoken = SpokenAudio(words) else {
            return acts.append(.answer(connection: connection, number: number, keeps: nil))
        }
        if case .start(let stream, let level) = spoken { change(known.app) { $0.levels[stream] = level } }
        ask(connection, spoken.request, .said(number: number))
    }

    private mutating func hear(_ connection: UInt64, _ known: AudioConnection, _ number: UInt64, _ words: String) {
        guard let message = try? RPCMessage.parse(Array(words.utf8)) else { return }
        switch message {
        case .request(let id, let name, let params):
            do throws(RPCError) {
                guard let method = AudioClientMethod(rawValue: name) else { throw .methodNotFound(name) }
                ask(connection, try AudioRequest(method, params), .request(number: number, id))
            } catch {
                acts.append(.answer(connection: connection, number: number, keeps: nil))
                tell(connection, .failure(id: id, error))
            }
        case .response(.int(let seq), let result):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            let status = (try? AudioStatusAnswer(json: result))?.status ?? .success
            post(.answered(ConnectionID(connection), Int64(seq), status))
        case .failure(.int(let seq)?, _):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            post(.answered(ConnectionID(connection), Int64(seq), .failed))
        case .response, .failure, .notification:
            acts.append(.answer(connection: connection, number: number, keeps: nil))
        }
    }

    // MARK: Told

    mutating func tell(_ connection: UInt64, _ message: RPCMessage) {
        tell(connection, message.words, nil, 0)
    }

    private mutating func tell(_ connection: UInt64, _ words: String, _ news: AudioNews?, _ seq: NewsNumber) {
        let number = number()
        let epoch = connections[connection].flatMap { facts.clients[$0.app]?.epoch } ?? 0
        told[number] = AudioTelling(connection: connection, news: news, seq: seq, epoch: epoch)
        let sequence = news == nil ? nil : UInt64(seq)
        acts.append(.tell(connection: connection, number: number, words, sequence: sequence))
    }

    mutating func tell(_ connection: UInt64, _ seq: NewsNumber, _ news: AudioNews) {
        facts.lastNews = max(facts.lastNews, seq)
        guard let known = connections[connection] else { return }
        guard known.isProgram else { return tell(connection, news.words, news, seq) }
        let message = AudioTold(seq: seq, news: news)
        let request = RPCMessage.request(
            id: .int(seq), method: message.message.rawValue, params: message.json)
        tell(connection, request.words, news, seq)
    }

    mutating func surround(_ connection: UInt64, _ surroundings: AudioSurroundings) {
        guard connections[connection]?.isProgram == true else { return }
        let name = AudioClientMessage.surroundings.rawValue
        tell(connection, .notification(method: name, params: surroundings.json))
    }

    /// The app's main thread has dealt with it.
    mutating func heard(_ number: UInt64) {
        guard let telling = told.removeValue(forKey: number), let news = telling.news,
            let known = connections[telling.connection]
        else { return }
        take(news, known.app, telling.epoch)
        // The code of a real app answers itself.
        if !known.isProgram { post(.answered(ConnectionID(telling.connection), telling.seq, .success)) }
    }

    /// As its framework takes it; what the app has begun since then goes on.
    private mutating func take(_ news: AudioNews, _ app: AppIdentifier, _ epoch: Int) {
        var stands = false
        switch news {
        case .interrupted(let reason):
            stands = true
            change(app) { client in
                guard client.epoch <= epoch else { return }
                (client.hello.isActive, client.hello.isInterrupted) = (false, reason != .appWasSuspended)
            }
        case .interruptionEnded: change(app) { $0.hello.isInterrupted = false }
        case .routeChanged(_, _, let pauses): stands = pauses
        case .command, .silenceHint: break
        }
        guard stands, let client = facts.clients[app] else { return }
        for number in client.hello.streams.keys.sorted() where client.begun[number, default: 0] <= epoch {
            change(app) { $0.hello.streams[number] = nil }
            stand(app, only: number)
        }
    }

    // MARK: Answered

    mutating func answered(_ request: RequestID, _ result: Result<AudioReply, AudioRefusal>) {
        guard let asked = requests.removeValue(forKey: request) else { return }
        let connection = asked.connection
        if case .success = result, let what = asked.asked { begin(what, connection) }
        switch asked.kind {
        case .hello:
            guard case .success(let reply) = result, connections[connection]?.isProgram == true else { return }
            tell(connection, .notification(method: "hello", params: reply.json))
        case .deed:
            if case .failure(let refusal) = result { refusedDeed = refusal }
        case .said(let number):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            switch result {
            case .failure(let refusal): tell(connection, "refused: \(refusal.word)", nil, 0)
            case .success(.permission(let permission)): tell(connection, "microphone \(permission.rawValue)", nil, 0)
            case .success: break
            }
        case .request(let number, let id):
            acts.append(.answer(connection: connection, number: number, keeps: nil))
            switch result {
            case .success(let reply): tell(connection, .response(id: id, result: reply.json))
            case .failure(let refusal): tell(connection, .failure(id: id, RPCError(refusal)))
            }
        }
    }

    /// What was allowed the app does.
    private mutating func begin(_ asked: AudioRequest, _ connection: UInt64) {
        guard let known = connections[connection] else { return }
        switch asked {
        case .start(let number, let direction):
            change(known.app) { client in
                client.epoch += 1
                client.begun[number] = client.epoch
                (client.hello.isActive, client.hello.isInterrupted) = (true, false)
                client.hello.streams[number] = direction
            }
            let level = facts.clients[known.app]?.levels[number] ?? 1
            run(.app(known.app), known.process, number, direction, level, runs: true)
        case .activate:
            change(known.app) { client in
                client.epoch += 1
                (client.hello.isActive, client.hello.isInterrupted) = (true, false)
            }
        default: break
        }
    }
}

extension RPCMessage {
    /// Without the end of its line.
    fileprivate var words: String { String(decoding: encoded().dropLast(), as: UTF8.self) }
}
