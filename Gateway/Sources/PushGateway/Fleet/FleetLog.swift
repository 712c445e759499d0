internal import LinuxSystem
internal import Logging
internal import Model
internal import NATSClient
internal import PushCore
internal import Synchronization

/// What all gateways of a fleet know and each has in memory: the secret of tokens, the topics, and the registrations
/// that have ended. Every gateway reads all of it when it starts and hears of what is stored from then on. It asks for
/// what it missed when the numbers of what it hears have a gap, and now and then.
final class FleetLog: Sendable {
    enum Change: Sendable {
        case topic(String)
        case registration(Registrations.Change)
    }

    struct Contents: Sendable {
        var secret: [UInt8]?
        var parts: Int?
        var topics: [String] = []
        var endings: [Registrations.Key: Registrations.Ending] = [:]
    }

    private struct State: Sendable {
        /// Everything up to this sequence is known.
        var applied: UInt64 = 0
        /// The newest of each ending, to change it only as it is known.
        var sequences: [Registrations.Key: UInt64] = [:]
        var listener: (@Sendable (Change) -> Void)?
        /// What was heard before the rest was read.
        var isReading = false
        var missesSome = false
        var whenRead: [@Sendable () -> Void] = []
    }

    private let client: NATSClient
    private let names: FleetNames
    private let logger: Logger
    private let state = Mutex(State())

    private static let timeout = Span.seconds(3)
    /// So many parts of it are read at the same time.
    private static let readers: UInt64 = 32

    init(_ client: NATSClient, _ names: FleetNames, _ logger: Logger) {
        self.client = client
        self.names = names
        self.logger = logger
    }

    // MARK: Reading

