internal import Model
internal import PolicyCore
internal import Simulation

/// Names that a word may be, for finding the one that was meant.
struct Names {
    let what: String
    let all: [String]

    init(_ what: String, _ all: [String]) {
        self.what = what
        self.all = all
    }

    func mismatch(_ word: String) -> Mismatch {
        var problem = "there is no \(what) \(quoted(word))"
        if let near = nearest(to: word) { problem += " (did you mean \(near)?)" }
        return Mismatch(problem: problem, expected: all.isEmpty ? "none: there are none" : list)
    }

    var list: String {
        let shown = all.prefix(40).joined(separator: ", ")
        return (all.count == 1 ? "" : "one of ") + shown + (all.count > 40 ? ", …" : "")
    }

    /// The name that differs from the word in the fewest letters, if it is near enough to have been meant.
    func nearest(to word: String) -> String? {
        guard word.count <= 60 else { return nil }
        var best: (name: String, distance: Int)?
        for name in all.prefix(1000) where abs(name.count - word.count) <= 3 {
            let distance = editDistance(Array(name.lowercased()), Array(word.lowercased()))
            if distance < best?.distance ?? .max { best = (name, distance) }
        }
        guard let best, best.distance <= max(1, min(3, word.count / 3)) else { return nil }
        return best.name
    }
}

/// How many letters must be put in, taken out, exchanged or swapped with their neighbour.
private func editDistance(_ a: [Character], _ b: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
        var row = [i + 1]
        for j in b.indices {
            var cost = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
            if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, before[j - 1] + 1) }
            row.append(cost)
        }
        before = last
        last = row
    }
    return last[b.count]
}

extension Names {
    static let roles = Names("place on the screen", ScreenRole.allCases.map(\.name))
    static let scenes = Names("number of scenes", SceneSupport.declared.map(\.scenarioName))
    static let places = Names("state of a scene", SceneState.allCases.map(\.name))
    static let states = Names("state", LifecycleState.allCases.map(\.name))
    static let callbacks = Names("delegate method", CallbackKind.allCases.map(\.name))
    static let events = Names("event of the log", LogEvent.allCases.map(\.name))
    static let assertions = Names("assertion", AssertionKind.allCases.map(\.name))
    static let priorities = Names("priority", AppPriority.allCases.map(\.name))
    static let interruptions = Names("interruption", InterruptionKind.allCases.map(\.name))
    static let networks = Names("network", NetworkKind.allCases.map(\.name))
    static let charges = Names("state of the battery", BatteryReading.State.allCases.map(\.name))
    static let warmths = Names("thermal state", ThermalState.allCases.map(\.name))
    static let orientations = Names("orientation", Orientation.allCases.map(\.name))
    static let changes = Names("change", SystemChange.allCases.map(\.name))
    static let windows = Names("window", WindowService.allCases.map(\.name))
    static let results = Names("result", WindowResult.allCases.map(\.name))
    static let tasks = Names("kind of task", BackgroundTaskRequest.Kind.allCases.map(\.name))
    static let needs = Names("need", TaskNeed.allCases.map(\.rawValue))
    static let purposes = Names("activity", Purpose.allCases.map(\.name))
    static let parts = Names("part of the device", EnergyPart.allCases.map(\.name))
    static let profiles = Names("profile", DeviceProfile.all.map(\.name))
}

extension SceneSupport {
    /// Those that a scenario says something of.
    static let declared: [SceneSupport] = [.one, .several]

    var scenarioName: String { self == .one ? "one" : "several" }
}

extension LogEvent {
    /// What the log tells of the device, not of an app.
    var isOfDevice: Bool {
        switch self {
        case .launched, .launchedInBackground, .suspended, .resumed, .terminated, .willFinishLaunching,
            .didFinishLaunching, .didBecomeActive, .willResignActive, .didEnterBackground, .willEnterForeground,
            .willTerminate, .openedURL, .suspensionFailed, .serviceStopped, .keptRunning,
            .didReceiveMemoryWarning, .reclaimed, .taskBegan, .taskEnded, .tasksExpired, .taskRefused, .toldOfChanges,
            .listens, .peerConnected, .peersRefused, .connectionsClosed, .performFetch,
            .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents,
            .didReceiveRemoteNotification, .methodCalled, .cachesEmptied,
            .wakeRequested, .wakeRefused, .windowCompleted, .windowExpires, .windowOverrun, .taskSubmitted,
            .taskCancelled, .taskRequestRefused, .descriptorsNearLimit, .priorityInversion, .sceneWillConnect,
            .sceneWillEnterForeground, .sceneDidBecomeActive, .sceneWillResignActive, .sceneDidEnterBackground,
            .sceneDidDisconnect, .didDiscardScene, .screenHeld, .screenReleased:
            false
        case .openRequested, .homePressed, .locked, .unlocked, .switcherOpened, .switcherClosed, .closeRequested,
            .restartRequested, .exemptionChanged, .interrupted, .interruptionEnded, .callAccepted, .callEnded, .slept,
            .woke, .booted, .shutDown, .daemonRestarted, .uninstalled, .memoryShort, .memoryRecovered,
            .memoryLimitExceeded, .conditionChanged, .refreshAllowed,
            .entriesOmitted:
            true
        }
    }
}
