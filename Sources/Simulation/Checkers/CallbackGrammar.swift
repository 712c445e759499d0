internal import Model

/// The order of callbacks as the documents have it (L1–L6), written apart from the Core that it judges: what the
/// delegate of one process has heard, and what it may hear next.
struct CallbackGrammar {
    enum State: UInt8 {
        case unborn, willFinishLaunching, inactive, active, launchedIntoBackground, background, terminating
    }

    private(set) var state = State.unborn
    private(set) var scenes = SceneGrammar()
    private var hasScenes = false

    var isForeground: Bool { state == .inactive || state == .active }

    /// What is wrong with the callback; `nil` when it may come now.
    mutating func hear(_ callback: Callback, isOptedOut: Bool) -> String? {
        if let scene = callback.scene, let wrong = scenes.hear(scene, state) { return wrong }
        hasScenes = hasScenes || callback.scene != nil
        guard let next = next(callback, isOptedOut: isOptedOut) else {
            return "\(callback.kind.name) comes while it is \(state)"
        }
        state = next
        return hasScenes ? scenes.after(callback.kind) : nil
    }

    private func next(_ callback: Callback, isOptedOut: Bool) -> State? {
        switch (callback.kind, state) {
        case (.willFinishLaunching, .unborn): .willFinishLaunching
        case (.didFinishLaunching, .willFinishLaunching):
            callback.isBackground ? .launchedIntoBackground : .inactive
        case (.didBecomeActive, .inactive): .active
        case (.willResignActive, .active): .inactive
        case (.didEnterBackground, .inactive): isOptedOut ? nil : .background
        case (.didEnterBackground, .launchedIntoBackground): .background
        case (.willEnterForeground, .background): .inactive
        case (.openURL, .inactive), (.openURL, .active): state
        // `SceneGrammar` knows when.
        case (.scene, _): state
        case (.openURL, .background): callback.scene == nil ? nil : state
        case (.didReceiveMemoryWarning, .inactive), (.didReceiveMemoryWarning, .active),
            (.didReceiveMemoryWarning, .background):
            state
        // Nobody on screen is woken.
        case (.performFetch, .background), (.handleEventsForBackgroundURLSession, .background),
            (.launchBackgroundTask, .background), (.handleServiceEvents, .background):
            state
        case (.willTerminate, .background): .terminating
        // An app that opts out of multitasking never enters the background (L10).
        case (.willTerminate, .inactive): isOptedOut ? .terminating : nil
        default: nil
        }
    }
}
