internal import Model

/// The order of what the scenes of one process hear, as Apple's documents have it (UIKit's life cycle of scenes),
/// written apart from the Core that it judges.
struct SceneGrammar {
    private(set) var connected: [SceneNumber: SceneState] = [:]
    /// What is to be opened by a scene that is not there yet.
    private var waiting: Set<SceneNumber> = []
    private var discarded: Set<SceneNumber> = []

    /// What is wrong with a callback about a scene; `nil` when it may come now.
    mutating func hear(_ call: SceneCall, _ app: CallbackGrammar.State) -> String? {
        let scene = call.scene
        let name = "scene \(scene.rawValue)"
        if discarded.contains(scene) { return "\(name) was closed and hears \(call.step.name)" }
        let state = connected[scene]
        let isAppUp = app == .inactive || app == .active || app == .background || app == .launchedIntoBackground
        guard isAppUp else { return "\(name) hears \(call.step.name) while the app is \(app)" }
        let next: SceneState?
        switch (call.step, state) {
        case (.openURL, nil):
            waiting.insert(scene)
            return nil
        case (.openURL, .inactive), (.openURL, .active): return nil
        case (.willConnect, nil):
            waiting.remove(scene)
            next = .background
        case (.willEnterForeground, .background): next = .inactive
        case (.didBecomeActive, .inactive): next = .active
        case (.willResignActive, .active): next = .inactive
        case (.didEnterBackground, .inactive): next = .background
        case (.didDisconnect, .background): next = nil
        case (.didDiscard, nil):
            discarded.insert(scene)
            return nil
        default: return "\(name) hears \(call.step.name) while it is \(state?.name ?? "not connected")"
        }
        connected[scene] = next
        return nil
    }

    /// What is wrong now that the app has heard this.
    func after(_ kind: CallbackKind) -> String? {
        func scenes(_ isSought: (SceneState) -> Bool) -> String? {
            connected.filter { isSought($0.value) }.keys.min().map { "scene \($0.rawValue)" }
        }
        switch kind {
        case .didBecomeActive:
            return scenes { $0 == .active } == nil ? "the app is active, and none of its scenes is" : nil
        case .willResignActive: return scenes { $0 == .active }.map { "\($0) is active, and the app is not" }
        case .didEnterBackground: return scenes(\.isForeground).map { "\($0) is in the foreground, and the app is not" }
        default: return nil
        }
    }
}
