internal import Model
internal import PushCore
internal import PushLink
internal import Wire

/// The gateway at the providers' end, and the providers: outside of the device, so that nothing of it dies with that.
/// What decides is PushCore's, as in `greenroom-pushgate`; the store and the cryptography are pretended.
struct SimulatedGateway: Sendable {
    /// What a provider was answered.
    enum Answer: Hashable, Sendable {
        case accepted(id: String)
        case refused(PushReason)
    }

    private static let name = "gateway.example"
    let rules = PushRules()
    private let authority: TokenAuthority
    private let proof: LinkProof
    private(set) var isUp = true
    private var numbers = MessageNumbers(after: 0)
    private var registrations = Registrations()
    /// What is kept until the device has it, by number.
    private(set) var store: [Int64: PushMessage] = [:]
    private var session: LinkSession?
    /// What the device has to get, in order.
    private var outgoing: [GatewayRecord] = []
    private var endsConnection = false
    /// What providers know, by topic.
    private(set) var tokens: [String: String] = [:]
    private(set) var answers: [String: [Answer]] = [:]
    private var nextID: UInt64 = 1
    /// Accepted, and taken back by the rules before the device had it.
    private(set) var superseded = 0

    init() {
        authority = TokenAuthority(
            seal: { PretendedDigest.bytes($0, salt: 0x5ea1) }, digest: { PretendedDigest.bytes($0, salt: 0) })
        proof = LinkProof(
            names: [Self.name], digest: { PretendedDigest.bytes($0, salt: 0) }, isSigned: { _, _, _ in true })
    }

    static let deviceKey = [UInt8](repeating: 4, count: LinkRules.keyLength)

    // MARK: Providers

    /// A provider sends something to a topic, by the token that it knows, with these fields beside those that every
    /// request has.
    @discardableResult
    mutating func send(_ fields: [(String, String)], to topic: String, payload: String, at time: Time) -> Answer {
        let answer: Answer
        do throws(PushRejection) {
            guard isUp else { throw PushRejection(.serviceUnavailable) }
            answer = .accepted(id: try accept(fields, topic, payload, time))
        } catch {
            answer = .refused(error.reason)
        }
        answers[topic, default: []].append(answer)
        return answer
    }

    private mutating func accept(
        _ fields: [(String, String)], _ topic: String, _ payload: String, _ time: Time
    ) throws(PushRejection) -> String {
        var request = PushFields()
        request.add(":method", "POST")
        request.add(":path", "/3/device/" + (tokens[topic] ?? ""))
        request.add("apns-topic", topic)
        for (name, value) in fields { request.add(name, value) }
        let text = try request.token()
        let provider = ProviderIdentity(name: "provider", topics: .any)
        let options = try request.options(for: provider, rules: rules, now: time.wall)
        let read = try Payload(Array(payload.utf8), for: options.type, rules: rules)
        let known = tokens.keys.map { (authority.hash($0), $0) }
        let token = try authority.read(text, topic: options.topic) { hash in known.first { $0.0 == hash }?.1 }
        try registrations.check(token)
        let type = options.type ?? read.type
        let message = PushMessage(
            number: numbers.next(at: time.wall), device: token.device, topic: options.topic,
            id: options.id ?? newID(), type: type, priority: try options.priority(type), expires: options.expires,
            collapse: options.collapse, at: time.wall, payload: Array(payload.utf8))
        keep(message, time)
        return message.id
    }

