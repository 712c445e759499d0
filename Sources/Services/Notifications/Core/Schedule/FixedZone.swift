extension ZoneRules {
    /// A zone that is named after its distance from Greenwich, as `TimeZone(secondsFromGMT:)` makes them: `GMT+0200`,
    /// `GMT-3`, `UTC+05:30`, `+0200`. `nil`: the name says no distance.
    package init?(distanceIn name: String) {
        let distance = ["GMT", "UTC", "UT"].first { name.hasPrefix($0) }.map { name.dropFirst($0.count) } ?? name[...]
        if distance.isEmpty || name == "Z" {
            guard !name.isEmpty else { return nil }
            self.init(identifier: name, initialOffset: 0)
            return
        }
        guard let sign = distance.first, "+-".contains(sign), let seconds = Self.seconds(distance.dropFirst()) else {
            return nil
        }
        self.init(identifier: name, initialOffset: sign == "-" ? -seconds : seconds)
    }

    /// Of `2`, `02`, `0230`, `02:30`, `023015` and `02:30:15`.
    private static func seconds(_ text: Substring) -> Int32? {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        if parts.count == 1, text.count > 2 {
            let hours = text.prefix(2 - text.count % 2)
            let rest = text.dropFirst(hours.count)
            parts = [hours, rest.prefix(2)] + (rest.count > 2 ? [rest.dropFirst(2)] : [])
        }
        let limits: [Int32] = [18, 59, 59]
        guard (1...3).contains(parts.count) else { return nil }
        var seconds: Int32 = 0
        for (place, part) in parts.enumerated() {
            let isNumber =
                (place == 0 ? 1...2 : 2...2).contains(part.count) && part.allSatisfy { ("0"..."9").contains($0) }
            guard isNumber, let number = Int32(part), number <= limits[place] else { return nil }
            seconds += number * [3600, 60, 1][place]
        }
        return seconds
    }
}
