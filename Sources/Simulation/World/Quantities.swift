internal import Model

/// So much of something in a nanosecond, as a fraction: what a share of a line or of a processor comes to.
struct Rate: Hashable, Sendable, Codable {
    var numerator: Int64
    var denominator: Int64

    /// What comes of it in a time, rounded down.
    func amount(in span: Span) -> Int64 { span.nanoseconds.scaled(by: numerator, over: denominator) }

    /// How long it takes until at least so much has come of it; `nil` when it never does.
    func time(for amount: Int64) -> Span? {
        guard amount > 0 else { return .zero }
        guard numerator > 0 else { return nil }
        let whole = amount.scaled(by: denominator, over: numerator)
        let isEnough = whole == .max || self.amount(in: Span(nanoseconds: whole)) >= amount
        return Span(nanoseconds: isEnough ? whole : whole + 1)
    }
}

extension Instant {
    /// The earliest of moments that may not come at all.
    static func earliest(_ moments: Instant?...) -> Instant? {
        var first: Instant?
        for case let moment? in moments where first.map({ moment < $0 }) ?? true { first = moment }
        return first
    }
}
