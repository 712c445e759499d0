import Model

extension Contract {
    static let freezing = [
        Contract("An app that left the screen and holds nothing is suspended, and the kernel says so") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.expectLog(
                of: "alpha",
                [
                    .launched, .willFinishLaunching, .didFinishLaunching, .didBecomeActive, .willResignActive,
                    .didEnterBackground, .suspended,
                ])
            try device.expectCause(of: .suspended, of: "alpha", .homePressed)
        },
        Contract("An app that comes back from suspension is the same process, and runs before it is told") {
            device throws(Breach) in
            let pid = try device.suspend(TestApp("alpha"))
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch + .leave + .comeBack)
            let (resumed, told) = (
                try device.last(.resumed, of: "alpha"), try device.last(.willEnterForeground, of: "alpha")
            )
            guard resumed.number < told.number else { throw Breach("the thaw should come before the callback") }
        },
        Contract("An app that another one takes the place of is suspended, and the other one is not") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.start(TestApp("beta"))
            try device.awaitSuspension(of: "alpha")
            try device.expect("beta", .active)
            try device.do(.open("alpha"))
            try device.awaitSuspension(of: "beta")
            try device.expect("alpha", .active)
        },
        Contract("Side by side both apps run; Home suspends both") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.install(TestApp("beta"))
            try device.do(.open("beta", as: .secondary))
            try device.expect("alpha", .active)
            try device.expect("beta", .active)
            try device.pass(.milliseconds(200))
            try device.expect("alpha", .active)
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.awaitSuspension(of: "beta")
        },
        Contract("What the user exempts runs on in the background, until that is taken back") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.exempt("alpha", true))
            try device.do(.home)
            try device.awaitEvent(.keptRunning, of: "alpha")
            try device.pass(.milliseconds(200))
            try device.expect("alpha", .background)
            try device.do(.exempt("alpha", false))
            try device.awaitSuspension(of: "alpha")
            try device.do(.exempt("alpha", true))
            try device.awaitEvent(.resumed, of: "alpha")
            try device.expect("alpha", .background)
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("A graphical program that knows nothing of Greenroom is not frozen") { device throws(Breach) in
            try device.start(TestApp("alpha", .plain, isGraphical: true))
            try device.do(.home)
            try device.awaitEvent(.keptRunning, of: "alpha")
            try device.pass(.milliseconds(200))
            try device.expect("alpha", .background)
        },
        Contract("All processes of an app are suspended together") { device throws(Breach) in
            try device.suspend(TestApp("alpha", leavesChild: true))
            guard try device.look(at: "alpha").processes == 2 else { throw Breach("alpha should have a child") }
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
        },
        Contract("An app that leaves the screen and takes no part in multitasking ends, and hears willTerminate") {
            device throws(Breach) in
            try device.start(TestApp("alpha", exitsOnSuspend: true))
            try device.do(.home)
            try device.awaitEnd(of: "alpha")
            try device.expectHeard("alpha", .launch + [.willResignActive, .willTerminate])
            try device.expectCount(.suspended, of: "alpha", 0)
            try device.expectNoReport(about: "alpha")
            try device.expectCause(of: .terminated, of: "alpha", .homePressed)
        },
        Contract("On a device without multitasking every app ends when it leaves the screen", on: .iPhoneOS3) {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.start(TestApp("beta"))
            try device.awaitEnd(of: "alpha")
            try device.expectHeard("alpha", .launch + [.willResignActive, .willTerminate])
            try device.expect("beta", .active)
        },
    ]
}