    /// Reads everything. Until `follow` is called, nothing else is heard.
    func read() async throws(NATSError) -> Contents {
        guard let stream = try await client.state(of: names.fleetStream, within: Self.timeout) else {
            throw .refused(code: 0, "there is no stream \(names.fleetStream)")
        }
        var contents = Contents()
        guard stream.lastSequence > 0 else { return contents }
        let first = max(1, stream.firstSequence)
        let length = max(1, (stream.lastSequence - first) / Self.readers + 1)
        var messages: [NATSMessage] = []
        let results = await withTaskGroup(of: Result<[NATSMessage], NATSError>.self) { group in
            for start in Swift.stride(from: first, through: stream.lastSequence, by: Int(length)) {
                group.addTask { await self.part(start...(start + length - 1)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for result in results { messages += try result.get() }
        messages.sort { ($0.sequence ?? 0) < ($1.sequence ?? 0) }
        for message in messages { add(message, to: &contents) }
        state.withLock { $0.applied = stream.lastSequence }
        return contents
    }

    private func part(_ range: ClosedRange<UInt64>) async -> Result<[NATSMessage], NATSError> {
        var messages: [NATSMessage] = []
        var next = range.lowerBound
        do throws(NATSError) {
            while next <= range.upperBound,
                let message = try await client.next(from: next, in: names.fleetStream, within: Self.timeout),
                let sequence = message.sequence, range.contains(sequence)
            {
                messages.append(message)
                next = sequence + 1
            }
            return .success(messages)
        } catch {
            return .failure(error)
        }
    }

    private func add(_ message: NATSMessage, to contents: inout Contents) {
        switch names.item(message.subject) {
        case .secret: contents.secret = message.payload
        case .layout: contents.parts = Int(String(decoding: message.payload, as: UTF8.self))
        case .topic: contents.topics.append(String(decoding: message.payload, as: UTF8.self))
        case .ending(let key):
            guard let ending = Registrations.Ending(message.payload) else { return }
            contents.endings[key] = ending
            state.withLock { $0.sequences[key] = message.sequence }
        case nil: break
        }
    }

    // MARK: Following

    /// - Parameter listener: told of each change, in its order.
    func follow(_ listener: @escaping @Sendable (Change) -> Void) throws(NATSError) {
        state.withLock { $0.listener = listener }
        try client.subscribe(names.changes) { [weak self] in self?.heard($0) }
        catchUp()
    }

    private func heard(_ message: NATSMessage) {
        guard let sequence = message.sequence, let subject = message.streamSubject else { return }
        let isNext = state.withLock { state in
            guard sequence > state.applied else { return true }
            guard !state.isReading, sequence == state.applied + 1 else {
                state.missesSome = true
                return false
            }
            apply(subject, message.payload, sequence, &state)
            return true
        }
        if !isNext { catchUp() }
    }

    /// Reads what was stored after the last that is known.
    func catchUp(then done: (@Sendable () -> Void)? = nil) {
        let begins = state.withLock { state in
            if let done {
                state.whenRead.append(done)
                state.missesSome = true
            }
            guard !state.isReading else { return false }
            state.isReading = true
            state.missesSome = false
            return true
        }
        if begins { Task { await self.readOn() } }
    }

    private func readOn() async {
        while true {
            let applied = state.withLock { $0.applied }
            let result: Result<NATSMessage?, NATSError>
            do throws(NATSError) {
                result = .success(
                    try await client.next(from: applied + 1, in: names.fleetStream, within: Self.timeout))
            } catch {
                result = .failure(error)
            }
            let done: [@Sendable () -> Void]? = state.withLock { state in
                switch result {
                case .success(let message?):
                    if let sequence = message.sequence, sequence > state.applied {
                        apply(message.subject, message.payload, sequence, &state)
                    }
                    return nil
                case .success(nil) where state.missesSome:
                    state.missesSome = false
                    return nil
                case .success(nil), .failure:
                    state.isReading = false
                    defer { state.whenRead = [] }
                    return state.whenRead
                }
            }
            if let done {
                for body in done { body() }
                if case .failure(let error) = result {
                    logger.debug("the fleet's log", metadata: ["error": "\(error)"])
                }
                return
            }
        }
    }

    /// Under the lock, so that changes keep their order.
    private func apply(_ subject: String, _ payload: [UInt8], _ sequence: UInt64, _ state: inout State) {
        state.applied = sequence
        switch names.item(subject) {
        case .topic: state.listener?(.topic(String(decoding: payload, as: UTF8.self)))
        case .ending(let key):
            state.sequences[key] = sequence
            guard let ending = Registrations.Ending(payload) else { return }
            state.listener?(.registration(Registrations.Change(key: key, ending: ending)))
        case .secret, .layout, nil: break
        }
    }

    // MARK: Writing

    /// The newest ending that this gateway knows, as `write` expects it.
    func sequence(of key: Registrations.Key) -> UInt64 { state.withLock { $0.sequences[key] ?? 0 } }

    func write(
        _ change: Registrations.Change, after sequence: UInt64, _ answer: @escaping @Sendable (NATSStoring) -> Void
    ) {
        store(change.ending.encoded, on: names.ending(change.key), after: sequence, answer)
    }

    /// A conflict says that the topic is there already.
    func write(topic: String, _ hash: TopicHash, _ answer: @escaping @Sendable (NATSStoring) -> Void) {
        store(Array(topic.utf8), on: names.topic(hash), after: 0, answer)
    }

    /// What a fleet is made with: the first gateway's goes.
    func found(secret: [UInt8], parts: Int) async -> [NATSStoring] {
        var results: [NATSStoring] = []
        for (payload, subject) in [(secret, names.secret), (Array("\(parts)".utf8), names.layout)] {
            results.append(
                await withCheckedContinuation { continuation in
                    store(payload, on: subject, after: 0) { continuation.resume(returning: $0) }
                })
        }
        return results
    }

    private func store(
        _ payload: [UInt8], on subject: String, after sequence: UInt64,
        _ answer: @escaping @Sendable (NATSStoring) -> Void
    ) {
        client.store(
            payload, on: subject, after: sequence, identifier: "\(subject)@\(sequence)", within: .seconds(5), answer)
    }
}

extension Registrations.Ending {
    var encoded: [UInt8] {
        [UInt8(epoch >> 8), UInt8(truncatingIfNeeded: epoch), isRegistered ? 1 : 0]
            + (0..<8).map { UInt8(truncatingIfNeeded: ended >> Int64(56 - 8 * $0)) }
    }

    init?(_ bytes: [UInt8]) {
        guard bytes.count == 11 else { return nil }
        self.init(
            epoch: UInt16(bytes[0]) << 8 | UInt16(bytes[1]), ended: bytes[3...].reduce(0) { $0 << 8 | Int64($1) },
            isRegistered: bytes[2] != 0)
    }
}
