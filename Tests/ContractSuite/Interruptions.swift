import Model

extension Contract {
    static let interruptions =
        [InterruptionKind.call, .sms, .alert].map(comesAndGoes) + [
            Contract("The switcher leaves the app in front inactive, and it becomes active again") {
                device throws(Breach) in
                try device.start(TestApp("alpha"))
                try device.do(.switcher(isOpen: true))
                try device.expect("alpha", .inactive)
                try device.do(.switcher(isOpen: false))
                try device.expect("alpha", .active)
                try device.expectHeard("alpha", .launch + [.willResignActive, .didBecomeActive])
            },
            Contract("A call that is accepted sends the app in front to the background, and its end brings it back") {
                device throws(Breach) in
                try device.start(TestApp("alpha"))
                try device.do(.interrupt(.call))
                try device.do(.accept(.call))
                try device.awaitSuspension(of: "alpha")
                try device.do(.endCall)
                try device.expect("alpha", .active)
                try device.expectHeard("alpha", .launch + .leave + .comeBack)
            },
            Contract("An app can be opened during a call, and stays when that ends") { device throws(Breach) in
                try device.start(TestApp("alpha"))
                try device.do(.interrupt(.call))
                try device.do(.accept(.call))
                try device.do(.open("alpha"))
                try device.expect("alpha", .active)
                try device.do(.endCall)
                try device.expect("alpha", .active)
                try device.expectHeard("alpha", .launch + .leave + .comeBack)
            },
            Contract("An SMS that is opened takes the place of the app in front") { device throws(Breach) in
                try device.start(TestApp("alpha"))
                try device.do(.interrupt(.sms))
                try device.do(.accept(.sms))
                try device.awaitSuspension(of: "alpha")
                try device.expectHeard("alpha", .launch + .leave)
            },
            Contract("An app that is closed in the switcher leaves the screen without becoming active again") {
                device throws(Breach) in
                try device.start(TestApp("alpha"))
                try device.do(.switcher(isOpen: true))
                try device.do(.close("alpha"))
                try device.expect("alpha", .notRunning)
                try device.expectHeard("alpha", .launch + .leave + [.willTerminate])
            },
        ]

    private static func comesAndGoes(_ kind: InterruptionKind) -> Contract {
        Contract("Under \(kind.phrase) the app in front is inactive, runs and is not frozen; then it is active again") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.interrupt(kind))
            try device.expect("alpha", .inactive)
            try device.pass(.milliseconds(150))
            try device.expect("alpha", .inactive)
            try device.expectHeard("alpha", .launch + [.willResignActive])
            try device.do(.dismiss(kind))
            try device.expect("alpha", .active)
            try device.expectHeard("alpha", .launch + [.willResignActive, .didBecomeActive])
        }
    }
}
