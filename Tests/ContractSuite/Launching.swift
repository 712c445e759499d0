import Model

extension Contract {
    static let launching = [
        Contract("open launches an app that does not run, and is answered when didBecomeActive has returned") {
            device throws(Breach) in
            try device.install(TestApp("alpha"))
            try device.expect("alpha", .notRunning)
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
            try device.expectHeard("alpha", .launch)
            try device.expectLog(
                of: "alpha", [.launched, .willFinishLaunching, .didFinishLaunching, .didBecomeActive])
            try device.expectCause(of: .didBecomeActive, of: "alpha", .openRequested)
        },
        Contract("An app that is on screen already is not told anything when it is opened") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            let pid = try device.look(at: "alpha").pid
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch)
        },
        Contract("An app that is no longer wanted on screen once it has launched leaves it, and is suspended") {
            device throws(Breach) in
            try device.install(TestApp("alpha", holds: [.didFinishLaunching]))
            let open = try device.begin(.open("alpha"))
            try device.awaitCall(.didFinishLaunching, of: "alpha")
            let home = try device.begin(.home)
            try device.expectOvertaken(open, saying: "alpha left the screen before it was done")
            try device.expectNoReply(to: home, "home")
            try device.release("alpha")
            try device.expectDone(home, "home")
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("An app that ends by itself in didFinishLaunching could not be launched; it can be tried again") {
            device throws(Breach) in
            try device.install(TestApp("alpha", launch: .exits))
            let first = try device.begin(.open("alpha"))
            try device.expectOvertaken(first, saying: "exit status 3")
            try device.expect("alpha", .notRunning)
            try device.expectHeard("alpha", [.willFinishLaunching, .didFinishLaunching])
            try device.expectReport(about: "alpha", .launchFailed, saying: ["could not be launched", "exit status 3"])
            let second = try device.begin(.open("alpha"))
            try device.expectOvertaken(second, saying: "exit status 3")
            try device.expectCount(.terminated, of: "alpha", 2)
        },
        Contract("An app that crashes in didFinishLaunching has a report of its signal, and whoever waits is told") {
            device throws(Breach) in
            try device.install(TestApp("alpha", launch: .crashes))
            let open = try device.begin(.open("alpha"))
            try device.expectOvertaken(open, saying: "signal 11")
            try device.expect("alpha", .notRunning)
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "SIGNAL", code: 11), saying: ["SIGSEGV"])
        },
        Contract("An app that the kernel does not execute could not be launched") { device throws(Breach) in
            try device.install(TestApp("alpha", launch: .cannotBeExecuted))
            let open = try device.begin(.open("alpha"))
            try device.expectOvertaken(open, saying: "execve: No such file or directory")
            try device.expect("alpha", .notRunning)
            try device.expectReport(about: "alpha", .launchFailed, saying: ["could not be launched: execve"])
        },
        Contract("At boot an app whose mode a service declares for it is launched into the background, and suspended") {
            device throws(Breach) in
            try device.install(TestApp("alpha", backgroundModes: "voip"))
            try device.install(TestApp("beta"))
            try device.do(.reboot)
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", [.willFinishLaunching, .didFinishLaunching, .didEnterBackground])
            try device.expectCount(.launchedInBackground, of: "alpha", 1)
            try device.expect("beta", .notRunning)
            let pid = try device.look(at: "alpha").pid
            try device.do(.open("alpha"))
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard(
                "alpha", [.willFinishLaunching, .didFinishLaunching, .didEnterBackground] + .comeBack)
        },
        Contract("A plain program is opened, suspended, and comes back as the same process") {
            device throws(Breach) in
            let pid = try device.suspend(TestApp("alpha", .plain))
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", [])
        },
    ]
}
