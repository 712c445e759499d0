/// What the user may begin an app with, as Apple's home screen shows it.
struct Shortcut: Hashable, Sendable {
    var type: String
    var title: String
    var subtitle: String?

    fileprivate var json: String {
        var writer = JSONWriter()
        writer.field("type", type)
        writer.field("title", title)
        writer.field("subtitle", subtitle)
        return writer.object
    }
}

/// The shortcuts of an app: those of its `Info.plist`, then those that it set while it ran, which the framework keeps
/// in the app's container in the same form. Both are an app's to write, so that they are read as strangers' files are.
enum Shortcuts {
    private static let key = "UIApplicationShortcutItems"
    private static let place = ["Library", "Saved Application State"]
    private static let file = "shortcuts.plist"

    /// - Parameter bundle: its folder; what is installed without one, as a program of the system, has no shortcuts.
    static func read(bundle: String, container: String) throws(Refusal) -> [Shortcut] {
        var shortcuts: [Shortcut] = []
        if let folder = Descriptor.pin(bundle), let info = try ApplicationBundle.info(of: folder, place: "") {
            shortcuts += try items(in: info, from: "Info.plist")
        }
        if let info = try dynamic(container) { shortcuts += try items(in: info, from: file) }
        return shortcuts
    }

    static func json(_ shortcuts: [Shortcut]) -> String {
        var writer = JSONWriter()
        writer.field("shortcuts", objects: shortcuts.map(\.json))
        return writer.object
    }

    private static func dynamic(_ container: String) throws(Refusal) -> [String: PropertyList]? {
        guard var folder = Descriptor.pin(container) else { return nil }
        for name in place {
            // A link leads nowhere: what is pinned must be a folder itself.
            guard let inner = folder.pin(entry: name), inner.status()?.type == .directory else { return nil }
            folder = inner
        }
        return try ApplicationBundle.info(of: folder, place: "", file: file)
    }

    private static func items(in info: [String: PropertyList], from name: String) throws(Refusal) -> [Shortcut] {
        guard let value = info[key] else { return [] }
        guard case .array(let items) = value, items.count <= Limits.listItems else {
            throw Refusal("\(key) in \(name) is not an array of at most \(Limits.listItems) dictionaries: correct it.")
        }
        return try items.mapRefusing { item throws(Refusal) in
            guard case .dictionary(let item) = item,
                let type = try ApplicationBundle.string("\(key.dropLast())Type", in: item),
                let title = try ApplicationBundle.string("\(key.dropLast())Title", in: item)
            else {
                throw Refusal("\(key) in \(name) holds something without a type or a title: give it both.")
            }
            return Shortcut(
                type: type, title: title, subtitle: try ApplicationBundle.string("\(key.dropLast())Subtitle", in: item))
        }
    }
}
