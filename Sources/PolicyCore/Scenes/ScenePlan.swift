internal import Model

/// Callbacks in the order in which they are to be called, those of scenes among those of the app.
struct CallPlan {
    private(set) var kinds: [CallbackKind] = []
    /// Of those kinds that are about a scene, in their order.
    private(set) var scenes: [SceneCall] = []

    init(_ kinds: [CallbackKind] = []) { self.kinds = kinds }

    mutating func add(_ kind: CallbackKind) { kinds.append(kind) }

    mutating func add(_ scene: SceneNumber, _ step: SceneStep, wish: UInt32 = 0) {
        kinds.append(step == .openURL ? .openURL : .scene)
        scenes.append(SceneCall(scene, step, wish: wish))
    }
}

// Of what they need alone: to ask the system would hand on a copy of it.
extension CallPlan {
    /// On the way off the screen, or to the end.
    /// - Parameter last: `didEnterBackground`, or `willTerminate` of an app that never gets there.
    static func leaving(_ state: LifecycleState, last: CallbackKind, scenes: SceneTable?) -> CallPlan {
        var plan = CallPlan()
        scenes?.addResigning(to: &plan)
        if case .active = state { plan.add(.willResignActive) }
        if case .didEnterBackground = last { scenes?.addEntering(to: &plan) }
        plan.add(last)
        return plan
    }

    /// Of the launch, behind the launch's own.
    /// - Parameter urls: how many are to be opened.
    static func launching(_ presence: Screen.Presence, urls: Int, isBackground: Bool, scenes: SceneTable?) -> CallPlan {
        var plan = CallPlan([.willFinishLaunching, .didFinishLaunching])
        scenes?.addEnding(to: &plan)
        guard !isBackground else {
            plan.add(.didEnterBackground)
            return plan
        }
        var isActive = false
        if case .active = presence { isActive = true }
        if let scenes {
            scenes.addComing(urls: urls, to: &plan)
            if isActive { scenes.addActivity(true, to: &plan) }
        } else {
            for _ in 0..<urls { plan.add(.openURL) }
        }
        if isActive { plan.add(.didBecomeActive) }
        return plan
    }
}

// In an app with scenes each of them goes its own way, and the app is where the foremost of them is.
extension SceneTable {
    /// Those that are no longer on screen while others are.
    func addLeaving(to plan: inout CallPlan) {
        for session in sessions where session.state.isForeground && session.role == nil {
            if session.state == .active { plan.add(session.number, .willResignActive) }
            plan.add(session.number, .didEnterBackground)
        }
    }

    /// Those that come to the screen. One that was not there has what it is to open before it connects.
    func addComing(urls: Int, to plan: inout CallPlan) {
        let target = target
        for session in sessions where session.role != nil {
            if session.state == .unattached {
                if session.number == target?.number { for _ in 0..<urls { plan.add(session.number, .openURL) } }
                plan.add(session.number, .willConnect, wish: session.wish)
            }
            if !session.state.isForeground { plan.add(session.number, .willEnterForeground) }
        }
    }

    /// What is to be opened by a scene that was there before.
    func addURLs(_ urls: Int, to plan: inout CallPlan) {
        guard let target, target.state != .unattached else { return }
        for _ in 0..<urls { plan.add(target.number, .openURL) }
    }

    /// The scene that opens what is to be opened.
    private var target: SceneSession? { sessions.last { $0.role != nil } }

    /// - Parameter isActive: nothing lies over the screen.
    func addActivity(_ isActive: Bool, to plan: inout CallPlan) {
        for session in sessions where session.role != nil {
            if isActive {
                if session.state != .active { plan.add(session.number, .didBecomeActive) }
            } else if session.state == .active {
                plan.add(session.number, .willResignActive)
            }
        }
    }

    /// All stop being what the user acts on.
    func addResigning(to plan: inout CallPlan) {
        for session in sessions where session.state == .active { plan.add(session.number, .willResignActive) }
    }

    /// All enter the background.
    func addEntering(to plan: inout CallPlan) {
        for session in sessions where session.state.isForeground { plan.add(session.number, .didEnterBackground) }
    }

    /// Those that go for good, or to make room.
    func addEnding(to plan: inout CallPlan) {
        for session in sessions where session.isDiscarded || session.isToDisconnect {
            if session.state == .background { plan.add(session.number, .didDisconnect) }
            if session.isDiscarded, !session.state.isForeground { plan.add(session.number, .didDiscard) }
        }
    }
}
