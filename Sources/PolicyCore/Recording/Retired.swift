package import Model

// What only recordings of earlier versions hold. It is read here, so that they can be replayed, and is known nowhere
// else.

/// Services as apps used them by name, before services declared themselves.
package enum RetiredService: UInt8, Hashable, Sendable, CaseIterable {
    case audio, location, voip, fetch, remoteNotification
}

/// What happened that the policy no longer knows: nothing follows from it in a replay.
package enum RetiredEvent: Hashable, Sendable {
    case beginService(AppIndex, RequestID, RetiredService)
    case endService(AppIndex, RequestID, RetiredService)
    /// An app was opened over another one.
    case openCovering(CommandID, AppIndex, wait: Bool)
    case openSceneCovering(CommandID, AppIndex, SceneNumber?, wait: Bool)

    /// Recordings from this version on have none of them.
    package static let endingVersion = 4

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
        case .openSceneCovering(let id, let app, let scene, let wait):
            writer.write(UInt8(5))
            writer.write(id.rawValue)
            writer.write(UInt8(43))
            writer.write(UInt64(app.rawValue))
            writer.write(scene) { $0.write(UInt64($1.rawValue)) }
            writer.write(retiredRole)
            writer.write(wait)
        }
    }

    /// `nil`: the event is none of these, and the reader stands where it stood.
    package init?(from reader: inout ByteReader) {
        var ahead = reader
        // What cannot be read as one of these may be another event.
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
        let kind = try reader.byte()
        guard kind == 1 || kind == 43 else { return nil }
        let app = try reader.app()
        let scene =
            kind == 1
            ? nil : try reader.optional { reader throws(MalformedBytes) in SceneNumber(try reader.number32()) }
        guard try reader.byte() == retiredRole else { return nil }
        let wait = try reader.bool()
        return kind == 1 ? .openCovering(id, app, wait: wait) : .openSceneCovering(id, app, scene, wait: wait)
    }

    package var sentence: String {
        switch self {
        case .beginService(let app, _, let service): "app \(app.rawValue) began \(service), as earlier versions had it"
        case .endService(let app, _, let service): "app \(app.rawValue) ended \(service), as earlier versions had it"
        case .openCovering(_, let app, _), .openSceneCovering(_, let app, _, _):
            "app \(app.rawValue) was opened over another one, as in earlier versions"
        }
    }
}

/// Background modes in declarations of services, when there were none but those that Greenroom comes with.
struct RetiredModes: RawRepresentable {
    let rawValue: UInt8

    init(_ modes: BackgroundModes) {
        rawValue = BackgroundModes(keys: modes.keys.filter(BackgroundModes.knownKeys.contains)).mask
    }

    init?(rawValue: UInt8) {
        guard !BackgroundModes.hasOthers(mask: rawValue) else { return nil }
        self.rawValue = rawValue
    }

    var modes: BackgroundModes { BackgroundModes(mask: rawValue, otherKeys: []) ?? [] }
}

/// Effects that are decided no more.
enum RetiredEffect: UInt8 {
    case stopService = 13
}

/// An assertion in a checkpoint; `nil`: one that counts no more.
struct StoredAssertion: Decodable {
    let assertion: Assertion?

    private enum CodingKeys: String, CodingKey { case kind }

    init(from decoder: any Decoder) throws {
        let kind = try decoder.container(keyedBy: CodingKeys.self).decode(UInt8.self, forKey: .kind)
        assertion = retiredAssertions.contains(kind) ? nil : try Assertion(from: decoder)
    }
}

/// Kinds of assertions that apps took by the name of a service.
private let retiredAssertions: Range<UInt8> = 0..<2

/// The role that an app had over another one.
private let retiredRole: UInt8 = 3

extension KeyedDecodingContainer {
    /// What kept an app by the name of a service keeps it no more.
    func decodeIfPresent(_ type: AssertionKind.Type, forKey key: Key) throws -> AssertionKind? {
        guard let number = try decodeIfPresent(UInt8.self, forKey: key), !retiredAssertions.contains(number) else {
            return nil
        }
        return try decode(AssertionKind.self, forKey: key)
    }

    /// An app that lay over another one is nowhere on the screen.
    func decodeIfPresent(_ type: ScreenRole.Type, forKey key: Key) throws -> ScreenRole? {
        guard let number = try decodeIfPresent(UInt8.self, forKey: key), number != retiredRole else { return nil }
        return try decode(ScreenRole.self, forKey: key)
    }
}
