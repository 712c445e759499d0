internal import Model
internal import NotificationsCore
package import Simulation

/// What a simulated app says in a scenario: `SpokenRequest.forms` lists it.
enum SpokenRequest: Hashable {
    case ask(AppRequest)
    /// What its delegate answers from now on when a notification comes while it is on the screen.
    case presents(PresentationOptions)

    static let forms =
        "it understands `authorize OPTIONS`, `register`, `unregister`, `notify ID WHEN …`, `cancel ID`, "
        + "`withdraw ID`, `cancel all`, `withdraw all`, `presents OPTIONS`, `category NAME ACTIONS`, `badge COUNT`, "
        + "`list pending` and `list delivered`; WHEN is `now`, `in TIME`, `every TIME`, `at HH:MM:SS`, "
        + "`daily HH:MM:SS`, `on YYYY-MM-DD HH:MM:SS`, `entering PLACE`, `leaving PLACE` or `crossing PLACE`, where a "
        + "PLACE is `LATITUDE/LONGITUDE/RADIUS`; behind it come `badge COUNT`, `sound NAME`, `category NAME` and, at last, "
        + "`say WORDS`; ACTIONS are names, with `:foreground` or `:text` behind them, and `dismissals`"

    init?(_ text: String) {
        var words = text.split(separator: " ").map(String.init)[...]
        guard let verb = words.popFirst() else { return nil }
        switch verb {
        case "authorize":
            guard let options = Self.options(words, of: Self.authorizations) else { return nil }
            self = .ask(.authorize(options))
        case "presents":
            guard let options = Self.options(words, of: Self.presentations) else { return nil }
            self = .presents(options)
        case "register" where words.isEmpty: self = .ask(.register)
        case "unregister" where words.isEmpty: self = .ask(.unregister)
        case "notify":
            guard let request = Self.notification(&words) else { return nil }
            self = .ask(.add(request))
        case "cancel" where words.count == 1: self = .ask(.removePending(Self.identifiers(words)))
        case "withdraw" where words.count == 1: self = .ask(.removeDelivered(Self.identifiers(words)))
        case "category":
            guard let category = Self.category(words) else { return nil }
            self = .ask(.setCategories([category]))
        case "badge" where words.count == 1:
            guard let count = words.first.flatMap({ Int($0) }), count >= 0 else { return nil }
            self = .ask(.setBadge(count))
        case "list" where Array(words) == ["pending"]: self = .ask(.pending)
        case "list" where Array(words) == ["delivered"]: self = .ask(.delivered)
        default: return nil
        }
    }

    private static func identifiers(_ words: ArraySlice<String>) -> [String]? {
        words.first == "all" ? nil : Array(words)
    }

    // MARK: Options

    private static let authorizations: [String: AuthorizationOptions] = [
        "alert": .alert, "badge": .badge, "sound": .sound, "provisional": .provisional,
    ]
    private static let presentations: [String: PresentationOptions] = [
        "banner": .banner, "list": .list, "badge": .badge, "sound": .sound, "nothing": [],
    ]

    private static func options<Options: OptionSet>(
        _ words: ArraySlice<String>, of names: [String: Options]
    ) -> Options? where Options.Element == Options {
        guard !words.isEmpty else { return nil }
        var options = Options()
        for word in words {
            guard let option = names[word] else { return nil }
            options.formUnion(option)
        }
        return options
    }

    // MARK: Notifications

    private static func notification(_ words: inout ArraySlice<String>) -> NotificationRequest? {
        guard let identifier = words.popFirst(), let trigger = trigger(&words) else { return nil }
        var content = NotificationContent()
        while let word = words.popFirst() {
            if word == "say" {
                content.body = words.joined(separator: " ")
                words = []
                break
            }
            guard let value = words.popFirst() else { return nil }
            switch word {
            case "badge":
                guard let count = Int(value), count >= 0 else { return nil }
                content.badge = count
            case "sound": content.sound = value
            case "category": content.category = value
            default: return nil
            }
        }
        return NotificationRequest(identifier: identifier, content: content, trigger: trigger)
    }

