package import ArgumentParser
internal import Wire

/// `greenroom open APP|URL`
package struct OpenCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Bring an app, or the app that handles a URL, to the screen.",
        discussion: "Returns when the app's didBecomeActive has returned.")

    enum Place: String, ExpressibleByArgument, CaseIterable {
        case primary, secondary, pip
    }

    @Argument(
        help: "An app (identifier, name or last part of the identifier), or a URL.",
        completion: .custom { _, _, _ in Completions.apps() })
    var target: String

    @Option(name: .customLong("as"), help: "Where on the screen.")
    var place: Place?

    @Option(help: "One of its scenes, by its number in greenroom apps --json; new: another one.")
    var scene: SceneArgument?

    @OptionGroup var waiting: WaitOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        var params: JSONObject = ["wait": .bool(!waiting.noWait)]
        if let place { params["as"] = .string(place.rawValue) }
        switch scene {
        case nil: break
        case .another: params["newScene"] = true
        case .number(let number): params["scene"] = .int(Int64(number))
        }
        let client = try context.client()
        let answer: JSONValue
        if Self.isURL(target), scene == nil {
            params["url"] = .string(target)
            answer = try client.request(.open, params)
        } else {
            answer = try client.request(.open, app: target, params)
        }
        context.print(Self.sentence(answer))
    }

    /// A scheme and a colon, which no identifier holds.
    static func isURL(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), let first = text.utf8.first else { return false }
        let scheme = text[..<colon].utf8
        let isLetter = (0x41...0x5A).contains(first) || (0x61...0x7A).contains(first)
        return isLetter
            && scheme.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
                default: false
                }
            }
    }

    /// What `open` and `restart` achieved.
    static func sentence(_ answer: JSONValue) -> String {
        let app = Visible.line(answer["app"]?.string ?? "the app")
        let process = answer["pid"]?.int.map { ", pid \($0)" } ?? ""
        return "\(app): \(Visible.line(answer["state"]?.string ?? "opening"))\(process)"
    }
}
