internal import Foundation
package import Wire

// What an app lets a notification carry is a dictionary of the types of property lists. It travels as a JSON object, in
// which dates and data are objects with one key of ours, and so is an object that looks like one of them.
extension JSONValue {
    private static let date = "$date"
    private static let data = "$data"
    private static let object = "$object"
    private static let own: Set<String> = [date, data, object]

    /// In Foundation's types; numbers are `NSNumber`, which reads as `Int`, `Double` and `Bool` alike.
    package var propertyList: Any {
        switch self {
        case .null: NSNull()
        case .bool(let value): NSNumber(value: value)
        case .int(let value): NSNumber(value: value)
        case .double(let value): NSNumber(value: value)
        case .string(let value): value
        case .array(let values): values.map(\.propertyList)
        case .object(let object): object.members.count == 1 ? single(object) : object.dictionary
        }
    }

    private func single(_ object: JSONObject) -> Any {
        if let seconds = object[Self.date]?.number { return Date(timeIntervalSince1970: seconds) }
        if let text = object[Self.data]?.string, let data = Data(base64Encoded: text) { return data }
        if case .object(let inner)? = object[Self.object] { return inner.dictionary }
        return object.dictionary
    }

    /// `nil` if it is of no type that a property list has.
    package init?(propertyList value: Any) {
        switch value {
        case let text as String: self = .string(text)
        case let number as NSNumber: self = Self.number(number)
        case is NSNull: self = .null
        case let moment as Date: self = .object([Self.date: .double(moment.timeIntervalSince1970)])
        case let bytes as Data: self = .object([Self.data: .string(bytes.base64EncodedString())])
        case let values as [Any]:
            let elements = values.compactMap(JSONValue.init(propertyList:))
            guard elements.count == values.count else { return nil }
            self = .array(elements)
        case let dictionary as [AnyHashable: Any]:
            guard let object = JSONObject(dictionary) else { return nil }
            let isLikeOurs = object.members.count == 1 && object.members.allSatisfy { Self.own.contains($0.key) }
            self = .object(isLikeOurs ? [Self.object: .object(object)] : object)
        default: return nil
        }
    }

    private static func number(_ number: NSNumber) -> JSONValue {
        // Foundation's booleans are numbers of a class of their own.
        if type(of: number) == type(of: NSNumber(value: true)) { return .bool(number.boolValue) }
        let isReal = unsafe ["d", "f"].contains(String(cString: number.objCType))
        return isReal || number.compare(NSNumber(value: Int64.max)) == .orderedDescending
            ? .double(number.doubleValue) : .int(number.int64Value)
    }
}

extension JSONObject {
    package var dictionary: [AnyHashable: Any] {
        Dictionary(members.map { (AnyHashable($0.key), $0.value.propertyList) }, uniquingKeysWith: { $1 })
    }

    /// In the order of the keys; `nil` if one is no string, or a value is of no type that a property list has.
    package init?(_ dictionary: [AnyHashable: Any]) {
        self.init()
        var members: [(key: String, value: Any)] = []
        for (key, value) in dictionary {
            guard let key = key.base as? String else { return nil }
            members.append((key, value))
        }
        for (key, value) in members.sorted(by: { $0.key < $1.key }) {
            guard let value = JSONValue(propertyList: value) else { return nil }
            self[key] = value
        }
    }
}
