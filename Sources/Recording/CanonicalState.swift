internal import FoundationEssentials
internal import PolicyCore

/// The Core as JSON with sorted keys, however it is stored: equal states have equal bytes.
enum CanonicalState {
    /// What differs first between a checkpoint and the replayed Core, in what the checkpoint holds: state that the Core
    /// has gained since it was written is not compared.
    ///
    /// - Parameter file: the checkpoint as it was read.
    static func difference(
        _ header: SegmentHeader, _ file: [UInt8], _ replayed: System, _ path: String
    ) throws(RecordingError) -> Difference? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            let (old, new) = (try encoder.encode(header.system), try encoder.encode(replayed))
            guard old != new else { return nil }
            let decoder = JSONDecoder()
            let written = try Segment.decode(Checkpoint.self, from: file).system
            let isOlder = header.version < SegmentHeader.version
            return try first(
                decoder.decode(Tree.self, from: old), decoder.decode(Tree.self, from: new), written, "", isOlder)
        } catch {
            throw .damagedCheckpoint(path, "\(error)")
        }
    }

    private struct Checkpoint: Decodable { let system: Tree }

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

        var isObject: Bool { if case .object = self { true } else { false } }

        func member(_ key: String) -> Tree? {
            if case .object(let members) = self { members[key] } else { nil }
        }

        func element(_ place: Int) -> Tree {
            if case .array(let values) = self, place < values.count { values[place] } else { .null }
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

    /// `old` is what today's Core reads in the checkpoint, `written` what stands there.
    private static func first(
        _ old: Tree, _ new: Tree, _ written: Tree, _ path: String, _ isOlder: Bool
    ) -> Difference? {
        switch (old, new) {
        case (.object(let old), .object(let new)):
            for key in Set(old.keys).union(new.keys).sorted() where old[key] != new[key] {
                let member = written.member(key)
                // Today's Core made it up where the file has nothing. What it left out there as well was nothing then,
                // or, in an older version, not known.
                if written.isObject, member == nil, old[key] != nil || isOlder { continue }
                let path = path.isEmpty ? key : "\(path).\(key)"
                let difference = first(old[key] ?? .null, new[key] ?? .null, member ?? .null, path, isOlder)
                if let difference { return difference }
            }
            return nil
        case (.array(let old), .array(let new)) where old.count == new.count:
            for (place, pair) in zip(old, new).enumerated() where pair.0 != pair.1 {
                let difference = first(pair.0, pair.1, written.element(place), "\(path)[\(place)]", isOlder)
                if let difference { return difference }
            }
            return nil
        default: return Difference(path: path, recorded: "\(old)", replayed: "\(new)")
        }
    }
}
