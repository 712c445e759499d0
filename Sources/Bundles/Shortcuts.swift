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
            shortcuts += items(in: info)
        }
        if let info = try dynamic(container) { shortcuts += items(in: info) }
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

    /// One that lacks a type or a title is left out.
    private static func items(in info: [String: PropertyList]) -> [Shortcut] {
        InfoKeys(info, Remarks()).dictionaries(key).compactMap { item in
            guard let type = item.string("\(key.dropLast())Type"), let title = item.string("\(key.dropLast())Title")
            else {
                return nil
            }
            return Shortcut(type: type, title: title, subtitle: item.string("\(key.dropLast())Subtitle"))
        }
    }
}
