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

    @Option(help: "Open the app for one of its shortcuts, by its type in greenroom shortcuts APP.")
    var shortcut: String?

    @Option(help: "Open the app to go on with an activity of this type, as one that was begun on another device.")
    var activity: String?

    @Option(help: "What the activity's userInfo is: a JSON object.")
    var info: String?

    @OptionGroup var waiting: WaitOption

    package init() {}

    package func validate() throws {
        guard shortcut == nil || activity == nil else {
            throw ValidationError("An app is opened for a shortcut or for an activity, not for both.")
        }
        guard info == nil || activity != nil else { throw ValidationError("--info goes with --activity.") }
        if shortcut ?? activity != nil, scene != nil || place != nil || Self.isURL(target) {
            throw ValidationError("--shortcut and --activity go with an app, without --scene and --as.")
        }
    }

    /// What the app is to do, if it is not only to be opened.
    private var invitation: JSONObject {
        get throws(CommandFailure) {
            if let shortcut { return ["shortcut": .string(shortcut)] }
            guard let activity else { return [:] }
            var params: JSONObject = ["activity": .string(activity)]
            guard let info else { return params }
            guard let object = try? JSONValue(parsing: info), case .object = object else {
                throw .misuse("--info is no JSON object: write it as '{\"page\": 3}'")
            }
            params["info"] = object
            return params
        }
    }

    package func perform(in context: CommandContext) throws(CommandFailure) {
        var params: JSONObject = ["wait": .bool(!waiting.noWait)]
        for member in try invitation.members { params[member.key] = member.value }
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
