internal import Model
internal import PushLink

/// What a device lets its gateway keep back, so that its radio does not wake for it alone: which messages may wait for
/// how long, and which do.
struct QuietMessages: Sendable {
    /// Background pushes of any topic may wait so long.
    private var patience = Span.zero
    private var topics: [String: LinkHold<Instant>] = [:]
    /// The newest one of each topic that waits, by its number. The store has the message.
    private var waiting: [String: Int64] = [:]
    /// When what waits has to be sent at the latest.
    private(set) var due: Instant?

    private static let mostTopics = 256
    /// A radio is awake for so long after it was used, whatever kind it is.
    private static let tail = Span.seconds(5)

    var isEmpty: Bool { waiting.isEmpty }

    mutating func set(patience: Span) { self.patience = patience }

    /// Returns whether what waits for the topic is to be sent.
    mutating func set(_ hold: LinkHold<Int>?, _ topic: String, at now: Instant) -> Bool {
        topics = topics.filter { $0.value.isInForce(at: now) }
        switch hold {
        case nil: topics[topic] = nil
        case .never:
            keep(.never, topic)
            return waiting[topic] != nil
        case .until(let seconds):
            keep(.until(now + .seconds(Double(seconds))), topic)
        }
        return false
    }

    private mutating func keep(_ hold: LinkHold<Instant>, _ topic: String) {
        if topics[topic] != nil || topics.count < Self.mostTopics { topics[topic] = hold }
    }

    /// Until when a message may wait; `nil`: it is sent at once.
    /// - Parameter heard: when something went over the connection last.
    func limit(of message: PushMessage, heard: Instant, at now: Instant) -> Instant? {
        // What is kept nowhere cannot wait; and an alert has something to show, so a newer push cannot take its place.
        guard message.isStored, message.type == .background,
            waiting[message.topic] != nil || waiting.count < Self.mostTopics
        else { return nil }
        switch topics[message.topic] {
        case .never: return nil
        case .until(let until) where until > now: return until
        case .until, nil: return patience > .zero && now - heard > Self.tail ? now + patience : nil
        }
    }

    /// Returns the number of the message whose place it takes.
    mutating func keep(_ message: PushMessage, until limit: Instant) -> Int64? {
        due = min(due ?? limit, limit)
        return waiting.updateValue(message.number, forKey: message.topic)
    }

    /// All of it is sent.
    mutating func takeAll() {
        waiting = [:]
        due = nil
    }
}

extension LinkHold<Instant> {
    fileprivate func isInForce(at now: Instant) -> Bool {
        switch self {
        case .never: true
        case .until(let until): until > now
        }
    }
}
