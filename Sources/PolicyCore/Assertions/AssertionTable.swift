internal import Model

/// The assertions of one app: which service lets it run, why, since when, until when.
struct AssertionTable: Hashable, Codable {
    private(set) var held: [Assertion] = []

    var isEmpty: Bool { held.isEmpty }
    var first: Assertion? { held.first }

    func holds(_ kind: AssertionKind) -> Bool { held.contains { $0.kind == kind } }

    mutating func take(_ assertion: Assertion) { held.append(assertion) }

    mutating func drop(_ id: AssertionID) { held.removeAll { $0.id == id } }

    mutating func drop(_ kind: AssertionKind) { held.removeAll { $0.kind == kind } }

    mutating func dropExpired(at now: Instant) {
        held.removeAll { assertion in
            assertion.kind != .task && assertion.expires.map { $0 <= now } ?? false
        }
    }

    mutating func dropAll() { held = [] }

    /// When the tasks have to be ended, for whoever asks; what then happens is not decided here.
    mutating func setTaskEnd(_ end: Instant?) {
        for place in held.indices where held[place].kind == .task { held[place].expires = end }
    }

    var nextExpiry: Instant? { held.filter { $0.kind != .task }.compactMap(\.expires).min() }
}
