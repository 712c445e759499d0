internal import Wire

/// What a provider's payload asks for. The gateway, the device and the tool read it with this, so that they agree.
///
/// An essential field that is invalid is an error that names the field. Any other invalid field is ignored or
/// converted, with a remark, so that an optional field never loses an alert.
package struct ProviderPayload: Hashable, Sendable {
    /// What is to be seen; empty texts are not there.
    package struct Alert: Hashable, Sendable {
        package var title = ""
        package var subtitle = ""
        package var body = ""
        package var launchImage = ""

        package var isEmpty: Bool { title.isEmpty && subtitle.isEmpty && body.isEmpty }
    }

    package enum Interruption: String, Sendable, CaseIterable {
        case passive, active, timeSensitive = "time-sensitive", critical
    }

    package var alert = Alert()
    package var badge: Int?
    /// A name, or `default`.
    package var sound: String?
    package var category = ""
    package var thread = ""
    package var targetContent: String?
    package var interruption = Interruption.active
    package var relevance = 0.0
    /// The app is to be woken.
    package var isContentAvailable = false
    /// A helper of the app may change it.
    package var isMutable = false
    /// There is no `aps`: it is the receiver's own affair.
    package var isForeign = false
    /// What was odd, a sentence each, for whoever wrote the provider.
    package var remarks: [String] = []
    /// What stands for the payload if others could not read it as it is.
    package var rewritten: String?

    /// Something that the user sees or hears.
    package var hasAlert: Bool { !alert.isEmpty || badge != nil || sound != nil }

    /// An attacker's nesting costs stack, and many small values cost memory.
    private static let limits = JSONLimits(depth: 48, values: 2048)

    /// - Parameter needsAps: whether a payload without `aps` can be of use to nobody. That of device management is.
    package init(_ bytes: [UInt8], needsAps: Bool) throws(Unusable) {
        guard case .object(let object) = try parse(bytes) else {
            throw Unusable("the payload is not a JSON dictionary")
        }
        switch object["aps"] {
        case .object(let aps): try read(aps)
        case nil where !needsAps || object["mdm"] != nil: isForeign = true
        case nil: throw Unusable("the payload has no aps")
        default: throw Unusable("aps is not a dictionary")
        }
    }

    private mutating func parse(_ bytes: [UInt8]) throws(Unusable) -> JSONValue {
        var limits = Self.limits
        do throws(JSONError) {
            return try JSONValue(parsing: bytes, limits: limits)
        } catch {
            limits.replacesHalfPairs = true
            guard let json = try? JSONValue(parsing: bytes, limits: limits) else {
                throw Unusable("the payload is not JSON: \(error)")
            }
            rewritten = json.description
            remarks.append("a text of the payload was cut within a character, which counts as U+FFFD")
            return json
        }
    }

    /// Why there is nothing in it that a device could use.
    package struct Unusable: Error, Hashable {
        package var reason: String
        init(_ reason: String) { self.reason = reason }
    }

    private mutating func read(_ aps: JSONObject) throws(Unusable) {
        for (key, value) in aps.members.map({ ($0.key, $0.value) }) where value != .null {
            let name = "aps.\(key)"
            switch key {
            case "alert": try readAlert(value)
            case "badge": badge = count(value, name)
            case "sound": sound = soundName(value)
            case "content-available": isContentAvailable = flag(value, name)
            case "mutable-content": isMutable = flag(value, name)
            case "category": category = text(value, name) ?? ""
            case "thread-id": thread = text(value, name) ?? ""
            case "target-content-id": targetContent = text(value, name)
            case "relevance-score": relevance = number(value, name) ?? 0
            case "interruption-level":
                guard let level = text(value, name).map(Interruption.init(rawValue:)) else { break }
                if level == nil { remarks.append("\(name) is no level: it counts as active") }
                interruption = level ?? .active
            default: break
            }
        }
    }

    // MARK: What is seen and heard

    private mutating func readAlert(_ value: JSONValue) throws(Unusable) {
        switch value {
        case .null: break
        case .string, .int, .double: alert.body = text(value, "aps.alert") ?? ""
        case .object(let members): try readAlert(members)
        case .bool, .array: throw Unusable("aps.alert is \(value.kindName), neither a string nor a dictionary")
        }
    }

    private mutating func readAlert(_ members: JSONObject) throws(Unusable) {
        let known = remarks.count
        // There are no translations here: a key stands for its text.
        alert.title = text(members, "title", "title-loc-key")
        alert.subtitle = text(members, "subtitle", "subtitle-loc-key")
        alert.body = text(members, "body", "loc-key")
        // Of what should be seen nothing can be.
        if alert.isEmpty, remarks.count > known { throw Unusable(remarks[known]) }
        alert.launchImage = text(members, "launch-image")
    }

    private mutating func text(_ members: JSONObject, _ keys: String...) -> String {
        for key in keys {
            guard let value = members[key], value != .null else { continue }
            if let text = text(value, "aps.alert.\(key)") { return text }
        }
        return ""
    }

    private mutating func soundName(_ value: JSONValue) -> String? {
        guard case .object(let members) = value else {
            let name = text(value, "aps.sound")
            return name?.isEmpty == true ? nil : name
        }
        guard let name = members["name"], name != .null else {
            remarks.append("aps.sound has no name: it is the default one")
            return "default"
        }
        return text(name, "aps.sound.name").flatMap { $0.isEmpty ? nil : $0 }
    }

    // MARK: Single values

    /// Libraries of languages without types write numbers as text, and the reverse.
    private mutating func text(_ value: JSONValue, _ name: String) -> String? {
        switch value {
        case .string(let text): return text
        case .int, .double:
            remarks.append("\(name) is a number: it counts as the text \(value)")
            return value.description
        case .null, .bool, .array, .object:
            remarks.append("\(name) is \(value.kindName), and no text: it is left out")
            return nil
        }
    }

    private mutating func number(_ value: JSONValue, _ name: String) -> Double? {
        if let number = value.number { return number }
        if case .string(let text) = value, let number = Double(text), number.isFinite {
            remarks.append("\(name) is a text: it counts as the number \(text)")
            return number
        }
        remarks.append("\(name) is \(value.kindName), and no number: it is left out")
        return nil
    }

    private mutating func count(_ value: JSONValue, _ name: String) -> Int? {
        guard let number = number(value, name) else { return nil }
        if let count = Int(exactly: number), count >= 0 { return count }
        remarks.append("\(name) is \(value), and counts nothing: it is left out")
        return nil
    }

    private mutating func flag(_ value: JSONValue, _ name: String) -> Bool {
        switch value {
        case .bool(let flag): return flag
        case .int(1), .double(1): return true
        case .int(0), .double(0): return false
        case .string("1"), .string("true"): remarks.append("\(name) is a text: it counts as 1")
        default:
            remarks.append("\(name) is \(value), and not 1: it is left out")
            return false
        }
        return true
    }
}
