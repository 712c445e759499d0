internal import FoundationEssentials
internal import PolicyCore

/// The Core as JSON with sorted keys: equal states have equal bytes.
enum CanonicalState {
    static func difference(
        _ recorded: System, _ replayed: System, _ path: String
    ) throws(RecordingError) -> Difference? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            let (old, new) = (try encoder.encode(recorded), try encoder.encode(replayed))
            guard old != new else { return nil }
            let decoder = JSONDecoder()
            return try first(decoder.decode(Tree.self, from: old), decoder.decode(Tree.self, from: new), "")
        } catch {
            throw .damagedCheckpoint(path, "\(error)")
        }
    }

    /// Any JSON.
    private enum Tree: Decodable, Equatable, CustomStringConvertible {
        case null
        case bool(Bool)
        case integer(Int64)
        case number(Double)
        case string(String)
        case array([Tree])
        case object([String: Tree])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Int64.self) {
                self = .integer(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .string(value)
            } else if let value = try? container.decode([Tree].self) {
                self = .array(value)
            } else {
                self = .object(try container.decode([String: Tree].self))
            }
        }

        var description: String {
            switch self {
            case .null: "nothing"
            case .bool(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .number(let value): "\(value)"
            case .string(let value): "“\(value)”"
            case .array(let values): "\(values.count) elements"
            case .object(let members): "{\(members.keys.sorted().joined(separator: ", "))}"
            }
        }
    }

    private static func first(_ old: Tree, _ new: Tree, _ path: String) -> Difference? {
        switch (old, new) {
        case (.object(let old), .object(let new)):
            for key in Set(old.keys).union(new.keys).sorted() where old[key] != new[key] {
                return first(old[key] ?? .null, new[key] ?? .null, path.isEmpty ? key : "\(path).\(key)")
            }
            return nil
        case (.array(let old), .array(let new)) where old.count == new.count:
            for (place, pair) in zip(old, new).enumerated() where pair.0 != pair.1 {
                return first(pair.0, pair.1, "\(path)[\(place)]")
            }
            return nil
        default: return Difference(path: path, recorded: "\(old)", replayed: "\(new)")
        }
    }
}
