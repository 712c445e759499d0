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
        ]
        let said = parts.compactMap { $0 }
        return said.isEmpty ? "no options" : said.joined(separator: " ")
    }
}

// What `greenroom run` prints of a run.
extension ScenarioRun {
    /// How long it was, and how much happened.
    package var summary: String {
        let seconds = device.elapsed.nanoseconds / 1_000_000_000
        let units = [
            (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let parts = units.filter { $0.0 > 0 }.prefix(2).map { "\($0.0) \($0.1)" }
        return
            "virtual \(parts.isEmpty ? device.elapsed.text : parts.joined(separator: " ")), \(device.eventCount) events"
    }

    /// A failure with the shortest chain that led to it, one line each. `file` is how the user named the scenario.
    package func lines(of failure: Failure, file: String) -> [String] {
        let place = failure.line.map { "\(file):\($0)" } ?? file
        var lines = ["\(place): at \(failure.at.text): \(failure.text)"]
        for entry in failure.chain { lines.append("    " + line(entry)) }
        return lines
    }

    /// How to see the same again.
    package func reproduction(file: String) -> String { "greenroom run \(file) --seed \(device.seed)" }

    private func line(_ entry: LogEntry) -> String {
        let number = entry.sequence.rawValue - (device.log.first?.sequence.rawValue ?? 0)
        let at = number < device.logTimes.count ? device.logTimes[Int(number)] : device.now
        let moment = (at - Instant(nanoseconds: Device.bootTime)).text
        let app = entry.app.map { device.name(of: $0) + " " } ?? ""
        return "#\(entry.sequence.rawValue) \(moment) \(app)\(entry.event.name): \(entry.reason.sentence)"
    }
}
