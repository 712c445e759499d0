internal import Model
internal import Simulation

extension FileReading {
    mutating func device(_ tree: Tree?) -> DeviceProfile {
        guard let tree else { return .linux }
        if case .scalar = tree { return profile(tree) ?? .linux }
        guard let fields = fields(tree, .device) else { return .linux }
        var device = profile(fields["profile"]) ?? .linux
        set(&device.name, text(fields["name"], of: "text"))
        set(&device.hasMultitasking, truth(fields["hasMultitasking"]))
        set(&device.locking, choice(fields["locking"], DeviceProfile.Locking.allNames))
        set(&device.expirationThread, choice(fields["expirationThread"], DeviceProfile.ExpirationThread.allNames))
        set(&device.launchLimit, span(fields["launchLimit"]))
        for (callback, limit) in times(fields["callbackLimits"]) { device.callbackLimits[callback] = limit }
        set(&device.mainThreadLimit, span(fields["mainThreadLimit"]))
        set(&device.checkInterval, span(fields["checkInterval"]))
        set(&device.processLimit, number(fields["processLimit"], in: 1...1_000_000, as: "a count"))
        set(&device.freezeLimit, span(fields["freezeLimit"]))
        set(&device.freezeAttempts, number(fields["freezeAttempts"], in: 1...254, as: "a count"))
        set(&device.hasSplitScreen, truth(fields["hasSplitScreen"]))
        var tasks = device.tasks ?? TaskRules()
        set(&tasks.limit, span(fields["taskLimit"]))
        set(&tasks.windowLimit, span(fields["taskWindowLimit"]))
        set(&tasks.notice, span(fields["taskNotice"]))
        set(&tasks.verdict, choice(fields["taskVerdict"], TaskRules.Verdict.allNames))
        device.tasks = tasks
        var sockets = device.sockets ?? SocketRules()
        if let limit = span(fields["connectionLimit"]) { sockets.connectionLimit = limit > .zero ? limit : nil }
        set(&sockets.grace, span(fields["listenGrace"]))
        device.sockets = sockets
        var windows = device.windowRules
        set(&windows.fetch, span(fields["fetchLimit"]))
        set(&windows.sessionEvents, span(fields["transferEventsLimit"]))
        set(&windows.refresh, span(fields["refreshLimit"]))
        set(&windows.processing, span(fields["processingLimit"]))
        set(&windows.notice, span(fields["windowNotice"]))
        set(&windows.closingEndsSessions, truth(fields["closingEndsTransfers"]))
        set(&windows.overrun, choice(fields["windowOverrun"], WindowRules.Overrun.allCases.map(\.rawValue)))
        if let isReplaced = truth(fields["tasksReplaceFetch"]) { windows.tasksReplaceFetch = isReplaced }
        device.windows = windows
        if let percent: Int32 = number(fields["lowPowerAt"], in: 0...100, as: "a percentage") {
            var power = device.power ?? PowerRules()
            power.savesAt = percent
            device.power = percent > 0 ? power : nil
        }
        if let grace = span(fields["protectsDataAfter"]) { device.protectsDataAfter = grace > .zero ? grace : nil }
        if let radio = pick(fields["cellular"], RadioModel.all, Names("radio", RadioModel.all.map(\.name)), \.name) {
            device.cellular = radio
        }
        return device
    }

    private mutating func profile(_ tree: Tree?) -> DeviceProfile? {
        pick(tree, DeviceProfile.all, .profiles, \.name)
    }

    func set<Value>(_ place: inout Value, _ value: Value?) {
        if let value { place = value }
    }

    private mutating func choice<Value: RawRepresentable<String>>(_ tree: Tree?, _ names: [String]) -> Value? {
        pick(tree, names.compactMap(Value.init(rawValue:)), Names("choice", names), \.rawValue)
    }

    /// Times by delegate method, in the order of the file.
    mutating func times(_ tree: Tree?) -> [(CallbackKind, Span)] {
        guard let tree else { return [] }
        return (pairs(tree, of: "a mapping from delegate methods to times") ?? []).compactMap { key, place, value in
            let callback = pick(.scalar(key, place), CallbackKind.allCases, .callbacks, \.name)
            let time = span(value)
            return callback.flatMap { callback in time.map { (callback, $0) } }
        }
    }

    mutating func rates(_ tree: Tree?) -> FaultRates {
        var rates = FaultRates()
        guard let tree, let fields = fields(tree, .rates) else { return rates }
        for (key, path) in FaultRates.keys {
            set(&rates[keyPath: path], number(fields[key], in: 0...1000, as: "a rate in a thousand"))
        }
        return rates
    }
}

extension DeviceProfile.Locking {
    static let allNames = [leavesInactive, sendsToBackground].map(\.rawValue)
}

extension TaskRules.Verdict {
    static let allNames = [watchdog, runningBoard].map(\.rawValue)
}

extension DeviceProfile.ExpirationThread {
    static let allNames = [anyThread, mainThread].map(\.rawValue)
}

extension DeviceProfile.CallbackLimits {
    static func path(_ callback: CallbackKind) -> any WritableKeyPath<Self, Span> & Sendable {
        switch callback {
        case .willFinishLaunching: \.willFinishLaunching
        case .didFinishLaunching: \.didFinishLaunching
        case .didBecomeActive: \.didBecomeActive
        case .willResignActive: \.willResignActive
        case .didEnterBackground: \.didEnterBackground
        case .willEnterForeground, .scene: \.willEnterForeground
        case .willTerminate: \.willTerminate
        case .openURL: \.openURL
        case .didReceiveMemoryWarning: \.didReceiveMemoryWarning
        case .performFetch: \.performFetch
        case .handleEventsForBackgroundURLSession: \.handleEventsForBackgroundURLSession
        case .launchBackgroundTask, .handleServiceEvents: \.launchBackgroundTask
        }
    }

    subscript(_ callback: CallbackKind) -> Span {
        get { self[keyPath: Self.path(callback)] }
        set { self[keyPath: Self.path(callback)] = newValue }
    }
}

extension FaultRates {
    static let keys: [(String, any WritableKeyPath<FaultRates, Int> & Sendable)] = [
        ("crash", \.crash), ("hang", \.hang), ("lateReply", \.lateReply), ("lostReply", \.lostReply),
        ("repeatedReply", \.repeatedReply), ("lastWord", \.lastWord), ("launchFailure", \.launchFailure),
        ("daemonCrash", \.daemonCrash),
    ]
}
