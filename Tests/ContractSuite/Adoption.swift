import Model

extension Contract {
    static let adoption = atRest + underWay + meanwhile

    /// Nothing is under way when the daemon dies.
    private static let atRest = [
        Contract("An app on screen does not notice the daemon's death") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            let pid = try device.look(at: "alpha").pid
            for _ in 0..<2 {
                try device.killDaemon()
                try device.awaitDaemon()
                try device.expect("alpha", .active)
            }
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch)
            try device.expectCount(.daemonRestarted, of: nil, 2)
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("A suspended app stays frozen over the daemon's death, and comes back as the same process") {
            device throws(Breach) in
            let pid = try device.suspend(TestApp("alpha"))
            try device.killDaemon()
            try device.awaitDaemon()
            try device.expect("alpha", .suspended)
            try device.expectCount(.resumed, of: "alpha", 0)
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch + .leave + .comeBack)
        },
        Contract("A suspended app that is closed after the daemon's death hears nothing") { device throws(Breach) in
            try device.suspend(TestApp("alpha"))
            try device.killDaemon()
            try device.awaitDaemon()
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("Exemptions, the lock and what lies over the screen outlive the daemon") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.exempt("alpha", true))
            try device.do(.interrupt(.alert))
            try device.do(.lock)
            try device.killDaemon()
            try device.awaitDaemon()
            try device.pass(.milliseconds(200))
            try device.expect("alpha", .background)
            try device.expectRefusal(of: .open("alpha"), saying: "the device is locked")
            try device.do(.unlock)
            try device.expect("alpha", .inactive)
            try device.do(.dismiss(.alert))
            try device.expect("alpha", .active)
        },
        Contract("A plain program is adopted, and asked to end like any other") { device throws(Breach) in
            try device.start(TestApp("alpha", .plain))
            let pid = try device.look(at: "alpha").pid
            try device.killDaemon()
            try device.awaitDaemon()
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.do(.close("alpha"))
            guard try device.look(at: "alpha").wasAskedToEnd else { throw Breach("alpha should get SIGTERM") }
        },
    ]

    /// Something is.
    private static let underWay = [
        Contract("A delegate method that runs when the daemon dies is not called again, and what follows is") {
            device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.willResignActive]))
            let home = try device.begin(.home)
            try device.awaitCall(.willResignActive, of: "alpha")
            try device.killDaemon()
            guard try device.awaitReply(home, "home") == .lost else {
                throw Breach("nobody should answer for the dead")
            }
            try device.awaitDaemon()
            try device.expectHeard("alpha", .launch + [.willResignActive])
            try device.release("alpha")
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectCount(.willResignActive, of: "alpha", 1)
        },
        Contract("A delegate method that returns while there is no daemon has returned, and is not called again") {
            device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.didEnterBackground]))
            try device.begin(.home)
            try device.awaitCall(.didEnterBackground, of: "alpha")
            try device.killDaemon()
            try device.release("alpha")
            try device.awaitDaemon()
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectCount(.didEnterBackground, of: "alpha", 1)
        },
        Contract("A launch goes on where it was when the daemon died") { device throws(Breach) in
            try device.install(TestApp("alpha", holds: [.willFinishLaunching]))
            try device.begin(.open("alpha"))
            try device.awaitCall(.willFinishLaunching, of: "alpha")
            let pid = try device.look(at: "alpha").pid
            try device.killDaemon()
            try device.awaitDaemon()
            try device.release("alpha")
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch)
        },
        Contract("A launch that was accepted is done, whatever of it the dead daemon had done") {
            device throws(Breach) in
            try device.install(TestApp("alpha"))
            try device.expectDone(device.begin(.open("alpha"), waits: false), "open")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitEvent(.didBecomeActive, of: "alpha")
            try device.expect("alpha", .active)
            try device.expectHeard("alpha", .launch)
            try device.expectCount(.launched, of: "alpha", 1)
        },
        Contract("A return to the screen that was accepted is done, and every callback of it is called once") {
            device throws(Breach) in
            let pid = try device.suspend(TestApp("alpha"))
            try device.expectDone(device.begin(.open("alpha"), waits: false), "open")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitEvent(.didBecomeActive, of: "alpha", times: 2)
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch + .leave + .comeBack)
        },
        Contract("A suspension that is under way when the daemon dies is done, whichever step it was at") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            var heard: [CallbackKind] = .launch
            for microseconds: Int64 in [0, 100, 250, 500, 800] {
                try device.do(.home)
                try device.pass(Span(nanoseconds: microseconds * 1_000))
                try device.killDaemon()
                try device.awaitDaemon()
                try device.awaitSuspension(of: "alpha")
                try device.do(.open("alpha"))
                heard += .leave + .comeBack
            }
            try device.expectHeard("alpha", heard)
            try device.expectNoReport(about: "alpha")
        },
        Contract("An end that was under way when the daemon died is brought to its end") { device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.willTerminate]))
            try device.begin(.close("alpha"))
            try device.awaitCall(.willTerminate, of: "alpha")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.release("alpha")
            try device.awaitEnd(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave + [.willTerminate])
            try device.expectCause(of: .terminated, of: "alpha", .closeRequested)
            try device.expectNoReport(about: "alpha")
        },
        Contract("A close of a suspended app that was accepted is done") { device throws(Breach) in
            try device.suspend(TestApp("alpha"))
            try device.expectDone(device.begin(.close("alpha"), waits: false), "close")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitEnd(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectNoReport(about: "alpha")
        },
        Contract(
            "After the daemon's death all clocks start again",
            on: .modern { $0.callbackLimits.didEnterBackground = .milliseconds(800) }
        ) { device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.didEnterBackground]))
            try device.begin(.home)
            try device.awaitCall(.didEnterBackground, of: "alpha")
            try device.pass(.milliseconds(400))
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitEnd(of: "alpha")
            let (adopted, ended) = (
                try device.last(.daemonRestarted, of: nil), try device.last(.terminated, of: "alpha")
            )
            try device.expectNotEarly(ended.at, adopted.at, .milliseconds(800), "the end")
            try device.expectNotLate(ended.at, adopted.at, .milliseconds(800), "the end")
        },
    ]

    /// Something happens that the daemon does not see.
    private static let meanwhile = [
        Contract("A command that is given while there is no daemon is done by the next one") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.killDaemon()
            let home = try device.begin(.home)
            try device.awaitDaemon()
            try device.expectDone(home, "home")
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("An app that crashes while there is no daemon has a report of its signal") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.killDaemon()
            try device.order("alpha", .crash)
            try device.awaitDaemon()
            try device.awaitEnd(of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "SIGNAL", code: 11), saying: ["SIGSEGV"])
        },
        Contract("An app that is found frozen although it is on screen runs again") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            let pid = try device.look(at: "alpha").pid
            try device.setFrozen("alpha", true)
            try device.killDaemon()
            try device.awaitDaemon()
            try device.wait(for: "the thaw") { () throws(Breach) in try !device.look(at: "alpha").isFrozen }
            try device.expect("alpha", .active)
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("An app that is found running although it is suspended is suspended again") { device throws(Breach) in
            let pid = try device.suspend(TestApp("alpha"))
            try device.setFrozen("alpha", false)
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitEvent(.suspended, of: "alpha", times: 2)
            try device.expect("alpha", .suspended)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
            let resumed = try device.last(.resumed, of: "alpha")
            guard resumed.reason.contains("thawed it") else { throw Breach("the log says: \(resumed.reason)") }
        },
    ]
}
