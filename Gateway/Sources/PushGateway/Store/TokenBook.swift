internal import Crypto
internal import Model
internal import PushCore
internal import Synchronization

/// Makes device tokens and reads them: the secret, the topics that there are, and the registrations that have ended.
final class TokenBook: Sendable {
    private struct State: Sendable {
        var registrations: Registrations
        var topics: [TopicHash: String]
        var newTopics: Allowance
        var endings: Allowance
    }

    let authority: TokenAuthority
    private let rules: PushRules
    private let state: Mutex<State>

    /// More apps than any gateway serves; an agent may invent names.
    private static let mostTopics = 100_000

    init(
        secret: [UInt8], rules: PushRules, registrations: [Registrations.Key: Registrations.Ending],
        topics: [TopicHash: String]
    ) {
        self.rules = rules
        authority = Self.authority(secret: secret)
        state = Mutex(
            State(
                registrations: Registrations(registrations), topics: topics,
                newTopics: Allowance(most: rules.newTopicBurst, perSecond: rules.newTopicsPerHour / 3600),
                endings: Allowance(most: rules.endingBurst, perSecond: rules.endingsPerSecond)))
    }

    private static func authority(secret: [UInt8]) -> TokenAuthority {
        let key = SymmetricKey(data: secret)
        return TokenAuthority(
            seal: { Array(HMAC<SHA256>.authenticationCode(for: $0, using: key)) },
            digest: { Array(SHA256.hash(data: $0)) })
    }

    enum Registering: Sendable {
        /// The token is good at once.
        case known(DeviceToken)
        /// It is good once these are durable.
        case changes(DeviceToken, Registrations.Change?, newTopic: String?)
        case refused(String)
    }

    func register(_ device: DeviceID, topic: String) -> Registering {
        let hash = authority.hash(topic)
        let (epoch, change, isNew, isFull) = state.withLock { state in
            let isNew = state.topics[hash] == nil
            guard !isNew || state.topics.count < Self.mostTopics && state.newTopics.take(at: .now) else {
                return (UInt16(0), Registrations.Change?.none, false, true)
            }
            if isNew { state.topics[hash] = topic }
            let (epoch, change) = state.registrations.register(Registrations.Key(device: device, topic: hash))
            return (epoch, change, isNew, false)
        }
        if isFull { return .refused("TooManyTopics") }
        let token = authority.token(device: device, topic: topic, epoch: epoch)
        return change == nil && !isNew ? .known(token) : .changes(token, change, newTopic: isNew ? topic : nil)
    }

    /// What changes, or `nil` if there is no registration.
    func unregister(
        _ device: DeviceID, topic: String, now: WallTime
    ) throws(Registrations.Refusal) -> Registrations.Change? {
        let key = Registrations.Key(device: device, topic: authority.hash(topic))
        return try state.withLock { state throws(Registrations.Refusal) in
            guard state.endings.take(at: .now) else { throw .tooManyRegistrations }
            return try state.registrations.unregister(key, at: now, rules: rules)
        }
    }

    func read(_ text: Substring, topic: String) throws(PushRejection) -> DeviceToken {
        let token = try authority.read(text, topic: topic) { hash in state.withLock { $0.topics[hash] } }
        try state.withLock { state throws(PushRejection) in try state.registrations.check(token) }
        return token
    }

    /// Neither could be written.
    func failed(_ change: Registrations.Change?, newTopic topic: String?) {
        let hash = topic.map(authority.hash)
        state.withLock { state in
            if let change { state.registrations.failed(change) }
            if let hash { state.topics[hash] = nil }
        }
    }

    /// Another gateway has registered a topic.
    func add(topic: String) {
        let hash = authority.hash(topic)
        state.withLock { $0.topics[hash] = topic }
    }

    func apply(_ change: Registrations.Change) { state.withLock { $0.registrations.apply(change) } }
}
