internal import DBus

/// What the daemon is asked to display: the arguments of `Notify`.
///
/// | level | urgency | closes by itself | sound |
/// |---|---|---|---|
/// | passive | low | when the daemon thinks fit | never |
/// | active | normal | when the daemon thinks fit | its own |
/// | timeSensitive | normal | never | its own |
/// | critical | critical | never | its own |
struct NotifyMessage {
    static let types: [DBusType] = [
        .string, .uint32, .string, .string, .string, .array(.string), .dictionary(key: .string, value: .variant),
        .int32,
    ]
    /// Bytes of texts that are shown: what is longer ends with an ellipsis.
    private static let (longestTitle, longestBody) = (512, 4096)
    /// What the specification of sound themes has for a message.
    private static let standardSound = "message-new-instant"

    let shown: Shown
    /// The number of the notification whose place it takes; 0 is none.
    let replaced: UInt32
    /// It was on a screen before.
    let isSilent: Bool
    let daemon: NotificationDaemon

    var arguments: [DBusValue] {
        [
            .string(Self.clean(shown.app, Self.longestTitle)), .uint32(replaced),
            .string(shown.icon.map(Self.picture) ?? ""), .string(title), .string(body), .strings(actions),
            .properties(hints), .int32(staysUntilAnswered ? 0 : -1),
        ]
    }

    private var staysUntilAnswered: Bool {
        switch shown.level {
        case .passive, .active: false
        case .timeSensitive, .critical: true
        }
    }

    // MARK: Texts

    private var lines: [String] { [shown.subtitle, shown.body].filter { !$0.isEmpty } }

    /// A notification without a title has the app's name for one.
    private var title: String {
        let title = shown.title.isEmpty ? shown.app : shown.title
        return Self.clean(daemon.hasBody ? title : ([title] + lines).joined(separator: ": "), Self.longestTitle)
    }

    private var body: String {
        guard daemon.hasBody else { return "" }
        let text = Self.clean(lines.joined(separator: "\n"), Self.longestBody)
        return daemon.hasMarkup ? Self.escaped(text) : text
    }

    /// Without what D-Bus or a screen has no place for, and not longer than so many bytes.
    static func clean(_ text: String, _ longest: Int) -> String {
        var result = ""
        var bytes = 0
        // Not by characters: a mark that combines with a control character would hide it.
        var shown = text
        shown.unicodeScalars.removeAll { ($0.value < 0x20 && ![9, 10, 13].contains($0.value)) || $0.value == 0x7f }
        for character in shown {
            bytes += character.utf8.count
            guard bytes <= longest else { return result + "…" }
            result.append(character.isNewline ? "\n" : character)
        }
        return result
    }

    static func escaped(_ text: String) -> String {
        // A mark that combines with “<” makes another character of both, and the markup begins all the same.
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    // MARK: Actions

    /// The key of a tap, as the specification has it, and of a text, as KDE has it.
    static let (tapKey, replyKey) = ("default", "inline-reply")
    private static let actionKey = "action-"

    /// Keys and titles in turn. The daemon gives keys back: they are not the app's, which may be any text.
    private var actions: [String] {
        guard daemon.hasActions else { return [] }
        var all = [Self.tapKey, "Open"]
        for (index, action) in shown.actions.enumerated() {
            all.append(index == replyIndex ? Self.replyKey : "\(Self.actionKey)\(index)")
            all.append(Self.clean(action.title, Self.longestTitle))
        }
        return all
    }

    /// A daemon asks for one text at most.
    private var replyIndex: Int? {
        daemon.hasReplies ? shown.actions.firstIndex { $0.placeholder != nil } : nil
    }

    /// The action that a key means; `nil` if it means none.
    static func answer(_ key: String, to shown: Shown) -> ShownAnswer? {
        if key == tapKey { return ShownAnswer() }
        guard key.hasPrefix(actionKey), let index = Int(key.dropFirst(actionKey.count)),
            shown.actions.indices.contains(index)
        else { return nil }
        return ShownAnswer(action: shown.actions[index].id)
    }

    /// What a text answers.
    static func answer(text: String, to shown: Shown) -> ShownAnswer? {
        shown.actions.first { $0.placeholder != nil }.map { ShownAnswer(action: $0.id, text: text) }
    }

    // MARK: Hints

    private var hints: [(String, DBusValue)] {
        var hints: [(String, DBusValue)] = [("urgency", .byte(urgency))]
        if let entry = shown.desktopEntry { hints.append(("desktop-entry", .string(Self.clean(entry, 255)))) }
        if let image = shown.image { hints.append(("image-path", .string(Self.picture(image)))) }
        if let replyIndex, let placeholder = shown.actions[replyIndex].placeholder, !placeholder.isEmpty {
            hints.append(("x-kde-reply-placeholder-text", .string(Self.clean(placeholder, Self.longestTitle))))
        }
        return hints + [sound]
    }

    private var urgency: UInt8 {
        switch shown.level {
        case .passive: 0
        case .active, .timeSensitive: 1
        case .critical: 2
        }
    }

    private var sound: (String, DBusValue) {
        let silence = ("suppress-sound", DBusValue.boolean(true))
        guard !isSilent, shown.level != .passive else { return silence }
        switch shown.sound {
        case .none: return silence
        case .standard: return ("sound-name", .string(Self.standardSound))
        case .named(let name): return ("sound-name", .string(Self.clean(name, 255)))
        case .file(let path): return ("sound-file", .string(Self.clean(path, Self.longestBody)))
        }
    }

    /// A path as an address; the name of an icon stays as it is.
    static func picture(_ place: String) -> String {
        guard place.hasPrefix("/") else { return clean(place, 255) }
        let plain = Set("/-._~abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8)
        return place.utf8.reduce(into: "file://") { text, byte in
            if plain.contains(byte) {
                text.unicodeScalars.append(UnicodeScalar(byte))
            } else {
                text += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
