package import LocationModel

/// What the sources tell, always on the queue that they were given.
package protocol LocationSourceClient: AnyObject {
    /// Told once when a source begins, and then at every change.
    func source(_ source: FixSource, is state: SourceState)
    func found(_ fix: Fix)
    /// `nil`: the modem is in no cell, or there is no modem.
    func moved(to tower: CellTower?)
    func turned(to heading: Heading)
    /// The compass is no source of fixes, so it has a state of its own.
    func compass(is state: SourceState)
}

/// Something that says where the device is, while it is on.
///
/// A source that is off does nothing: it listens to nothing, asks nothing and starts nothing. So while it is off its
/// state is what it was last known to be, and `present` before it was first tried: worth an attempt. A source that is
/// absent comes back only while it is on, so leave it on for as long as it is wanted.
///
/// Everything happens on the queue that it was given.
package protocol LocationSource: AnyObject {
    /// Comes before it is turned on for the first time. The client is held weakly.
    func begin(_ client: any LocationSourceClient)
    /// Turns it off. The client hears nothing more.
    func end()
    var isOn: Bool { get set }
}

/// Pauses between attempts: each is twice as long as the one before.
struct Pauses {
    private let shortest: Int
    private let longest: Int
    private var failures = 0

    /// Milliseconds.
    init(from shortest: Int, to longest: Int) { (self.shortest, self.longest) = (shortest, longest) }

    mutating func reset() { failures = 0 }

    /// Milliseconds until the next attempt.
    mutating func next() -> Int {
        defer { failures += 1 }
        return min(longest, shortest << min(failures, 16))
    }
}

/// Tells a client only what it does not know.
struct ToldState {
    private(set) var state: SourceState?

    /// Whether that is news.
    mutating func set(_ new: SourceState) -> Bool {
        guard new != state else { return false }
        state = new
        return true
    }
}

extension Double {
    /// Degrees from north as `Fix` has them; `nil` for what is no direction.
    var asCourse: Double? {
        guard isFinite, self >= 0, self <= 360 else { return nil }
        return self == 360 ? 0 : self
    }

    /// `nil` for what is no number, or less than nothing.
    var asAmount: Double? { isFinite && self >= 0 ? self : nil }
}
