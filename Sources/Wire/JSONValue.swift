/// A JSON document. Written by hand for the daemon's hot path: Foundation's coders take 5 µs and a box per value for
/// a message of 200 bytes, and cannot be bounded in depth or in the number of values.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case int(Int64)
    case double(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

/// The members of a JSON object in the order in which they were given. A key occurs once.
///
/// Lookups scan: the objects of the protocol have at most a dozen members.
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Member: Sendable, Hashable {
        package let key: String
        package var value: JSONValue
    }

    package private(set) var members: [Member]

    package init() { members = [] }

    /// Of members with the same key the last one wins.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = []
        members.reserveCapacity(elements.count)
        for (key, value) in elements { self[key] = value }
    }

    /// For members that are known to have different keys.
    init(distinct members: [Member]) { self.members = members }

    package var isEmpty: Bool { members.isEmpty }

    /// `nil` is absence; a member that is there and null reads as `.null`.
    package subscript(key: String) -> JSONValue? {
        get {
            for member in members where member.key == key { return member.value }
            return nil
        }
        set {
            if let index = members.firstIndex(where: { $0.key == key }) {
                if let newValue { members[index].value = newValue } else { members.remove(at: index) }
            } else if let newValue {
                members.append(Member(key: key, value: newValue))
            }
        }
    }
}

extension JSONValue {
    /// A member of an object; `nil` if it is absent, null, or this is no object.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self, let value = object[key], value != .null else { return nil }
        return value
    }

    package var string: String? {
        if case .string(let value) = self { return value }
        return nil
    }

    package var int: Int? {
        if case .int(let value) = self { return Int(value) }
        return nil
    }

    /// Any number.
    package var number: Double? {
        switch self {
        case .int(let value): Double(value)
        case .double(let value): value
        case .null, .bool, .string, .array, .object: nil
        }
    }

    package var bool: Bool? {
        if case .bool(let value) = self { return value }
        return nil
    }

    package var array: [JSONValue]? {
        if case .array(let value) = self { return value }
        return nil
    }

    package var object: JSONObject? {
        if case .object(let value) = self { return value }
        return nil
    }

    /// What kind of value it is, for messages to people.
    package var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .double: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// `null` for `nil`.
    package init(_ value: String?) { self = value.map(JSONValue.string) ?? .null }
    /// `null` for `nil`.
    package init(_ value: Int?) { self = value.map { .int(Int64($0)) } ?? .null }
    /// `null` for `nil`.
    package init(_ value: Double?) { self = value.map(JSONValue.double) ?? .null }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .int(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}
