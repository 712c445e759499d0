import Model

extension Contract {
    static let callbacks = [
        Contract("Home is answered when didEnterBackground has returned, and every callback is called once") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.home)
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectCount(.didEnterBackground, of: "alpha", 1)
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("While a delegate method runs nothing else is called, and what waits for it is not answered") {
            device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.willResignActive]))
            let home = try device.begin(.home)
            try device.awaitCall(.willResignActive, of: "alpha")
            try device.pass(.milliseconds(200))
            try device.expectNoReply(to: home, "home")
            try device.expect("alpha", .active, isVisible: false)
            try device.expectHeard("alpha", .launch + [.willResignActive])
            try device.release("alpha")
            try device.expectDone(home, "home")
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("An app that is opened while it leaves comes back after it has left, and is not frozen between") {
            device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.didEnterBackground]))
            let home = try device.begin(.home)
            try device.awaitCall(.didEnterBackground, of: "alpha")
            let open = try device.begin(.open("alpha"))
            try device.expectDone(home, "home, which somebody took back,")
            try device.expectNoReply(to: open, "open")
            try device.expectHeard("alpha", .launch + .leave)
            try device.release("alpha")
            try device.expectDone(open, "open")
            try device.expect("alpha", .active)
            try device.expectHeard("alpha", .launch + .leave + .comeBack)
            try device.expectCount(.suspended, of: "alpha", 0)
        },
        Contract("open never waits for the app that leaves") { device throws(Breach) in
            try device.start(TestApp("alpha", holds: [.didEnterBackground]))
            try device.install(TestApp("beta"))
            try device.do(.open("beta"))
            try device.expect("beta", .active)
            try device.awaitEvent(.willResignActive, of: "alpha")
            try device.awaitCall(.didEnterBackground, of: "alpha")
            try device.expect("alpha", .inactive, isVisible: false)
            try device.release("alpha")
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
        },
        Contract("An app goes in and out as often as it is asked to, and hears exactly that") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            let pid = try device.look(at: "alpha").pid
            var heard: [CallbackKind] = .launch
            for _ in 0..<8 {
                // Each time caught somewhere on the way to its suspension.
                try device.do(.home)
                try device.do(.open("alpha"))
                heard += .leave + .comeBack
            }
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", heard)
        },
        Contract("On a device of 2010 the lock screen leaves the app in front inactive", on: .iPhone4) {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.lock)
            try device.expect("alpha", .inactive)
            try device.expectHeard("alpha", .launch + [.willResignActive])
            try device.do(.unlock)
            try device.expect("alpha", .active)
            try device.expectHeard("alpha", .launch + [.willResignActive, .didBecomeActive])
        },
        Contract("On a device of today the lock screen sends the app in front to the background") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.lock)
            try device.awaitSuspension(of: "alpha")
            try device.expectRefusal(of: .open("alpha"), saying: "the device is locked")
            try device.do(.unlock)
            try device.expect("alpha", .active)
            try device.expectHeard("alpha", .launch + .leave + .comeBack)
        },
        Contract("A device that sleeps is woken, and then unlocked, before its app comes back") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.sleep)
            try device.awaitSuspension(of: "alpha")
            try device.expectRefusal(of: .unlock, saying: "the device is asleep")
            try device.do(.wake)
            try device.expect("alpha", .suspended)
            try device.do(.unlock)
            try device.expect("alpha", .active)
        },
    ]
}
