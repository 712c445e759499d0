package import Model

// Values that only recordings of version 1 contain. This file reads them, so that those recordings still replay.
// No other code knows these values.

/// The services that apps could name before services had declarations.
package enum RetiredService: UInt8, Hashable, Sendable, CaseIterable {
    case audio, location, voip, fetch, remoteNotification
}

/// An event that the policy no longer knows. In a replay it has no effect.
package enum RetiredEvent: Hashable, Sendable {
    case beginService(AppIndex, RequestID, RetiredService)
    case endService(AppIndex, RequestID, RetiredService)
    /// The user opened an app over another app.
    case openCovering(CommandID, AppIndex, wait: Bool)

    package func encode(into writer: inout ByteWriter) {
        switch self {
        case .beginService(let app, let id, let service), .endService(let app, let id, let service):
            writer.write(UInt8(19))
            writer.write(UInt64(app.rawValue))
            writer.write(id.rawValue)
            if case .beginService = self { writer.write(UInt8(3)) } else { writer.write(UInt8(4)) }
            writer.write(service.rawValue)
        case .openCovering(let id, let app, let wait):
            writer.write(UInt8(5))
            writer.write(id.rawValue)
            writer.write(UInt8(1))
            writer.write(UInt64(app.rawValue))
            writer.write(retiredRole)
            writer.write(wait)
        }
    }

    /// Returns `nil` and leaves the reader unchanged if the next event is not a retired one.
    package init?(from reader: inout ByteReader) {
        var ahead = reader
        // Bytes that are not a retired event may be any other event, which the caller then reads and validates.
        guard let event = try? Self.read(&ahead) else { return nil }
        reader = ahead
        self = event
    }

    private static func read(_ reader: inout ByteReader) throws(MalformedBytes) -> RetiredEvent? {
        let tag = try reader.byte()
        guard tag == 19 || tag == 5 else { return nil }
        if tag == 19 {
            let (app, id) = (try reader.app(), RequestID(try reader.unsigned()))
            let kind = try reader.byte()
            guard kind == 3 || kind == 4 else { return nil }
            let service = try reader.value(RetiredService.self)
            return kind == 3 ? .beginService(app, id, service) : .endService(app, id, service)
        }
        let id = CommandID(try reader.unsigned())
        guard try reader.byte() == 1 else { return nil }
        let app = try reader.app()
        guard try reader.byte() == retiredRole else { return nil }
        return .openCovering(id, app, wait: try reader.bool())
    }

    package var sentence: String {
        switch self {
        case .beginService(let app, _, let service): "app \(app.rawValue) began \(service), as earlier versions had it"
        case .endService(let app, _, let service): "app \(app.rawValue) ended \(service), as earlier versions had it"
        case .openCovering(_, let app, _):
            "app \(app.rawValue) was opened over another one, as in earlier versions"
        }
    }
}

/// An assertion in a checkpoint, or `nil` if its kind is retired.
struct StoredAssertion: Decodable {
    let assertion: Assertion?

    private enum CodingKeys: String, CodingKey { case kind }

    init(from decoder: any Decoder) throws {
        let kind = try decoder.container(keyedBy: CodingKeys.self).decode(UInt8.self, forKey: .kind)
        assertion = retiredAssertions.contains(kind) ? nil : try Assertion(from: decoder)
    }
}

/// The kinds of assertions that an app took by naming a service.
private let retiredAssertions: Range<UInt8> = 0..<2

/// The role of an app that covered another app.
private let retiredRole: UInt8 = 3

extension KeyedDecodingContainer {
    /// Reads a retired kind as `nil`, because it no longer keeps an app running.
    func decodeIfPresent(_ type: AssertionKind.Type, forKey key: Key) throws -> AssertionKind? {
        guard let number = try decodeIfPresent(UInt8.self, forKey: key), !retiredAssertions.contains(number) else {
            return nil
        }
        return try decode(AssertionKind.self, forKey: key)
    }

    /// Reads the retired role as `nil`: the app is not on the screen.
    func decodeIfPresent(_ type: ScreenRole.Type, forKey key: Key) throws -> ScreenRole? {
        guard let number = try decodeIfPresent(UInt8.self, forKey: key), number != retiredRole else { return nil }
        return try decode(ScreenRole.self, forKey: key)
    }
}
