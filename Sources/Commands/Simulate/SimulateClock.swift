internal import ArgumentParser
internal import Wire

struct SimulateClock: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "clock", abstract: "The clock is set, or a new day begins.",
        usage: """
            greenroom simulate clock forward TIME
            greenroom simulate clock back TIME
            greenroom simulate clock midnight
            greenroom simulate clock real
            """,
        discussion: """
            Apps hear of a significant time change, as UIApplication.significantTimeChangeNotification has it: those \
            that run at once, others when they run again. The machine's own clock stays as it is.
            """)

    enum Change: String, ExpressibleByArgument, CaseIterable {
        case forward, back, midnight, real
    }

    @Argument(help: "forward, back, midnight (the next day begins), or real: the machine's clock.") var change: Change
    @Argument(help: "For forward and back, such as 90s, 30m, 1h30m or 2d.") var time: String?

    func validate() throws {
        switch (change, time) {
        case (.midnight, _?), (.real, _?): throw ValidationError("\(change.rawValue) takes no time")
        case (.forward, nil), (.back, nil): throw ValidationError("say by how much, such as \(change.rawValue) 1h")
        case (_, let time?):
            guard Self.seconds(time) != nil else {
                throw ValidationError("\(time) is not a time: write it like 90s, 30m, 1h30m or 2d")
            }
        default: break
        }
    }

    func parameters() -> JSONObject {
        let seconds = time.flatMap(Self.seconds) ?? 0
        return switch change {
        case .forward: ["event": "clock", "by": .int(seconds)]
        case .back: ["event": "clock", "by": .int(-seconds)]
        case .midnight: ["event": "clock", "midnight": true]
        case .real: ["event": "clock", "real": true]
        }
    }

    private static let units: [(name: Character, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
    private static let maxSeconds: Int64 = 100 * 366 * 86_400

    /// Whole numbers with units, the greater unit first; `nil` for other texts, and for more than a hundred years.
    static func seconds(_ text: String) -> Int64? {
        var (rest, total, smallest) = (Substring(text), Int64(0), Int64.max)
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            rest = rest.dropFirst(digits.count)
            guard let unit = Self.units.first(where: { $0.name == rest.first }), unit.seconds < smallest,
                let number = Int64(digits), number <= maxSeconds
            else { return nil }
            rest = rest.dropFirst()
            smallest = unit.seconds
            total += number * unit.seconds
        } while !rest.isEmpty
        return total <= maxSeconds ? total : nil
    }
}

struct SimulateStore: SurroundingsVerb {
    static let configuration = CommandConfiguration(
        commandName: "store", abstract: "What apps share is changed: contacts, photos, calendar, …",
        discussion: """
            Apps hear that the store of this name was changed, as they do when a file changes that the device's \
            profile declares. No file is changed.
            """)

    @Argument(help: "The store's name, such as contacts.") var name: String

    func parameters() -> JSONObject { ["event": "store", "value": .string(name)] }
}
