public import Foundation

extension UIApplication {
    /// The scenes that are connected, on the screen or not.
    public var connectedScenes: Set<UIScene> { Set((scenes?.connected ?? [:]).values) }

    /// The sessions of the app's scenes, connected or not.
    public var openSessions: Set<UISceneSession> { Set((scenes?.sessions ?? [:]).values) }

    /// Whether the app may have several scenes at once: `UIApplicationSupportsMultipleScenes` in the scene manifest of
    /// its `Info.plist`.
    public var supportsMultipleScenes: Bool { scenes?.manifest.supportsMultipleScenes ?? false }

    /// Asks for a scene to be shown: that of a session, or a new one. It appears beside the app's present scene where
    /// the screen has room for two, else in its place.
    ///
    /// - Parameters:
    ///   - sceneSession: of a scene that there is, connected or not; `nil`: a new one.
    ///   - userActivity: what the scene is to go on with: among the options of its connection, or, if it is connected
    ///     already, given to `scene(_:continue:)`.
    ///   - options: nothing here depends on them.
    ///   - errorHandler: called on the main thread with a `UISceneError` if it cannot be, for example because the app
    ///     is not on screen.
    public func requestSceneSessionActivation(
        _ sceneSession: UISceneSession?, userActivity: NSUserActivity?, options: UIScene.ActivationRequestOptions?,
        errorHandler: ((any Error) -> Void)? = nil
    ) {
        guard let scenes else { errorHandler?(UISceneError(.requestDenied, Self.noScenes)); return }
        scenes.activate(sceneSession, userActivity, errorHandler)
    }

    /// Asks for a scene to be shown (iOS 17).
    ///
    /// - Parameters:
    ///   - request: which scene, and what it is to go on with.
    ///   - errorHandler: called on the main thread with a `UISceneError` if it cannot be.
    public func activateSceneSession(
        for request: UISceneSessionActivationRequest, errorHandler: ((any Error) -> Void)? = nil
    ) {
        requestSceneSessionActivation(
            request.session, userActivity: request.userActivity, options: request.options, errorHandler: errorHandler)
    }

    /// Closes a scene for good: it leaves the screen, is disconnected, and its session is gone, of which
    /// `application(_:didDiscardSceneSessions:)` is told.
    ///
    /// - Parameters:
    ///   - options: nothing here depends on them.
    ///   - errorHandler: called on the main thread with a `UISceneError` if it cannot be.
    public func requestSceneSessionDestruction(
        _ sceneSession: UISceneSession, options: UISceneDestructionRequestOptions?,
        errorHandler: ((any Error) -> Void)? = nil
    ) {
        guard let scenes else { errorHandler?(UISceneError(.requestDenied, Self.noScenes)); return }
        scenes.destroy(sceneSession, errorHandler)
    }

    /// Asks for a new picture of a scene in the background. The app's picture is taken anew.
    public func requestSceneSessionRefresh(_ sceneSession: UISceneSession) { refreshSnapshot() }

    private static let noScenes = "the app has no scenes: add UIApplicationSceneManifest to its Info.plist"
}

/// Which scene is to be shown (iOS 17).
public struct UISceneSessionActivationRequest {
    /// What the scene is for.
    public var role: UISceneSession.Role
    /// That of a scene that there is; `nil`: a new one.
    public var session: UISceneSession?
    /// What the scene is to go on with.
    public var userActivity: NSUserActivity?
    /// Nothing here depends on them.
    public var options: UIScene.ActivationRequestOptions?

    /// Asks for a new scene.
    public init(
        role: UISceneSession.Role = .windowApplication, userActivity: NSUserActivity? = nil,
        options: UIScene.ActivationRequestOptions? = nil
    ) {
        self.role = role
        self.userActivity = userActivity
        self.options = options
    }

    /// Asks for the scene of a session.
    @MainActor
    public init(
        session: UISceneSession, userActivity: NSUserActivity? = nil, options: UIScene.ActivationRequestOptions? = nil
    ) {
        role = session.role
        self.session = session
        self.userActivity = userActivity
        self.options = options
    }
}

/// How a scene is to be closed. No option has a meaning here.
@preconcurrency @MainActor
open class UISceneDestructionRequestOptions: NSObject {
    /// Creates the options.
    public nonisolated override init() { super.init() }
}

/// How the scene of a window is to be closed.
@preconcurrency @MainActor
open class UIWindowSceneDestructionRequestOptions: UISceneDestructionRequestOptions {
    /// What is seen of it.
    public enum DismissalAnimation: Int, Sendable {
        case standard = 1
        case commit = 2
        case decline = 3
    }

    /// What is seen of it. Nothing here.
    open var windowDismissalAnimation = DismissalAnimation.standard
}

/// Why a scene is not shown or closed (`UISceneErrorDomain`).
public struct UISceneError: Error, Hashable, Sendable, CustomNSError {
    /// What went wrong.
    public enum Code: Int, Sendable {
        /// The app may have one scene only.
        case multipleScenesNotSupported = 0
        /// It cannot be done now.
        case requestDenied = 1
        /// The system does not place scenes so.
        case geometryRequestUnsupported = 100
        /// The app wants a place that it may not have.
        case geometryRequestDenied = 101
    }

    /// The domain of such errors.
    public static var errorDomain: String { "UISceneErrorDomain" }

    /// What went wrong.
    public let code: Code
    /// In a sentence.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The sentence, as the error's description.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}

extension UIScene {
    /// How a scene is to be shown. No option has a meaning here.
    @preconcurrency @MainActor
    open class ActivationRequestOptions: NSObject {
        /// Creates the options.
        public nonisolated override init() { super.init() }

        /// The scene that asks.
        open var requestingScene: UIScene?
    }
}
