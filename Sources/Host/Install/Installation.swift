internal import FoundationEssentials
internal import Model

/// An installed app as the database keeps it: what the helper found, and where the daemon put it.
struct Installation: Codable, Sendable, Equatable {
    var identifier: String
    var name: String
    var kind: String
    /// Relative to the bundle for an application, else absolute.
    var executable: String
    var arguments: [String]
    var backgroundModes: [String]
    var exitsOnSuspend: Bool
    var urlSchemes: [String]
    var terminal: Bool
    var freezable: Bool
    var icon: String?
    var version: String?
    var workingDirectory: String?
    var graphical: Bool
    /// `nil`: it was installed by a version that knew nothing of them.
    var taskIdentifiers: [String]?
    /// It may make namespaces of its own, as browsers do; `nil`: it was installed by a version that asked nobody.
    var namespaces: Bool?
    /// Programs of the bundle that services may run, by their extension points; `nil`: it was installed by a version
    /// that knew nothing of them.
    var extensions: [String: String]?
    /// `UIApplicationSceneManifest`: `one` or `several`; `nil`: it has none, or was installed by a version that knew
    /// nothing of them, whose frameworks look after the app's one scene by themselves.
    var scenes: String?
    /// The limit of its connections while it is suspended, in seconds. 0 is no limit. `nil`: the profile's limit holds.
    var connectionLimit: Int64?
    /// A uid of its own, where the daemon can give one.
    var uid: UInt32?
    /// What of it was left out, for whoever installs it: it is not kept.
    var warnings: [String]?

    /// What the policy needs of it; `hasDisplay`: a graphical program would find a display.
    func manifest(hasDisplay: Bool) -> AppManifest? {
        guard let id = AppIdentifier(identifier) else { return nil }
        return AppManifest(
            identifier: id, name: name, kind: kind == "plain" ? .plain : .application,
            backgroundModes: BackgroundModes(keys: backgroundModes), exitsOnSuspend: exitsOnSuspend,
            urlSchemes: urlSchemes, isFreezable: freezable && !(graphical && hasDisplay),
            taskIdentifiers: taskIdentifiers ?? [],
            scenes: scenes == "several" ? .several : scenes == "one" ? .one : .none,
            connectionLimit: connectionLimit.map { .seconds(Double($0)) })
    }

    init(json: [UInt8]) throws { self = try JSONDecoder().decode(Self.self, from: Data(json)) }

    var json: String {
        get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }
}
