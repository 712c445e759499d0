import Model

extension ContractDevice {
    fileprivate func awaitSlowness(_ isSlowed: Bool, of app: String) throws(Breach) {
        try wait(for: "\(app) to be \(isSlowed ? "slowed" : "as fast as others")") { () throws(Breach) in
            try look(at: app).isSlowed == isSlowed
        }
    }

    fileprivate func expectSlowness(_ isSlowed: Bool, of app: String, _ when: String) throws(Breach) {
        guard try look(at: app).isSlowed == isSlowed else {
            throw Breach("\(app) should \(isSlowed ? "" : "not ")be slowed \(when)")
        }
    }
}

extension Contract {
    static let priority = [
        Contract(
            "An app that goes on in the background gives way, and has all that others have before it hears of the screen"
        ) {
            device throws(Breach) in
            try device.start(TestApp("alpha", slow: [.willEnterForeground], by: .milliseconds(300)))
            try device.expectSlowness(false, of: "alpha", "on screen")
            try device.do(.exempt("alpha", true))
            try device.do(.home)
            try device.awaitSlowness(true, of: "alpha")
            try device.expect("alpha", .background)
            let ticket = try device.begin(.open("alpha"))
            try device.awaitSlowness(false, of: "alpha")
            try device.expectNoReply(to: ticket, "open, before willEnterForeground has returned")
            _ = try device.awaitReply(ticket, "open")
            try device.expectSlowness(false, of: "alpha", "on screen again")
        },
        Contract("Processes that an app makes in the background give way as well") { device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.exempt("alpha", true))
            try device.do(.home)
            try device.awaitSlowness(true, of: "alpha")
            try device.order("alpha", .fork(2))
            try device.wait(for: "the children") { () throws(Breach) in try device.look(at: "alpha").processes == 3 }
            try device.expectSlowness(true, of: "alpha", "with all its processes")
            try device.do(.open("alpha"))
            try device.awaitSlowness(false, of: "alpha")
        },
        Contract("A graphical program that left the screen may still be seen, and does not give way") {
            device throws(Breach) in
            try device.start(TestApp("alpha", .plain, isGraphical: true))
            try device.awaitReadiness(of: "alpha")
            try device.do(.home)
            try device.pass(.milliseconds(200))
            try device.expect("alpha", .background)
            try device.expectSlowness(false, of: "alpha", "in a window of its own")
        },
        Contract("What gives way does so under the next daemon too, and no longer once it is opened there") {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.do(.exempt("alpha", true))
            try device.do(.home)
            try device.awaitSlowness(true, of: "alpha")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitSlowness(true, of: "alpha")
            try device.do(.open("alpha"))
            try device.awaitSlowness(false, of: "alpha")
        },
        Contract("An app that is suspended and opened again was never slowed") {
            device throws(Breach) in
            _ = try device.suspend(TestApp("alpha"))
            try device.expectSlowness(false, of: "alpha", "while it is frozen")
            try device.do(.open("alpha"))
            try device.expectSlowness(false, of: "alpha", "on screen again")
        },
    ]
}
