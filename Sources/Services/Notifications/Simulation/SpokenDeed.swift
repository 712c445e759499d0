package import Model
internal import NotificationsCore
internal import NotificationsTranslation
internal import NotificationsWire
package import Simulation
internal import Wire

/// What people, providers and tools do in a scenario: `SpokenDeed.forms` lists it.
enum SpokenDeed: Hashable {
    /// By way of the gateway: these fields beside those that every request has.
    case push(AppIdentifier, [String: String], lifetime: Span?, payload: String)
    /// Straight into the device, as `greenroom push` does it.
    case deliver(AppIdentifier, payload: String)
    case act(AppIdentifier, identifier: String?, ResponseAction)
    case decide(AppIdentifier, isAllowed: Bool)
    case show(AppIdentifier, NotificationRequest)
    case gateway(isUp: Bool)

    static let forms =
        "it understands `push APP [collapse ID] [priority COUNT] [expires TIME] [id UUID] PAYLOAD`, "
        + "`deliver APP PAYLOAD`, `tap APP [ID]`, `dismiss APP [ID]`, `answer APP ACTION [with WORDS]`, `allow APP`, `deny APP`, "
        + "`gateway down` and `gateway up`; PAYLOAD is JSON, `silent`, or `alert WORDS`; APP is its identifier"

    init?(_ text: String) {
        var words = text.split(separator: " ", omittingEmptySubsequences: false)[...]
        guard let verb = words.popFirst() else { return nil }
        if verb == "gateway" {
            guard words.count == 1, words.first == "up" || words.first == "down" else { return nil }
            self = .gateway(isUp: words.first == "up")
            return
        }
        guard let app = words.popFirst().flatMap({ AppIdentifier(String($0)) }) else { return nil }
        let rest = words.map(String.init)
        switch verb {
        case "push":
            guard let push = Self.push(app, words) else { return nil }
            self = push
        case "show":
            guard let request = Self.request(words.joined(separator: " ")) else { return nil }
            self = .show(app, request)
        case "deliver":
            guard let payload = Self.payload(words) else { return nil }
            self = .deliver(app, payload: payload)
        case "tap" where rest.count < 2: self = .act(app, identifier: rest.first, .open)
        case "dismiss" where rest.count < 2: self = .act(app, identifier: rest.first, .dismiss)
        case "answer" where rest.count == 1:
            self = .act(app, identifier: nil, .custom(identifier: rest[0], text: nil))
        case "answer" where rest.count > 2 && rest[1] == "with":
            let text = rest.dropFirst(2).joined(separator: " ")
            self = .act(app, identifier: nil, .custom(identifier: rest[0], text: text))
        case "allow" where rest.isEmpty: self = .decide(app, isAllowed: true)
        case "deny" where rest.isEmpty: self = .decide(app, isAllowed: false)
        default: return nil
        }
    }

    private static func push(_ app: AppIdentifier, _ given: ArraySlice<Substring>) -> SpokenDeed? {
        let names = ["collapse": "apns-collapse-id", "priority": "apns-priority", "id": "apns-id"]
        var (words, fields, lifetime) = (given, [String: String](), Span?.none)
        while let word = words.first.map(String.init) {
            if word == "expires" {
                guard words.count > 2 else { return nil }
                let text = String(words[words.startIndex + 1])
                guard let span = text == "now" ? .zero : SpokenRequest.span(text) else { return nil }
                lifetime = span
            } else if let name = names[word] {
                guard words.count > 2 else { return nil }
                fields[name] = String(words[words.startIndex + 1])
            } else {
                break
            }
            words = words.dropFirst(2)
        }
        return payload(words).map { .push(app, fields, lifetime: lifetime, payload: $0) }
    }

    /// In the words of the service's protocol.
    private static func request(_ text: String) -> NotificationRequest? {
        guard let json = try? JSONValue(parsing: Array(text.utf8)),
            let info = try? NotificationRequestInfo(json: json)
        else { return nil }
        return try? NotificationRequest(wire: info) { $0 == "UTC" || $0 == "GMT" ? .utc : nil }
    }

    private static func payload(_ words: ArraySlice<Substring>) -> String? {
        let text = words.joined(separator: " ")
        if text == "silent" { return #"{"aps":{"content-available":1}}"# }
        if words.first == "alert", words.count > 1 {
            let alert = words.dropFirst().joined(separator: " ")
            return #"{"aps":{"alert":"\#(alert)"}}"#
        }
        return text.hasPrefix("{") ? text : nil
    }
}

extension SimulatedNotifications {
    package static func wordsFromOutside(_ random: inout SplitMix64, of app: AppIdentifier) -> String? {
        let payloads = [
            "silent", "silent", "alert news", #"{"aps":{"alert":"both","content-available":1},"n":1}"#,
            #"{"aps":{"badge":\#(random.below(5)),"sound":"default"}}"#, #"{"aps":{}}"#,
        ]
        let options = ["", "", "", "collapse c ", "priority 5 ", "expires now ", "expires \(1 + random.below(4000))s "]
        let payload = (random.pick(options) ?? "") + (random.pick(payloads) ?? "")
        return switch random.below(16) {
        case 0...6: "push \(app) \(payload)"
        case 7: "deliver \(app) \(random.pick(payloads) ?? "")"
        case 8...10: "tap \(app)"
        case 11: "dismiss \(app)"
        case 12: "answer \(app) \(random.pick(["later", "open", "reply with some words"]) ?? "")"
        case 13: random.oneIn(4) ? "deny \(app)" : "allow \(app)"
        case 14: random.oneIn(3) ? "gateway down" : "gateway up"
        default: "gateway up"
        }
    }

    // MARK: Doing it

    mutating func perform(_ deed: SpokenDeed, isAlive: Bool) {
        switch deed {
        case .push(let app, let fields, let lifetime, let payload):
            var all = fields.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
            if let lifetime {
                let expires = lifetime == .zero ? 0 : (wall + lifetime).nanoseconds / 1_000_000_000
                all.append(("apns-expiration", "\(expires)"))
            }
            let answer = gateway.send(all, to: app.rawValue, payload: payload, at: time)
            if case .accepted(let id) = answer {
                ledger.accepted(id, fields["apns-collapse-id"])
                if let push = PushID(id) { waits.accepted(push, at: now) }
            }
            takeFromGateway()
        case .gateway(let isUp):
            gateway.setUp(isUp, time)
            takeFromGateway()
        // No process hears of it.
        case _ where !isAlive: break
        case .deliver(let app, let payload):
            let id = PushID(high: 0x6465_6c69, low: number())
            let message = PushMessage(id: id, topic: app.rawValue, payload: payload, received: wall)
            tool(.push(message))
        case .act(let app, let identifier, let action):
            guard let presentation = screen.newest(of: app, identifier) else { return }
            screen.withdraw(presentation.id)
            post(.acted(presentation.id, action))
        case .decide(let app, let isAllowed): tool(.decide(app, isAllowed: isAllowed))
        case .show(let app, let request): tool(.show(app, request))
        }
    }

    private mutating func tool(_ asked: ToolRequest) { post(.tool(request(), asked)) }
}
