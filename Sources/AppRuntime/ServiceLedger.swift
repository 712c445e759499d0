internal import Wire

/// Knows what a service has asked and how it went, by number, so that each thing reaches the app once.
struct ServiceLedger: Sendable {
    typealias Answer = Result<JSONValue, RPCError>

    enum Verdict: Sendable {
        case new
        /// A repetition of what the app is done with: the same answer again.
        case answered(Answer)
        /// A repetition of what the app still deals with: it is answered then.
        case running
    }

    private(set) var running: Set<Int64> = []
    /// The newest last.
    private(set) var answers: [(seq: Int64, answer: Answer)] = []

    /// More than any service leaves unanswered at a time: what it may ask again is among them.
    private static let kept = 256

    mutating func receive(_ seq: Int64) -> Verdict {
        if let known = answers.last(where: { $0.seq == seq }) { return .answered(known.answer) }
        return running.insert(seq).inserted ? .new : .running
    }

    mutating func finish(_ seq: Int64, _ answer: Answer) {
        running.remove(seq)
        answers.append((seq, answer))
        if answers.count > Self.kept { answers.removeFirst() }
    }
}
