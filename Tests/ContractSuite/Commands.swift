import Model

extension Contract {
    static let commands = [
        Contract("What cannot be done is refused with a sentence, and nothing changes") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.install(TestApp("beta"))
            for (command, sentence) in refusals { try device.expectRefusal(of: command, saying: sentence) }
            try device.expect("alpha", .active)
            try device.expect("beta", .notRunning)
            try device.expectHeard("alpha", .launch)
        },
        Contract("While something lies over the screen nothing can be opened") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.install(TestApp("beta"))
            try device.do(.interrupt(.alert))
            try device.expectRefusal(of: .open("beta"), saying: "an alert lies over the screen")
            try device.expectRefusal(of: .switcher(isOpen: true), saying: "an alert lies over the screen")
            // Home shows nothing else, so it is done.
            try device.do(.home)
            try device.expect("alpha", .inactive)
            try device.do(.dismiss(.alert))
            try device.do(.open("beta"))
        },
        Contract("A device without split screen has one app on it", on: .iOS7) { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.install(TestApp("beta"))
            try device.expectRefusal(of: .open("beta", as: .secondary), saying: "has no secondary app")
        },
        Contract("Whoever waits for an app that another one takes the place of is told so") { device throws(Breach) in
            try device.install(TestApp("alpha", holds: [.didFinishLaunching]))
            try device.install(TestApp("beta"))
            let open = try device.begin(.open("alpha"))
            try device.awaitCall(.didFinishLaunching, of: "alpha")
            try device.do(.open("beta"))
            try device.expectOvertaken(open, saying: "alpha left the screen before it was done")
            try device.release("alpha")
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
            try device.expect("beta", .active)
        },
        Contract("A reboot ends every app, silently those that are suspended, and the device starts empty") {
            device throws(Breach) in
            try device.suspend(TestApp("alpha"))
            try device.start(TestApp("beta"))
            try device.do(.reboot)
            try device.expect("alpha", .notRunning)
            try device.expect("beta", .notRunning)
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectHeard("beta", .launch + .leave + [.willTerminate])
            try device.do(.open("alpha"))
            try device.expect("alpha", .active)
        },
    ]

    private static let refusals: [(UserCommand, String)] = [
        (.open("nobody"), "is installed"),
        (.close("beta"), "beta is not running"),
        (.openURL("nobody://x"), "no installed app is registered for nobody"),
        (.dismiss(.call), "there is no call on the screen"),
        (.accept(.sms), "there is no sms on the screen"),
        (.endCall, "there is no call in progress"),
    ]
}
