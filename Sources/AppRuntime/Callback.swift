package import Wire

/// A delegate method that the daemon wants called (`docs/PROTOCOL.md`, 2.2).
package struct Callback: Sendable, Hashable {
    package let seq: Int64
    package let name: CallbackName
    package let params: JSONValue

    package init(seq: Int64, name: CallbackName, params: JSONValue = .null) {
        self.seq = seq
        self.name = name
        self.params = params
    }
}

/// Knows which callbacks were received and how they went, so that each reaches the delegate exactly once.
struct CallbackLedger: Sendable {
    enum Verdict: Hashable, Sendable {
        case new
        /// A repetition whose delegate method has returned: the same answer again.
        case answered(JSONValue)
        /// A repetition of what is still running: it is answered when it returns.
        case running
    }

    /// The last that was received; zero: none.
    private var last: Int64 = 0
    /// The newest last.
    private var results: [(seq: Int64, result: JSONValue)] = []

    mutating func receive(_ seq: Int64) -> Verdict {
        guard seq <= last else {
            last = seq
            return .new
        }
        for entry in results.reversed() where entry.seq == seq { return .answered(entry.result) }
        return .running
    }

    mutating func finish(_ seq: Int64, _ result: JSONValue) {
        results.append((seq, result))
        if results.count > Limits.keptResults { results.removeFirst() }
    }

    /// What `hello` says: the last callback whose delegate method has returned.
    var executed: JSONValue {
        guard let last = results.last else { return .null }
        return ["seq": .int(last.seq), "result": last.result]
    }
}
