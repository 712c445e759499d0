internal import Foundation

/// The `Info.plist` of a bundle, of the project's file and its settings.
enum InformationList {
    static func make(
        file: URL?, executable: String, settings: [String: String]
    ) throws(ImportFailure) -> Data {
        var list: [String: Any] = [:]
        if let file {
            guard let data = try? Data(contentsOf: file),
                let read = try? unsafe PropertyListSerialization.propertyList(from: data, format: nil),
                let dictionary = read as? [String: Any]
            else { throw ImportFailure("\(file.path) is no property list: repair it, or remove it from the project") }
            list = dictionary
        }
        for (key, value) in settings where key.hasPrefix("INFOPLIST_KEY_") {
            let name = String(key.dropFirst("INFOPLIST_KEY_".count))
            guard !name.contains("_"), list[name] == nil else { continue }
            list[name] = name == "UIBackgroundModes" ? value.split(separator: " ").map(String.init) : value
        }
        list["CFBundleExecutable"] = executable
        list["CFBundlePackageType"] = "APPL"
        list["CFBundleIdentifier"] = list["CFBundleIdentifier"] ?? "$(PRODUCT_BUNDLE_IDENTIFIER)"
        list["CFBundleName"] = list["CFBundleName"] ?? "$(PRODUCT_NAME)"
        list["CFBundleShortVersionString"] = list["CFBundleShortVersionString"] ?? "$(MARKETING_VERSION)"
        let filled = list.mapValues { fill($0, settings) }
        do {
            return try PropertyListSerialization.data(fromPropertyList: filled, format: .xml, options: 0)
        } catch {
            throw ImportFailure("Info.plist cannot be written: \(error.localizedDescription)")
        }
    }

    private static func fill(_ value: Any, _ settings: [String: String]) -> Any {
        switch value {
        case let text as String: Settings.fill(text, settings)
        case let list as [Any]: list.map { fill($0, settings) }
        case let dictionary as [String: Any]: dictionary.mapValues { fill($0, settings) }
        default: value
        }
    }
}
