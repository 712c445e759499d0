internal import Model

/// The assertions of one app: which service lets it run, why, since when, until when.
struct AssertionTable: Hashable, Codable {
    private(set) var held: [Assertion] = []

    var isEmpty: Bool { held.isEmpty }
    var first: Assertion? { held.first }

    func holds(_ kind: AssertionKind) -> Bool { held.contains { $0.kind == kind } }

    mutating func take(_ assertion: Assertion) { held.append(assertion) }

    mutating func drop(_ kind: AssertionKind) { held.removeAll { $0.kind == kind } }

    mutating func dropExpired(at now: Instant) -> [Assertion] {
        let expired = held.filter { assertion in assertion.expires.map { $0 <= now } ?? false }
        held.removeAll { assertion in assertion.expires.map { $0 <= now } ?? false }
        return expired
    }

    mutating func dropAll() { held = [] }

    var nextExpiry: Instant? { held.compactMap(\.expires).min() }
}
