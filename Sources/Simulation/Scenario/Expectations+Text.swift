package import Model

extension LogPattern {
    /// As scenarios write it.
    package var text: String {
        (app.map { "\($0) " } ?? "") + event.name + (reason.map { " because “\($0)”" } ?? "")
    }
}

extension Span {
    /// As scenarios write it: `1.5s`, `200ms`, in the unit that shows it best, exactly.
    package var text: String {
        let units: [(String, Int64)] = [
            ("h", 3_600_000_000_000), ("m", 60_000_000_000), ("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000),
        ]
        for (name, length) in units where nanoseconds != 0 && nanoseconds % length == 0 {
            return "\(nanoseconds / length)\(name)"
        }
        if nanoseconds == 0 { return "0s" }
        if nanoseconds % 1_000_000 == 0 || abs(nanoseconds) >= 1_000_000_000 {
            let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
            var digits = String(abs(rest))
            digits = String(repeating: "0", count: 9 - digits.count) + digits
            while digits.last == "0" { digits.removeLast() }
            return "\(whole == 0 && nanoseconds < 0 ? "-" : "")\(whole).\(digits)s"
        }
        return "\(nanoseconds)ns"
    }
}

extension LaunchOptions {
    /// For people.
    var text: String {
        let parts = [
            url.map { "the URL \($0)" }, sourceApplication.map { "from \($0)" },
            service.isEmpty ? nil : "for \(service.keys.joined(separator: ", "))",
            notification.map { "for the notification “\($0.payload)” (\($0.key))" },
        ]
        let said = parts.compactMap { $0 }
        return said.isEmpty ? "no options" : said.joined(separator: " ")
    }
}

extension LaunchOptions {
    /// Those that are expected; what a notification says need only be a part of what it said.
    func are(_ expected: LaunchOptions) -> Bool {
        guard let (found, wanted) = notification.flatMap({ found in expected.notification.map { (found, $0) } })
        else { return self == expected }
        var rest = self
        rest.notification = expected.notification
        return rest == expected && found.key == wanted.key && found.payload.contains(wanted.payload)
    }
}