    private mutating func newID() -> String {
        defer { nextID += 1 }
        let digits = String(nextID, radix: 16)
        return "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    }

    private mutating func keep(_ message: PushMessage, _ time: Time) {
        tick(time)
        guard message.isStored else {
            return perform(session?.deliver(message, rules: rules, at: time.boot) ?? [], time)
        }
        let superseding = Superseding.of(message, isReading: session?.isReading ?? false)
        let before = store.count
        store = store.filter { number, other in
            guard other.topic == message.topic, number < message.number else { return true }
            return switch superseding {
            case .nothing: true
            case .collapse: other.collapse != message.collapse
            case .topic: false
            }
        }
        superseded += before - store.count
        store[message.number] = message
        perform(session?.deliver(message, rules: rules, at: time.boot) ?? [], time)
    }

    // MARK: The device

    /// A new connection of the device; an older one is given up.
    mutating func connected(_ time: Time) {
        session = LinkSession(at: time.boot)
        outgoing = []
        endsConnection = false
    }

    mutating func receive(_ record: AgentRecord, _ time: Time) {
        let proof = proof
        perform(
            session?.receive(
                record, rules: rules, proof: proof,
                nonce: { [UInt8](repeating: 1, count: LinkRules.nonceLength) }, at: time.boot) ?? [], time)
    }

    /// What it has for the device by now, and whether its end of the connection closes behind that.
    mutating func take() -> (records: [GatewayRecord], ends: Bool) {
        defer { outgoing = [] }
        return (outgoing, endsConnection)
    }

    /// It restarts, or is gone for a while. What it had stored is there again afterwards.
    mutating func setUp(_ isUp: Bool, _ time: Time) {
        guard isUp != self.isUp else { return }
        self.isUp = isUp
        if !isUp { perform(session?.end(.shutdown) ?? [], time) }
    }

    /// When it has to be looked at again.
    var due: Instant? { session?.due }

    mutating func tick(_ time: Time) { perform(session?.tick(rules: rules, at: time.boot) ?? [], time) }

    private mutating func perform(_ actions: [LinkSession.Action], _ time: Time) {
        for action in actions {
            switch action {
            case .send(let record): outgoing.append(record)
            case .attach: break
            case .load(let device, let limit):
                let waiting = store.values.filter { $0.device == device }.sorted(by: PushMessage.isSooner)
                let page = Array(waiting.prefix(limit))
                perform(
                    session?.loaded(page, isAll: page.count == waiting.count, rules: rules, now: time.wall) ?? [],
                    time)
            case .acknowledge(_, let number): store[number] = nil
            case .register(let device, let topic): register(device, topic)
            case .unregister(let device, let topic): unregister(device, topic, time)
            case .close:
                endsConnection = true
                session?.closed()
            }
        }
    }

    private mutating func register(_ device: DeviceID, _ topic: String) {
        let key = Registrations.Key(device: device, topic: authority.hash(topic))
        let token = authority.token(device: device, topic: topic, epoch: registrations.register(key).epoch).text
        // The app says it to its provider.
        tokens[topic] = token
        outgoing.append(.token(topic: topic, token: token))
    }

    private mutating func unregister(_ device: DeviceID, _ topic: String, _ time: Time) {
        let key = Registrations.Key(device: device, topic: authority.hash(topic))
        do throws(Registrations.Refusal) {
            _ = try registrations.unregister(key, at: time.wall, rules: rules)
            store = store.filter { $0.value.topic != topic }
            outgoing.append(.unregistered(topic: topic))
        } catch {
            outgoing.append(.refused(topic: topic, reason: error.rawValue))
        }
    }
}

/// The world's clocks.
struct Time: Sendable {
    var boot: Instant
    var wall: WallTime
}

/// Stands in for a hash: nobody attacks a simulated gateway.
enum PretendedDigest {
    static func bytes(_ text: [UInt8], salt: UInt64) -> [UInt8] {
        var bytes: [UInt8] = []
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325 ^ salt
        for round in 0..<4 {
            for byte in text + [UInt8(round)] { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: hash >> UInt64(8 * place))) }
        }
        return bytes
    }
}

extension SimulatedGateway.Answer {
    var sentence: String {
        switch self {
        case .accepted: "200"
        case .refused(let reason): "\(reason.status) \(reason.rawValue)"
        }
    }
}
