public import Foundation

/// What is kept of a scene while it is not there: across the app's launches, its number and what it needs to be shown
/// again as it was.
@preconcurrency @MainActor
open class UISceneSession: NSObject {
    /// What a scene is for.
    public struct Role: RawRepresentable, Hashable, Sendable {
        /// The role's name, as in `UISceneConfigurations`.
        public var rawValue: String
        /// Creates a role.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Windows on the device's own screen.
        public static let windowApplication = Role(rawValue: "UIWindowSceneSessionRoleApplication")
    }

    /// A number that stays the same as long as the session is there.
    public let persistentIdentifier: String

    /// What the scene is for.
    public let role: Role

    /// How the scene is made.
    open internal(set) var configuration: UISceneConfiguration

    /// The scene, while it is connected.
    open internal(set) weak var scene: UIScene?

    /// What the app wants to know of the session at its next launch; kept when the scene leaves the screen. Property
    /// lists only: others are lost.
    open var userInfo: [String: Any]?

    /// What the delegate's `stateRestorationActivity(for:)` gave when the scene last left the screen, also in an
    /// earlier launch.
    open internal(set) var stateRestorationActivity: NSUserActivity?

    /// The system's own for it, counted from 1.
    package let number: Int

    init(number: Int, persistentIdentifier: String, role: Role, configuration: UISceneConfiguration) {
        self.number = number
        self.persistentIdentifier = persistentIdentifier
        self.role = role
        self.configuration = configuration
        super.init()
    }
}

/// How a scene is made. The app delegate's `application(_:configurationForConnecting:options:)` chooses it.
@preconcurrency @MainActor
open class UISceneConfiguration: NSObject {
    /// The name that `Info.plist` gives it.
    public let name: String?

    /// What the scene is for.
    public let role: UISceneSession.Role

    /// The class of the scene; `nil`: `UIWindowScene`.
    open var sceneClass: AnyClass?

    /// The class of the scene's delegate: a subclass of `UIResponder` or `NSObject`.
    open var delegateClass: AnyClass?

    /// Creates a configuration with the classes that `Info.plist` gives for this name and role.
    ///
    /// - Parameters:
    ///   - name: as in `UISceneConfigurationName`; `nil` for one without a name, whose classes the app sets.
    ///   - sessionRole: what the scene is for.
    public init(name: String?, sessionRole: UISceneSession.Role) {
        self.name = name
        role = sessionRole
        super.init()
        let declared = name.flatMap { UIApplication.running?.scenes?.manifest.configuration(named: $0, sessionRole) }
        sceneClass = declared?.sceneClass
        delegateClass = declared?.delegateClass
    }
}
