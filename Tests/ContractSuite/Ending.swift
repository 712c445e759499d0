import Model

extension Contract {
    static let ending = closing + crashing + plainEnds

    private static let closing = [
        Contract("An app in front that is closed leaves the screen, hears willTerminate, and is gone") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            try device.expectHeard("alpha", .launch + .leave + [.willTerminate])
            try device.expectCause(of: .terminated, of: "alpha", .closeRequested)
            try device.expectNoReport(about: "alpha")
        },
        Contract("An app that runs in the background hears willTerminate when it is closed") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.exempt("alpha", true))
            try device.do(.home)
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            try device.expectHeard("alpha", .launch + .leave + [.willTerminate])
        },
        Contract("A suspended app that is closed hears nothing") { device throws(Breach) in
            try device.suspend(TestApp("alpha"))
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectCount(.resumed, of: "alpha", 0)
            try device.expectNoReport(about: "alpha")
        },
        Contract("An app that is closed before it has launched is told nothing, and ends without a report") {
            device throws(Breach) in
            try device.install(TestApp("alpha", holds: [.didFinishLaunching]))
            let open = try device.begin(.open("alpha"))
            try device.awaitCall(.didFinishLaunching, of: "alpha")
            try device.do(.close("alpha"))
            try device.expectOvertaken(open, saying: "the user closed alpha")
            try device.expect("alpha", .notRunning)
            try device.expectHeard("alpha", [.willFinishLaunching, .didFinishLaunching])
            try device.expectNoReport(about: "alpha")
        },
        Contract("An app that is opened while it is being ended comes up anew once it is gone") {
            device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.willTerminate]))
            let pid = try device.look(at: "alpha").pid
            let close = try device.begin(.close("alpha"))
            try device.awaitCall(.willTerminate, of: "alpha")
            let open = try device.begin(.open("alpha"))
            try device.release("alpha")
            try device.expectDone(close, "close")
            try device.expectDone(open, "open")
            try device.expect("alpha", .active)
            guard try device.look(at: "alpha").pid != pid else { throw Breach("alpha should be another process") }
            try device.expectHeard("alpha", .launch + .leave + [.willTerminate] + .launch)
            // What was released was the process before.
            try device.release("alpha")
        },
        Contract("restart ends an app in order and launches it anew") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            let pid = try device.look(at: "alpha").pid
            try device.do(.restart("alpha"))
            try device.expect("alpha", .active)
            guard try device.look(at: "alpha").pid != pid else { throw Breach("alpha should be another process") }
            try device.expectHeard("alpha", .launch + .leave + [.willTerminate] + .launch)
        },
        Contract("An app that is uninstalled is ended, and nobody knows it any more") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.uninstall("alpha"))
            try device.expectCount(.terminated, of: "alpha", 1)
            try device.expectCause(of: .terminated, of: "alpha", .uninstalled)
            try device.expectRefusal(of: .open("alpha"), saying: "is installed")
        },
    ]

    private static let crashing = [
        Contract("An app that crashes ends with a report of its signal, and its neighbours do not notice") {
            device throws(Breach) in
            let other = try device.suspend(TestApp("beta"))
            try device.start(TestApp("alpha"))
            try device.order("alpha", .crash)
            try device.awaitEnd(of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "SIGNAL", code: 11), saying: ["alpha crashed", "SIGSEGV"])
            try device.expectHeard("alpha", .launch)
            try device.expect("beta", .suspended)
            try device.expectProcess(other, of: "beta")
            try device.do(.open("alpha"))
            try device.expectHeard("alpha", .launch + .launch)
        },
        Contract("An app that is killed while it is suspended is gone, with a report") { device throws(Breach) in
            try device.suspend(TestApp("alpha"))
            try device.kill("alpha")
            try device.awaitEnd(of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "SIGNAL", code: 9), saying: ["SIGKILL"])
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("An app that ends by itself is gone: with a report where it says that it failed, silently where not") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.order("alpha", .exit(3))
            try device.awaitEnd(of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "EXIT", code: 3), saying: ["exit status 3"])
            try device.start(TestApp("beta"))
            try device.order("beta", .exit(0))
            try device.awaitEnd(of: "beta")
            try device.expectNoReport(about: "beta")
        },
        Contract("What an app leaves behind when its process crashes goes with it, whatever that holds") {
            device throws(Breach) in
            try device.start(TestApp("alpha", leavesChild: true))
            guard try device.look(at: "alpha").processes == 2 else { throw Breach("alpha should have a child") }
            try device.order("alpha", .crash)
            try device.awaitEnd(of: "alpha")
            try device.expectReport(about: "alpha", TerminationCode(namespace: "SIGNAL", code: 11), saying: [])
        },
        Contract("An app that is closed takes its children with it") { device throws(Breach) in
            try device.start(TestApp("alpha", leavesChild: true))
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            try device.suspend(TestApp("beta", leavesChild: true))
            try device.do(.close("beta"))
            try device.expect("beta", .notRunning)
            try device.expectHeard("beta", .launch + .leave)
        },
    ]

    private static let plainEnds = [
        Contract("A plain program that runs is asked to end with SIGTERM") { device throws(Breach) in
            try device.start(TestApp("alpha", .plain))
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            guard try device.look(at: "alpha").wasAskedToEnd else { throw Breach("alpha should get SIGTERM") }
            try device.expectNoReport(about: "alpha")
        },
        Contract("A suspended plain program ends without being asked") { device throws(Breach) in
            try device.suspend(TestApp("alpha", .plain))
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            guard try !device.look(at: "alpha").wasAskedToEnd else { throw Breach("alpha should not get SIGTERM") }
            try device.expectNoReport(about: "alpha")
        },
        Contract(
            "A plain program that ignores SIGTERM is killed when its time is over, and that is reported",
            on: .modern { $0.callbackLimits.willTerminate = DeviceProfile.shortLimit }
        ) { device throws(Breach) in
            try device.start(TestApp("alpha", .plain, ignoresTermination: true))
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            let (asked, ended) = (try device.last(.closeRequested, of: nil), try device.last(.terminated, of: "alpha"))
            try device.expectNotEarly(ended.at, asked.at, DeviceProfile.shortLimit, "the end")
            try device.expectNotLate(ended.at, asked.at, DeviceProfile.shortLimit, "the end")
            try device.expectReport(about: "alpha", .launchTooSlow, saying: ["process-exit (SIGTERM)", "0.30 seconds"])
        },
        Contract("A plain program runs on in its children when its first process ends, and is suspended in them") {
            device throws(Breach) in
            try device.start(TestApp("alpha", .plain, leavesChild: true))
            try device.kill("alpha")
            try device.wait(for: "the first process to be gone") { () throws(Breach) in
                try device.look(at: "alpha").processes == 1
            }
            try device.expect("alpha", .active)
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.do(.open("alpha"))
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
        },
        Contract("A plain program that somebody kills has a report") { device throws(Breach) in
            try device.start(TestApp("alpha", .plain))
            try device.kill("alpha")
            try device.awaitEnd(of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "SIGNAL", code: 9), saying: ["SIGKILL"])
        },
    ]
}
