internal import Foundation

/// A catalog of strings, of which Xcode makes a file for each language. Linux reads those.
struct StringCatalog {
    /// The files: their paths in a bundle, and their contents.
    private(set) var files: [(place: String, data: Data)] = []

    /// `nil` if the file is not a catalog.
    init?(_ file: URL) {
        guard let data = try? Data(contentsOf: file),
            let catalog = try? JSONSerialization.jsonObject(with: data) as? [String: Any],
            let strings = catalog["strings"] as? [String: Any]
        else { return nil }
        var texts: [String: [String: String]] = [:]
        var plurals: [String: [String: Any]] = [:]
        for (key, value) in strings {
            let languages = (value as? [String: Any])?["localizations"] as? [String: [String: Any]] ?? [:]
            for (language, localization) in languages {
                if let plural = Self.plural(localization) {
                    plurals[language, default: [:]][key] = plural
                } else if let text = Self.text(localization) {
                    texts[language, default: [:]][key] = text
                }
            }
        }
        let name = file.deletingPathExtension().lastPathComponent
        for (language, list) in texts.sorted(by: { $0.key < $1.key }) {
            add("\(language).lproj/\(name).strings", list)
        }
        for (language, list) in plurals.sorted(by: { $0.key < $1.key }) {
            add("\(language).lproj/\(name).stringsdict", list)
        }
    }

    private mutating func add(_ place: String, _ list: [String: Any]) {
        guard let data = try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        else { return }
        files.append((place, data))
    }

    /// The text of a localization without plurals; of those for devices, that for a phone.
    private static func text(_ localization: [String: Any]) -> String? {
        if let unit = localization["stringUnit"] as? [String: Any] { return unit["value"] as? String }
        let devices = (localization["variations"] as? [String: Any])?["device"] as? [String: [String: Any]] ?? [:]
        return (devices["iphone"] ?? devices["other"]).flatMap(text)
    }

    /// A localization with plurals, as a `.stringsdict` has it.
    private static func plural(_ localization: [String: Any]) -> [String: Any]? {
        if let forms = forms(localization) {
            return ["NSStringLocalizedFormatKey": "%#@value@", "value": rule(forms, "lld")]
        }
        guard let parts = localization["substitutions"] as? [String: [String: Any]], let text = text(localization)
        else { return nil }
        var result: [String: Any] = ["NSStringLocalizedFormatKey": text]
        for (name, part) in parts {
            let specifier = part["formatSpecifier"] as? String ?? "lld"
            let argument = (part["argNum"] as? Int).map { "%\($0)$\(specifier)" } ?? "%\(specifier)"
            let forms = (forms(part) ?? [:]).mapValues { $0.replacing("%arg", with: argument) }
            result[name] = rule(forms, specifier)
        }
        return result
    }

    private static func forms(_ part: [String: Any]) -> [String: String]? {
        let variations = part["variations"] as? [String: Any]
        return (variations?["plural"] as? [String: [String: Any]])?.compactMapValues(text)
    }

    private static func rule(_ forms: [String: String], _ specifier: String) -> [String: String] {
        forms.merging(
            ["NSStringFormatSpecTypeKey": "NSStringPluralRuleType", "NSStringFormatValueTypeKey": specifier]
        ) { $1 }
    }
}
