/// The keys of an `Info.plist`, or of a dictionary in it.
///
/// Tools and people write numbers as strings, or a single value instead of a list. Such values are converted. Any other
/// invalid value is ignored with a remark, because an optional key must not prevent an installation.
struct InfoKeys {
    private let values: [String: PropertyList]
    private let remarks: Remarks

    init(_ values: [String: PropertyList], _ remarks: Remarks) {
        self.values = values
        self.remarks = remarks
    }

    /// A key that the app cannot run without. A value of the wrong type is refused.
    func essential(_ key: String) throws(Refusal) -> String? {
        switch values[key] {
        case .string(let text): text.isEmpty ? nil : try Names.text(text, "\(key) in Info.plist")
        case nil: nil
        default: throw Refusal("\(key) in Info.plist is not a string: correct it.")
        }
    }

    /// The first of `keys` that is there and not empty.
    func string(_ keys: String...) -> String? {
        for key in keys {
            guard let value = values[key], let text = text(value, key), !text.isEmpty else { continue }
            return remarks.text(text, "\(key) in Info.plist")
        }
        return nil
    }

    func strings(_ key: String) -> [String] {
        items(key).compactMap { text($0, key) }.map { remarks.text($0, "\(key) in Info.plist") }
    }

    func boolean(_ key: String) -> Bool {
        switch values[key] {
        case nil, .boolean(false), .integer(0): return false
        case .boolean(true), .integer(1): return true
        case .string(let word) where ["yes", "true", "1"].contains(word.lowercased()): return true
        case .string(let word) where ["no", "false", "0", ""].contains(word.lowercased()): return false
        default:
            remarks.add("\(key) in Info.plist is neither true nor false, and is left out.")
            return false
        }
    }

    func dictionary(_ key: String) -> InfoKeys? {
        guard let value = values[key] else { return nil }
        guard case .dictionary(let inner) = value else {
            remarks.add("\(key) in Info.plist is not a dictionary, and is left out.")
            return nil
        }
        return InfoKeys(inner, remarks)
    }

    func dictionaries(_ key: String) -> [InfoKeys] {
        if case .dictionary(let only)? = values[key], !only.isEmpty { return [InfoKeys(only, remarks)] }
        return items(key).compactMap { item in
            if case .dictionary(let inner) = item { return InfoKeys(inner, remarks) }
            remarks.add("\(key) in Info.plist holds something that is not a dictionary, which is left out.")
            return nil
        }
    }

    private func items(_ key: String) -> [PropertyList] {
        switch values[key] {
        case nil: return []
        case .array(let items):
            if items.count > Limits.listItems {
                remarks.add("\(key) in Info.plist has more than \(Limits.listItems) items: the others are left out.")
            }
            return Array(items.prefix(Limits.listItems))
        case .dictionary:
            remarks.add("\(key) in Info.plist is not an array, and is left out.")
            return []
        case .some(let item): return [item]
        }
    }

    private func text(_ value: PropertyList, _ key: String) -> String? {
        switch value {
        case .string(let text): return text
        case .integer(let number): return String(number)
        case .real(let number): return String(number)
        case .boolean, .date, .data, .array, .dictionary:
            remarks.add("\(key) in Info.plist holds something that is no text, which is left out.")
            return nil
        }
    }
}
