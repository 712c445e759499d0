package import Model
internal import NotificationsCore
internal import Simulation
internal import Wire

// What a scenario asks, as a tool would.
extension SimulatedNotifications {
    /// - Parameter question: `pending APP`, `delivered APP`, `dates APP`, `badge APP`, `why APP`, `token APP`,
    ///   `shown APP`, `visible APP`, `history APP`, `sounds`, `sent APP`, `link`, `keep-alives` or `log`.
    package func answer(_ question: String, at now: Instant) -> String? {
        let words = question.split(separator: " ").map(String.init)
        guard let app = words.dropFirst().first.flatMap({ AppIdentifier($0) }) else {
            return words.count == 1 ? answer(ofDevice: words[0]) : nil
        }
        guard words.count == 2 else { return nil }
        switch words[0] {
        case "pending": return counted(system.pending(of: app).map(\.request.identifier), "pending")
        case "delivered":
            return counted(system.delivered(of: app).map(\.notification.request.identifier), "delivered")
        case "dates":
            let dates = system.delivered(of: app).map { view in
                let arrived = view.notification
                return "\(arrived.request.identifier) \(arrived.date.iso8601.prefix(19))"
                    + (arrived.isLate ? " late" : "")
            }
            return dates.isEmpty ? "nothing" : dates.joined(separator: ", ")
        case "badge": return "badge \(screen.badges[app] ?? 0)"
        case "why":
            return system.sentence(for: app, at: .zero + (machineNow - .zero) + (now - self.now)) ?? "never connected"
        case "token": return system.token(of: app) == nil ? "no token" : "a token"
        case "shown": return shown(app)
        case "visible": return json(screen.visible.filter { $0.app == app })
        case "history": return json(screen.history.filter { $0.app == app })
        case "sent":
            let answers = gateway.answers[app.rawValue] ?? []
            return "\(answers.count) sent: " + answers.map(\.sentence).joined(separator: ", ")
        default: return nil
        }
    }

    private func answer(ofDevice word: String) -> String? {
        switch word {
        case "link": link.isOpen ? "up" : "down"
        case "keep-alives": "\(keepAlives) keep-alives"
        case "sounds": counted(screen.sounds, "sounds")
        case "waiting": "\(gateway.store.count) waiting"
        case "log": counted(log.map { "\($0)" }, "entries")
        default: nil
        }
    }

    private func counted(_ names: [String], _ what: String) -> String {
        "\(names.count) \(what)" + (names.isEmpty ? "" : ": " + names.joined(separator: ", "))
    }

    /// For the code of a test.
    private func json(_ shown: [Presentation]) -> String {
        JSONValue.array(
            shown.map { presentation in
                let content = presentation.notification.request.content
                return [
                    "identifier": .string(presentation.notification.request.identifier),
                    "title": .string(content.title), "body": .string(content.body),
                    "banner": .bool(presentation.hasBanner), "sound": JSONValue(presentation.sound),
                ]
            }
        ).description
    }

    private func shown(_ app: AppIdentifier) -> String {
        let own = screen.history.filter { $0.app == app }
        let texts = own.map { presentation in
            let content = presentation.notification.request.content
            let way = presentation.hasBanner ? "a banner" : "the list"
            return "\(presentation.notification.request.identifier) in \(way): "
                + [content.title, content.body].filter { !$0.isEmpty }.joined(separator: " ")
        }
        return counted(texts, "shown")
    }
}
