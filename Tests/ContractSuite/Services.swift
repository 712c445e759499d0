import Model

extension ContractDevice {
    /// It is on screen, and the service does this for it.
    fileprivate func use(_ hold: String, by app: TestApp) throws(Breach) {
        try start(app)
        try order(app.name, .use(hold))
        try awaitHolds(of: app.name, [hold])
    }

    fileprivate func awaitHolds(of app: String, _ holds: [String]) throws(Breach) {
        try wait(for: "\(app) to be held for \(holds)") { () throws(Breach) in try self.holds(of: app) == holds }
    }

    /// It has left the screen, and runs on there for what the service does for it.
    fileprivate func runOn(_ app: TestApp, for hold: String) throws(Breach) {
        try use(hold, by: app)
        try self.do(.home)
        try awaitEvent(.didEnterBackground, of: app.name)
        try pass(.milliseconds(300))
        try expect(app.name, .background)
    }
}

extension Contract {
    private static let star = TestApp("alpha", backgroundModes: "probe")
    private static let singer = TestApp("alpha")

    static let services = [
        Contract("An app with its key runs on while a service does something for it, and is suspended after that") {
            device throws(Breach) in
            try device.runOn(star, for: "playing")
            try device.order("alpha", .leave("playing"))
            try device.awaitSuspension(of: "alpha")
            try device.expectCount(.keptRunning, of: "alpha", 1)
            try device.awaitHolds(of: "alpha", [])
        },
        Contract("Without the key a service serves an app on screen, and has stopped before that is suspended") {
            device throws(Breach) in
            try device.use("playing", by: singer)
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            guard let stopped = try device.entries(of: "alpha", .serviceStopped).first,
                let suspended = try device.entries(of: "alpha", .suspended).first, stopped.number < suspended.number,
                stopped.reason.contains("background mode probe")
            else { throw Breach("the service should stop for want of the key, and the app be suspended then") }
            try device.awaitHolds(of: "alpha", [])
        },
        Contract("A service that does not stop holds up the suspension for a second, and no longer") {
            device throws(Breach) in
            try device.use("watching", by: singer)
            try device.stallService(true)
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            guard let first = try device.entries(of: "alpha", .didEnterBackground).first,
                let last = try device.entries(of: "alpha", .suspended).first,
                last.at - first.at >= .milliseconds(900)
            else { throw Breach("the app should be suspended a second after it left") }
            try device.stallService(false)
        },
        Contract("Without the key nothing is begun off the screen") {
            device throws(Breach) in
            try device.start(singer)
            try device.do(.exempt("alpha", true))
            try device.do(.home)
            try device.awaitEvent(.didEnterBackground, of: "alpha")
            try device.order("alpha", .use("playing"))
            try device.wait(for: "the service's answer") { () throws(Breach) in
                try device.serviceAnswer(to: "alpha") != nil
            }
            guard try device.serviceAnswer(to: "alpha") == false, try device.holds(of: "alpha").isEmpty else {
                throw Breach("alpha should not be served")
            }
            try device.do(.exempt("alpha", false))
            try device.awaitSuspension(of: "alpha")
        },
        Contract(
            "An app gives way while a service that the user does not notice holds it, and does not while one plays"
        ) {
            device throws(Breach) in
            try device.runOn(star, for: "watching")
            try device.wait(for: "alpha to be slowed") { () throws(Breach) in try device.look(at: "alpha").isSlowed }
            try device.order("alpha", .use("playing"))
            try device.wait(for: "alpha to be as fast as others") { () throws(Breach) in
                try !device.look(at: "alpha").isSlowed
            }
            try device.order("alpha", .leave("playing"))
            try device.wait(for: "alpha to be slowed again") { () throws(Breach) in
                try device.look(at: "alpha").isSlowed
            }
            try device.order("alpha", .leave("watching"))
            try device.awaitSuspension(of: "alpha")
        },
        Contract("An app that a service wants to run is launched again when it ends, and not when its user ends it") {
            device throws(Breach) in
            let ringing = TestApp("alpha", backgroundModes: "voip")
            try device.start(ringing)
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            let pid = try device.look(at: "alpha").pid
            try device.kill("alpha")
            try device.wait(for: "another process of alpha") { () throws(Breach) in
                let now = try device.look(at: "alpha").pid
                return now != nil && now != pid
            }
            try device.awaitEvent(.launchedInBackground, of: "alpha")
            try device.awaitEvent(.suspended, of: "alpha", times: 2)
            try device.do(.close("alpha"))
            try device.expect("alpha", .notRunning)
            try device.pass(.seconds(3))
            try device.expect("alpha", .notRunning)
        },
        Contract("A service's death suspends nobody: it states anew what it does") {
            device throws(Breach) in
            try device.runOn(star, for: "playing")
            try device.killService()
            try device.pass(.milliseconds(300))
            try device.expect("alpha", .background)
            try device.awaitHolds(of: "alpha", ["playing"])
            try device.order("alpha", .leave("playing"))
            try device.awaitSuspension(of: "alpha")
        },
        Contract("The daemon's death takes nothing from who is held") {
            device throws(Breach) in
            try device.runOn(star, for: "playing")
            let process = try device.look(at: "alpha").pid
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitHolds(of: "alpha", ["playing"])
            try device.pass(.milliseconds(300))
            try device.expect("alpha", .background)
            try device.expectProcess(process, of: "alpha")
            try device.order("alpha", .leave("playing"))
            try device.awaitSuspension(of: "alpha")
        },
        Contract(
            "A service wakes an app that ever connected to it, which is suspended when it has said that it is done"
        ) {
            device throws(Breach) in
            try device.use("playing", by: star)
            try device.order("alpha", .leave("playing"))
            try device.awaitHolds(of: "alpha", [])
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            guard try device.wakeByService("alpha") else { throw Breach("alpha may be woken") }
            try device.awaitCall(.handleServiceEvents, of: "alpha")
            try device.expect("alpha", .background)
            try device.order("alpha", .complete(.service, .done))
            try device.awaitEvent(.windowCompleted, of: "alpha")
            try device.awaitSuspension(of: "alpha")
        },
        Contract("A service wakes no app that never connected to it") {
            device throws(Breach) in
            try device.use("playing", by: TestApp("beta", backgroundModes: "probe"))
            try device.suspend(star)
            guard try !device.wakeByService("alpha") else { throw Breach("alpha never connected") }
            try device.pass(.milliseconds(300))
            try device.expect("alpha", .suspended)
            try device.expectCount(.handleServiceEvents, of: "alpha", 0)
        },
    ]
}
