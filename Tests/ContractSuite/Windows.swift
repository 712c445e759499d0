import Model

extension DeviceProfile {
    /// Windows of seconds, and what becomes of who overruns them.
    fileprivate static func withWindows(of limit: Span, _ overrun: WindowRules.Overrun) -> DeviceProfile {
        var profile = DeviceProfile.linux
        var windows = WindowRules(overrun: overrun, closingEndsSessions: true)
        (windows.fetch, windows.refresh, windows.processing) = (limit, limit, limit)
        windows.notice = Span(nanoseconds: limit.nanoseconds / 2)
        profile.windows = windows
        return profile
    }
}

extension ContractDevice {
    fileprivate func begin(_ command: UserCommand, until kind: CallbackKind, heardBy app: String) throws(Breach)
        -> Ticket
    {
        let ticket = try begin(command, waits: true)
        try awaitCall(kind, of: app)
        return ticket
    }
}

extension Contract {
    private static let news = TestApp("alpha", backgroundModes: .fetch)
    private static let closed = "the user closed it"

    static let windows = [
        Contract(
            "A suspended app is fetched: it is thawed, called once, and suspended when it has said that it is done"
        ) {
            device throws(Breach) in
            try device.suspend(news)
            let ticket = try device.begin(.fetch("alpha", launches: false), until: .performFetch, heardBy: "alpha")
            try device.expect("alpha", .background)
            try device.order("alpha", .complete(.fetch, .newData))
            try device.expectDone(ticket, "the fetch")
            try device.awaitEvent(.windowCompleted, of: "alpha")
            try device.awaitSuspension(of: "alpha")
            // Told twice it counts once.
            try device.do(.open("alpha"))
            try device.order("alpha", .complete(.fetch, .noData))
            try device.pass(.milliseconds(200))
            try device.expectCount(.windowCompleted, of: "alpha", 1)
            try device.expectCount(.performFetch, of: "alpha", 1)
            try device.expectNoReport(about: "alpha")
        },
        Contract("An app that does not run is launched into the background, and called for the fetch after that") {
            device throws(Breach) in
            try device.install(news)
            let ticket = try device.begin(.fetch("alpha", launches: false), until: .performFetch, heardBy: "alpha")
            let heard = try device.heard(by: "alpha").map(\.kind)
            guard heard == [.willFinishLaunching, .didFinishLaunching, .didEnterBackground, .performFetch] else {
                throw Breach("alpha heard \(heard.map(\.name))")
            }
            try device.order("alpha", .complete(.fetch, .noData))
            try device.expectDone(ticket, "the fetch")
            try device.awaitSuspension(of: "alpha")
        },
        Contract(
            "Who does not complete a fetch in time is ended, and the report says what was not called",
            on: .withWindows(of: .seconds(2), .terminates)
        ) { device throws(Breach) in
            try device.suspend(news)
            _ = try device.begin(.fetch("alpha", launches: false), until: .performFetch, heardBy: "alpha")
            try device.awaitEvent(.terminated, of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "RUNNINGBOARD", code: 0x2182_bad4),
                saying: ["performFetchWithCompletionHandler", "within 2.00 seconds"])
        },
        Contract(
            "As in 2013, who does not complete a fetch in time is suspended in the middle of it",
            on: .withWindows(of: .seconds(2), .suspends)
        ) { device throws(Breach) in
            try device.suspend(news)
            let ticket = try device.begin(.fetch("alpha", launches: false), until: .performFetch, heardBy: "alpha")
            try device.expectDone(ticket, "the fetch")
            try device.awaitEvent(.windowOverrun, of: "alpha")
            try device.awaitSuspension(of: "alpha")
            try device.expectNoReport(about: "alpha")
        },
        Contract("Who was closed by the user is not fetched before it was opened again") { device throws(Breach) in
            try device.start(news)
            try device.do(.close("alpha"))
            try device.expectRefusal(of: .fetch("alpha", launches: false), saying: closed)
            try device.do(.open("alpha"))
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            _ = try device.begin(.fetch("alpha", launches: false), until: .performFetch, heardBy: "alpha")
            try device.order("alpha", .complete(.fetch, .newData))
            try device.awaitSuspension(of: "alpha")
        },
        Contract("A daemon that dies while an app fetches changes nothing for the app, which is called once") {
            device throws(Breach) in
            try device.suspend(news)
            _ = try device.begin(.fetch("alpha", launches: false), until: .performFetch, heardBy: "alpha")
            try device.killDaemon()
            try device.order("alpha", .complete(.fetch, .newData))
            try device.awaitDaemon()
            try device.awaitEvent(.windowCompleted, of: "alpha")
            try device.awaitSuspension(of: "alpha")
            try device.expectCount(.performFetch, of: "alpha", 1)
            let calls = try device.heard(by: "alpha").filter { $0.kind == .performFetch }
            guard calls.count == 1 else { throw Breach("alpha was called \(calls.count) times") }
        },
        Contract(
            "A task is launched when the app has left, told to hurry, and ended when it does not",
            on: .withWindows(of: .seconds(4), .terminates)
        ) { device throws(Breach) in
            let modes: BackgroundModes = [.fetch, .processing]
            try device.start(TestApp("alpha", backgroundModes: modes, taskIdentifiers: ["alpha.index"]))
            try device.order("alpha", .submitTask(.processing, "alpha.index"))
            try device.awaitEvent(.taskSubmitted, of: "alpha")
            try device.do(.home)
            try device.awaitEvent(.launchBackgroundTask, of: "alpha")
            try device.awaitEvent(.windowExpires, of: "alpha")
            try device.awaitEvent(.terminated, of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "RUNNINGBOARD", code: 0x2182_bad2), saying: ["alpha.index"])
        },
    ]
}
