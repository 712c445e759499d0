/// Whether an app speaks Greenroom's protocol.
package enum AppKind: UInt8, Sendable, Codable {
    /// A bundle with `Info.plist`, which gets callbacks.
    case application
    /// Any Linux program: the same states, no callbacks (L14).
    case plain
}

/// What the policy needs to know of an installed app.
package struct AppManifest: Hashable, Sendable, Codable {
    package var identifier: AppIdentifier
    package var name: String
    package var kind: AppKind
    package var backgroundModes: BackgroundModes
    /// `UIApplicationExitsOnSuspend` (L10).
    package var exitsOnSuspend: Bool
    /// False for a graphical program that knows nothing of Greenroom: freezing it would break other programs.
    package var isFreezable: Bool
    /// `UIApplicationSceneManifest`.
    package var scenes: SceneSupport
    package var urlSchemes: [String]
    /// `BGTaskSchedulerPermittedIdentifiers`.
    package var taskIdentifiers: [String]
    /// The limit of its connections while it is suspended. Zero is no limit. `nil`: the profile's limit holds.
    package var connectionLimit: Span?

    package init(
        identifier: AppIdentifier, name: String, kind: AppKind = .application, backgroundModes: BackgroundModes = [],
        exitsOnSuspend: Bool = false, urlSchemes: [String] = [], isFreezable: Bool = true,
        taskIdentifiers: [String] = [], scenes: SceneSupport = .none, connectionLimit: Span? = nil
    ) {
        self.identifier = identifier
        self.name = name
        self.kind = kind
        self.backgroundModes = backgroundModes
        self.exitsOnSuspend = exitsOnSuspend
        self.urlSchemes = urlSchemes
        self.isFreezable = isFreezable
        self.taskIdentifiers = taskIdentifiers
        self.scenes = scenes
        self.connectionLimit = connectionLimit
    }

    /// A checkpoint from before there were such tasks, scenes, or limits, says nothing of them.
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try values.decode(AppIdentifier.self, forKey: .identifier)
        name = try values.decode(String.self, forKey: .name)
        kind = try values.decode(AppKind.self, forKey: .kind)
        backgroundModes = try values.decode(BackgroundModes.self, forKey: .backgroundModes)
        exitsOnSuspend = try values.decode(Bool.self, forKey: .exitsOnSuspend)
        urlSchemes = try values.decode([String].self, forKey: .urlSchemes)
        isFreezable = try values.decode(Bool.self, forKey: .isFreezable)
        taskIdentifiers = try values.decodeIfPresent([String].self, forKey: .taskIdentifiers) ?? []
        scenes = try values.decodeIfPresent(SceneSupport.self, forKey: .scenes) ?? .none
        connectionLimit = try values.decodeIfPresent(Span.self, forKey: .connectionLimit)
    }
}
