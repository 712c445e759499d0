internal import Foundation

/// The `Info.plist` of a bundle, of the project's file and its settings.
struct InformationList {
    /// As XML.
    var data: Data
    /// The version of iOS that the app finds.
    var iOS: String

    init(file: URL?, executable: String, settings: [String: String]) throws(ImportFailure) {
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
        var filled = list.mapValues { Self.fill($0, settings) }
        iOS = Self.version(said: filled["DTPlatformVersion"] as? String, settings)
        filled["DTPlatformVersion"] = iOS
        do {
            data = try PropertyListSerialization.data(fromPropertyList: filled, format: .xml, options: 0)
        } catch {
            throw ImportFailure("Info.plist cannot be written: \(error.localizedDescription)")
        }
    }

    /// What the app's own file says is meant, since Xcode would write it itself. Otherwise it is what Greenroom's
    /// frameworks are like, or what the project needs at least: the oldest system that an app runs on is not the usual.
    private static func version(said: String?, _ settings: [String: String]) -> String {
        let (usual, needed) = ("18.0", Settings.fill("$(IPHONEOS_DEPLOYMENT_TARGET)", settings))
        if let said, numbers(said) != nil { return said }
        guard let least = numbers(needed), let here = numbers(usual) else { return usual }
        return here.lexicographicallyPrecedes(least) ? needed : usual
    }

    /// Those of a version; `nil` if it is none.
    private static func numbers(_ text: String) -> [Int]? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 3 else { return nil }
        let numbers = parts.compactMap { part in part.allSatisfy(\.isNumber) ? Int(part) : nil }
        return numbers.count == parts.count ? numbers : nil
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