    private static func trigger(_ words: inout ArraySlice<String>) -> NotificationTrigger? {
        switch words.popFirst() {
        case "now": return .now
        case "in": return words.popFirst().flatMap(span).map { .after(seconds: $0, repeats: false) }
        case "every": return words.popFirst().flatMap(span).map { .after(seconds: $0, repeats: true) }
        case "at": return words.popFirst().flatMap(clock).map { .matching($0, repeats: false) }
        case "daily": return words.popFirst().flatMap(clock).map { .matching($0, repeats: true) }
        case "on":
            let date = words.popFirst().map { $0.split(separator: "-").map { Int($0) } } ?? []
            guard date.count == 3, !date.contains(nil), var time = words.popFirst().flatMap(clock) else { return nil }
            (time.year, time.month, time.day) = (date[0], date[1], date[2])
            return .matching(time, repeats: false)
        case "entering": return words.popFirst().flatMap { region($0, onEntry: true, onExit: false) }
        case "leaving": return words.popFirst().flatMap { region($0, onEntry: false, onExit: true) }
        case "crossing": return words.popFirst().flatMap { region($0, onEntry: true, onExit: true, repeats: true) }
        default: return nil
        }
    }

    private static func region(
        _ text: String, onEntry: Bool, onExit: Bool, repeats: Bool = false
    ) -> NotificationTrigger? {
        let numbers = text.split(separator: "/").compactMap { Double($0) }
        guard numbers.count == 3 else { return nil }
        let region = RegionTrigger(
            identifier: text, latitude: numbers[0], longitude: numbers[1], radius: numbers[2], onEntry: onEntry,
            onExit: onExit)
        return .region(region, repeats: repeats)
    }

    private static func clock(_ text: String) -> CalendarComponents? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let hour = parts[0], let minute = parts[1], let second = parts[2] else { return nil }
        return CalendarComponents(hour: hour, minute: minute, second: second)
    }

    static func span(_ text: String) -> Span? {
        let units: [(String, Span)] = [("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3600))]
        for (unit, length) in units where text.hasSuffix(unit) {
            guard let number = Int64(text.dropLast(unit.count)), number > 0, number < 1_000_000 else { return nil }
            return length * number
        }
        return nil
    }

    private static func category(_ words: ArraySlice<String>) -> NotificationCategory? {
        guard let name = words.first else { return nil }
        var category = NotificationCategory(identifier: name, actions: [])
        for word in words.dropFirst() {
            if word == "dismissals" {
                category.options.insert(.customDismissAction)
                continue
            }
            let parts = word.split(separator: ":").map(String.init)
            var action = NotificationAction(identifier: parts.first ?? "", title: parts.first ?? "", options: [])
            for part in parts.dropFirst() {
                switch part {
                case "foreground": action.options.insert(.foreground)
                case "text": action.textInput = NotificationAction.TextInput(buttonTitle: "Send", placeholder: "")
                default: return nil
                }
            }
            category.actions.append(action)
        }
        return category
    }
}

extension SimulatedNotifications {
    /// What an app might say, for storms.
    package static func words(_ random: inout SplitMix64, canBegin: Bool) -> String {
        let identifier = "n\(random.below(6))"
        guard canBegin else {
            return switch random.below(8) {
            case 0: "authorize alert badge sound"
            case 1: "register"
            case 2: "presents banner list"
            case 3: "presents nothing"
            case 4: "cancel \(identifier)"
            case 5: "withdraw all"
            case 6: "category c reply:text open:foreground later dismissals"
            default: "badge \(random.below(4))"
            }
        }
        let rest = [" say hello", " badge 2 say more", " sound default category c say answer me", " badge 3"]
        let content = random.pick(rest) ?? ""
        return switch random.below(12) {
        case 0: "authorize alert badge sound"
        case 1: "register"
        case 2: "notify \(identifier) now\(content)"
        case 3...5: "notify \(identifier) in \(1 + random.below(random.oneIn(3) ? 20_000 : 200))s\(content)"
        case 6: "notify \(identifier) every \(60 + random.below(4_000))s\(content)"
        case 7: "notify \(identifier) daily \(random.below(24)):\(random.below(60)):00\(content)"
        case 8: "category c reply:text open:foreground later dismissals"
        case 9: "cancel all"
        case 10: random.oneIn(4) ? "unregister" : "list pending"
        default: "list delivered"
        }
    }

    /// Most open windows are completed by what storms teach all apps; those of answers, when they have come.
    package static var habits: [[String: [AppAction]]] { [] }
}
