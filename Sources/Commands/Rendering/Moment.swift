package import Model

/// Reads the times of the protocol and says them to people.
package struct Moment {
    /// What the clock says now, and how far local time is ahead of UTC at a moment, in seconds.
    package struct Clock: Sendable {
        package var now: @Sendable () -> WallTime
        package var offset: @Sendable (WallTime) -> Int64

        package init(now: @escaping @Sendable () -> WallTime, offset: @escaping @Sendable (WallTime) -> Int64) {
            self.now = now
            self.offset = offset
        }
    }

    package let time: WallTime

    package init(_ time: WallTime) { self.time = time }

    /// Fails unless the text is `YYYY-MM-DDTHH:MM:SS[.f…]Z`.
    package init?(_ text: String) {
        guard let time = WallTime(iso8601: text) else { return nil }
        self.time = time
    }

    /// "5 s ago", or "in 5 s" of what is to come.
    package func age(_ clock: Clock) -> String {
        let seconds = (clock.now().nanoseconds - time.nanoseconds) / 1_000_000_000
        let distance = abs(seconds)
        let length =
            switch distance {
            case ..<60: "\(distance) s"
            case ..<3600: "\(distance / 60) min"
            case ..<86_400: "\(distance / 3600) h"
            default: "\(distance / 86_400) d"
            }
        return distance < 1 ? "now" : seconds > 0 ? "\(length) ago" : "in \(length)"
    }

    /// How long ago something began: "5 s ago". A clock that was set back since then cannot tell: "earlier".
    package func past(_ clock: Clock) -> String {
        time.nanoseconds - clock.now().nanoseconds >= 1_000_000_000 ? "earlier" : age(clock)
    }

    /// Local time of day, with the date in front on another day than today.
    package func local(_ clock: Clock, milliseconds: Bool = false) -> String {
        let here = Self.shifted(time, clock)
        let (date, clockTime) = (here.prefix(10), here.dropFirst(11).prefix(milliseconds ? 12 : 8))
        let isToday = Self.shifted(clock.now(), clock).prefix(10) == date
        return isToday ? String(clockTime) : "\(date) \(clockTime)"
    }

    private static func shifted(_ time: WallTime, _ clock: Clock) -> String {
        WallTime(nanoseconds: time.nanoseconds + clock.offset(time) * 1_000_000_000).iso8601
    }
}
