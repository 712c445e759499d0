/// One of an app's scenes, by the number of its session. Counted from 1 for each app, and never given again: the
/// session outlives the scene and the process.
package struct SceneNumber: Hashable, Comparable, Sendable, Codable {
    package let rawValue: UInt32
    package init(_ rawValue: UInt32) { self.rawValue = rawValue }
    package static func < (a: SceneNumber, b: SceneNumber) -> Bool { a.rawValue < b.rawValue }
}

/// `UIApplicationSceneManifest`: whether an app has scenes, and whether it may have several.
package enum SceneSupport: UInt8, Sendable, Codable, CaseIterable {
    case none, one, several
}

/// Where a scene is, as the app has been told.
package enum SceneState: UInt8, Sendable, Codable, CaseIterable {
    /// Not connected: there is the session alone.
    case unattached
    case background, inactive, active

    package var isForeground: Bool { self == .inactive || self == .active }

    package var name: String {
        switch self {
        case .unattached: "unattached"
        case .background: "background"
        case .inactive: "inactive"
        case .active: "active"
        }
    }

    /// A step that the state does not have.
    package struct IllegalStep: Error, Hashable {
        package let state: SceneState
        package let step: SceneStep
    }

    package func after(_ step: SceneStep) throws(IllegalStep) -> SceneState {
        switch (self, step) {
        case (.unattached, .willConnect): return .background
        case (.background, .willEnterForeground): return .inactive
        case (.inactive, .didBecomeActive): return .active
        case (.active, .willResignActive): return .inactive
        case (.inactive, .didEnterBackground): return .background
        case (.background, .didDisconnect): return .unattached
        // For which it is to be connected.
        case (.unattached, .openURL), (.inactive, .openURL), (.active, .openURL): return self
        // The session is gone; its scene went before.
        case (.unattached, .didDiscard): return .unattached
        case (.unattached, _), (.background, _), (.inactive, _), (.active, _):
            throw IllegalStep(state: self, step: step)
        }
    }
}

/// What becomes of a scene.
package enum SceneStep: UInt8, Sendable, Codable, CaseIterable {
    case willConnect, willEnterForeground, didBecomeActive, willResignActive, didEnterBackground, didDisconnect
    /// The user closed it, or the app did: the session is gone.
    case didDiscard
    /// It has a URL to open; it stays as it is. The callback is `openURL`.
    case openURL

    /// Of the callback (`docs/PROTOCOL.md`, 2.10).
    package var name: String {
        switch self {
        case .willConnect: "sceneWillConnect"
        case .willEnterForeground: "sceneWillEnterForeground"
        case .didBecomeActive: "sceneDidBecomeActive"
        case .willResignActive: "sceneWillResignActive"
        case .didEnterBackground: "sceneDidEnterBackground"
        case .didDisconnect: "sceneDidDisconnect"
        case .didDiscard: "didDiscardScene"
        case .openURL: "openURL"
        }
    }

    /// The callback of apps without scenes that takes as long, whose limit holds.
    package var timed: CallbackKind {
        switch self {
        case .willConnect, .willEnterForeground: .willEnterForeground
        case .didBecomeActive: .didBecomeActive
        case .willResignActive: .willResignActive
        case .openURL: .openURL
        case .didEnterBackground, .didDisconnect, .didDiscard: .didEnterBackground
        }
    }

    package var event: LogEvent {
        switch self {
        case .willConnect: .sceneWillConnect
        case .willEnterForeground: .sceneWillEnterForeground
        case .didBecomeActive: .sceneDidBecomeActive
        case .willResignActive: .sceneWillResignActive
        case .didEnterBackground: .sceneDidEnterBackground
        case .didDisconnect: .sceneDidDisconnect
        case .didDiscard: .didDiscardScene
        case .openURL: .openedURL
        }
    }

    var sentence: String {
        switch self {
        case .willConnect: "is to be shown, and is not there"
        case .willEnterForeground: "comes to the screen"
        case .didBecomeActive: "is on screen and nothing lies over it"
        case .willResignActive: "is no longer what the user acts on"
        case .didEnterBackground: "is no longer on screen"
        case .didDisconnect: "is not on screen, and what it holds is wanted or not needed any more"
        case .didDiscard: "was closed for good"
        case .openURL: "is to open a URL"
        }
    }
}

/// A callback about a scene.
package struct SceneCall: Hashable, Sendable, Codable {
    package var scene: SceneNumber
    package var step: SceneStep
    /// What the app called its wish for the scene, if it had one; zero: it had none. It is how a process knows why a
    /// scene is connected.
    package var wish: UInt32

    package init(_ scene: SceneNumber, _ step: SceneStep, wish: UInt32 = 0) {
        self.scene = scene
        self.step = step
        self.wish = wish
    }

    package var sentence: String { "scene \(scene.rawValue) \(step.sentence)" }
}
