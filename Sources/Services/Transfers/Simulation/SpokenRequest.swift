internal import Model
internal import Simulation

/// What a simulated app says: `download 20MB in photos`, `upload 300kB in photos`, `open photos`, `cancel photos`. A
/// transfer may begin `after 2h` and have `low` priority, or the service type `background`; with `discretionary` at the
/// end, that is what the session is from then on.
struct SpokenRequest: Hashable {
    enum Action: Hashable {
        case open, cancel
        case download(Int64), upload(Int64)
    }

    var action: Action
    var session: String
    var isDiscretionary = false
    /// It can wait for a radio that is awake.
    var isLow = false
    /// `URLRequest.networkServiceType` says that no user waits for it.
    var isBackground = false
    /// It does not begin before so much time has passed.
    var delay: Span?

    static let forms =
        "it understands `open SESSION`, `download SIZE in SESSION`, `upload SIZE in SESSION` and `cancel SESSION`, "
        + "with `after TIME` and `low` or `background` behind a transfer, and `discretionary` behind all but the last"

    init?(_ text: String) {
        var words = text.split(separator: " ").map(String.init)
        if words.last == "discretionary", words.first != "cancel" {
            isDiscretionary = true
            words.removeLast()
        }
        if words.count > 4, words.last == "low" {
            isLow = true
            words.removeLast()
        } else if words.count > 4, words.last == "background" {
            isBackground = true
            words.removeLast()
        }
        if words.count == 6, words[4] == "after" {
            guard let delay = Self.time(words[5]) else { return nil }
            self.delay = delay
            words.removeLast(2)
        }
        switch (words.first, words.count) {
        case ("open", 2): action = .open
        case ("cancel", 2): action = .cancel
        case ("download", 4), ("upload", 4):
            guard words[2] == "in", let size = Self.bytes(words[1]) else { return nil }
            action = words[0] == "download" ? .download(size) : .upload(size)
        default: return nil
        }
        guard let name = words.last, !name.isEmpty else { return nil }
        session = name
    }

    /// As the real client: what was opened, also by a task in it, is opened again after the service's death.
    var keepsake: ServiceModelKeepsake {
        let open = "open \(session)" + (isDiscretionary ? " discretionary" : "")
        return ServiceModelKeepsake(subject: session, words: action == .cancel ? nil : open)
    }

    private static func bytes(_ text: String) -> Int64? {
        let units: [(String, Int64)] = [("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("B", 1)]
        return number(text, units)
    }

    private static func time(_ text: String) -> Span? {
        number(text, [("s", 1), ("m", 60), ("h", 3600)]).map { .seconds(1) * $0 }
    }

    private static func number(_ text: String, _ units: [(String, Int64)]) -> Int64? {
        for (unit, factor) in units where text.hasSuffix(unit) {
            guard let number = Int64(text.dropLast(unit.count)), number >= 0, number < 1_000_000 else { return nil }
            return number * factor
        }
        return nil
    }
}
