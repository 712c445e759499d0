internal import AppRuntime
internal import Foundation

/// The shortcuts of an app: those of its `Info.plist`, and those that it sets, which are kept in its container in the
/// same form. There the system reads them, as it reads `Info.plist`.
@MainActor
package final class SavedShortcuts {
    /// Those of a test, whose program has no `Info.plist` of the app's.
    package static var given: [UIApplicationShortcutItem] = []

    private enum Key {
        static let items = "UIApplicationShortcutItems"
        static let type = "UIApplicationShortcutItemType"
        static let title = "UIApplicationShortcutItemTitle"
        static let subtitle = "UIApplicationShortcutItemSubtitle"
        static let iconType = "UIApplicationShortcutItemIconType"
        static let iconFile = "UIApplicationShortcutItemIconFile"
        static let iconSymbol = "UIApplicationShortcutItemIconSymbolName"
        static let userInfo = "UIApplicationShortcutItemUserInfo"
    }

    private let file = URL(fileURLWithPath: NSHomeDirectory())
        .appendingPathComponent("Library/Saved Application State/shortcuts.plist")
    private lazy var items: [UIApplicationShortcutItem]? = read()

    /// Those that the app sets. They are written as soon as they are set.
    var dynamic: [UIApplicationShortcutItem]? {
        get { items }
        set {
            items = newValue
            write()
        }
    }

    /// The shortcut that the user chose. One that is gone since has its type alone.
    func item(_ type: String) -> UIApplicationShortcutItem {
        let fixed = Self.items(AppInformation.substitute ?? Bundle.main.infoDictionary ?? [:]) ?? []
        let known = Self.given + fixed + (items ?? [])
        return known.first { $0.type == type } ?? UIApplicationShortcutItem(type: type, localizedTitle: type)
    }

    // MARK: The file

    private func read() -> [UIApplicationShortcutItem]? {
        guard let data = try? Data(contentsOf: file),
            let list = try? unsafe PropertyListSerialization.propertyList(from: data, options: [], format: nil)
        else { return nil }
        return (list as? [String: Any]).flatMap(Self.items)
    }

    private func write() {
        // A process that no system started has no container: nobody would read it.
        guard UIApplication.running?.connection != nil else { return }
        do {
            let list = [Key.items: (items ?? []).map(Self.fields)]
            // The system reads no other form.
            let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        } catch {
            ApplicationLauncher.complain("the app's shortcuts could not be kept: \(error)")
        }
    }

    private static func items(_ list: [String: Any]) -> [UIApplicationShortcutItem]? {
        (list[Key.items] as? [[String: Any]])?.compactMap { fields in
            guard let type = fields[Key.type] as? String, let title = fields[Key.title] as? String else { return nil }
            return UIApplicationShortcutItem(
                type: type, localizedTitle: localized(title),
                localizedSubtitle: (fields[Key.subtitle] as? String).map(localized), icon: icon(fields),
                userInfo: fields[Key.userInfo] as? [String: any NSSecureCoding])
        }
    }

    /// As on iOS, titles may be keys of `InfoPlist.strings`.
    private static func localized(_ text: String) -> String {
        Bundle.main.localizedString(forKey: text, value: text, table: "InfoPlist")
    }

    private static func icon(_ fields: [String: Any]) -> UIApplicationShortcutIcon? {
        if let symbol = fields[Key.iconSymbol] as? String { return UIApplicationShortcutIcon(systemImageName: symbol) }
        if let file = fields[Key.iconFile] as? String { return UIApplicationShortcutIcon(templateImageName: file) }
        let name = fields[Key.iconType] as? String
        return UIApplicationShortcutIcon.IconType.named(name).map(UIApplicationShortcutIcon.init(type:))
    }

    private static func fields(_ item: UIApplicationShortcutItem) -> [String: Any] {
        var fields: [String: Any] = [Key.type: item.type, Key.title: item.localizedTitle]
        fields[Key.subtitle] = item.localizedSubtitle
        switch item.icon?.source {
        case .system(let type): fields[Key.iconType] = type.name
        case .template(let name): fields[Key.iconFile] = name
        case .symbol(let name): fields[Key.iconSymbol] = name
        case nil: break
        }
        fields[Key.userInfo] = item.userInfo?.filter {
            PropertyListSerialization.propertyList($0.value, isValidFor: .xml)
        }
        return fields
    }
}

extension UIApplicationShortcutIcon.IconType {
    private static let start = "UIApplicationShortcutIconType"

    /// The names that Apple gives them in `Info.plist`.
    var name: String {
        let word = "\(self)"
        return Self.start + word.prefix(1).uppercased() + word.dropFirst()
    }

    static func named(_ name: String?) -> Self? {
        allCases.first { $0.name == name }
    }
}
