import Model

extension Contract {
    /// Those that a user can bring about, and in which an app can hang.
    private static let provokable = CallbackKind.allCases.filter {
        $0 != .handleEventsForBackgroundURLSession && $0 != .launchBackgroundTask && $0 != .handleServiceEvents
            && $0 != .scene
    }

    static let limits = provokable.map(neverReturns) + [slowButInTime] + otherLimits

    // MARK: Callbacks

    /// Each callback has a limit of its own: only that of this one is short.
    private static func neverReturns(_ kind: CallbackKind) -> Contract {
        let limit = DeviceProfile.shortLimit
        let profile = DeviceProfile.modern { $0.callbackLimits[kind] = limit }
        return Contract(
            "An app that does not return from \(kind.name) is ended when its time is over, neither early nor late",
            on: profile
        ) { device throws(Breach) in
            try device.install(TestApp("alpha", holds: [kind], backgroundModes: .fetch, urlSchemes: ["alpha"]))
            try provoke(kind, device)
            try device.awaitEnd(of: "alpha")
            let heard = try device.heard(by: "alpha")
            guard let call = heard.last, call.kind == kind, heard.filter({ $0.kind == kind }).count == 1 else {
                throw Breach("\(kind.name) should be called once, as the last one")
            }
            let terminated = try device.last(.terminated, of: "alpha")
            guard let before = try device.log().last(where: { $0.number < terminated.number }) else {
                throw Breach("something should come before an end")
            }
            // Its clock began when it was sent or the one before returned, whichever the log tells of last.
            try device.expectNotEarly(terminated.at, before.at, limit, "the end")
            try device.expectNotLate(terminated.at, call.at, limit, "the end")
            try device.expectReport(about: "alpha", .launchTooSlow, saying: [kind.name, "\(limit.twoDigits) seconds"])
        }
    }

    private static func provoke(_ kind: CallbackKind, _ device: any ContractDevice) throws(Breach) {
        switch kind {
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .performFetch,
            .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents, .scene:
            break
        case .willResignActive, .didEnterBackground, .willTerminate, .openURL, .didReceiveMemoryWarning:
            try device.do(.open("alpha"))
        case .willEnterForeground:
            try device.do(.open("alpha"))
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
        }
        switch kind {
        case .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willEnterForeground:
            try device.begin(.open("alpha"))
        case .willResignActive, .didEnterBackground: try device.begin(.home)
        case .willTerminate: try device.begin(.close("alpha"))
        case .openURL: try device.begin(.openURL("alpha://x"))
        case .didReceiveMemoryWarning: try device.begin(.memoryWarning)
        case .performFetch: try device.begin(.fetch("alpha", launches: false))
        case .handleEventsForBackgroundURLSession, .launchBackgroundTask, .handleServiceEvents, .scene:
            throw Breach("nobody can bring about \(kind.name)")
        }
    }

    private static let slowButInTime = Contract(
        "Each callback has its whole time: two in a row that together take longer than one may are both in time",
        on: .modern {
            $0.callbackLimits.willResignActive = .milliseconds(1_200)
            $0.callbackLimits.didEnterBackground = .milliseconds(1_200)
        }
    ) { device throws(Breach) in
        try device.start(TestApp("alpha", slow: .leave, by: .milliseconds(700)))
        try device.do(.home)
        try device.awaitSuspension(of: "alpha")
        try device.expectHeard("alpha", .launch + .leave)
        try device.expectNoReport(about: "alpha")
    }

    // MARK: Others

    private static let otherLimits = [
        Contract(
            "An app that never says hello is ended when the time for its launch is over",
            on: .modern { $0.launchLimit = DeviceProfile.shortLimit }
        ) { device throws(Breach) in
            try device.install(TestApp("alpha", launch: .neverConnects))
            let open = try device.begin(.open("alpha"))
            try device.expectOvertaken(open, saying: "scene-create watchdog transgression")
            try device.expect("alpha", .notRunning)
            let (began, ended) = (try device.last(.openRequested, of: nil), try device.last(.terminated, of: "alpha"))
            try device.expectNotEarly(ended.at, began.at, DeviceProfile.shortLimit, "the end")
            try device.expectNotLate(ended.at, began.at, DeviceProfile.shortLimit, "the end")
            try device.expectHeard("alpha", [])
            try device.expectReport(about: "alpha", .launchTooSlow, saying: ["scene-create", "0.30 seconds"])
        },
        Contract(
            "A main thread that answers nothing any more ends its app",
            on: .modern {
                $0.checkInterval = .milliseconds(200)
                $0.mainThreadLimit = .milliseconds(700)
            }
        ) { device throws(Breach) in
            try device.start(TestApp("alpha"))
            // It is looked at again and again, and answers.
            try device.pass(.milliseconds(400))
            try device.expect("alpha", .active)
            let blocked = device.now
            try device.order("alpha", .block)
            try device.awaitEnd(of: "alpha")
            let ended = try device.last(.terminated, of: "alpha")
            // The question may have been on its way when the thread blocked, on a busy machine for long.
            try device.expectNotEarly(ended.at, blocked, .milliseconds(400), "the end")
            try device.expectNotLate(ended.at, blocked, .milliseconds(900), "the end")
            try device.expectReport(about: "alpha", .watchdog, saying: ["main-thread", "0.70 seconds"])
        },
        Contract(
            "An app with more processes than the device allows is ended with all of them",
            on: .modern {
                $0.processLimit = 20
                $0.checkInterval = .milliseconds(200)
            }
        ) { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.order("alpha", .fork(24))
            try device.awaitEnd(of: "alpha")
            try device.expectReport(about: "alpha", .excessiveUse, saying: ["the limit is 20"])
        },
        Contract(
            "No limit counts while an app is suspended",
            on: .modern {
                $0.callbackLimits.didEnterBackground = .seconds(1)
                $0.callbackLimits.willEnterForeground = .seconds(1)
                $0.mainThreadLimit = .seconds(1)
                $0.checkInterval = .milliseconds(200)
            }
        ) { device throws(Breach) in
            let pid = try device.suspend(TestApp("alpha"))
            try device.pass(.milliseconds(1_300))
            try device.expect("alpha", .suspended)
            try device.do(.open("alpha"))
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch + .leave + .comeBack)
            try device.expectNoReport(about: "alpha")
        },
        Contract(
            "Under a debugger no limit is enforced; when it leaves, the limit counts from then on",
            on: .modern { $0.callbackLimits.didEnterBackground = DeviceProfile.shortLimit }
        ) { device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.didEnterBackground]))
            try device.setTraced("alpha", true)
            try device.begin(.home)
            try device.awaitCall(.didEnterBackground, of: "alpha")
            try device.pass(.milliseconds(800))
            try device.expect("alpha", .inactive, isVisible: false)
            try device.expectNoReport(about: "alpha")
            try device.setTraced("alpha", false)
            let left = device.now
            try device.awaitEnd(of: "alpha")
            try device.expectNotLate(
                try device.last(.terminated, of: "alpha").at, left, DeviceProfile.shortLimit, "the end")
            try device.expectReport(about: "alpha", .launchTooSlow, saying: ["didEnterBackground"])
        },
    ]
}

extension DeviceProfile.CallbackLimits {
    fileprivate subscript(_ kind: CallbackKind) -> Span {
        get { self[keyPath: Self.path(kind)] }
        set { self[keyPath: Self.path(kind)] = newValue }
    }

    private static func path(_ kind: CallbackKind) -> WritableKeyPath<Self, Span> {
        switch kind {
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
}
