import Model

extension DeviceProfile {
    /// Protected files can be read for a second after the device was locked.
    fileprivate static let protecting: DeviceProfile = {
        var profile = DeviceProfile.linux
        profile.protectsDataAfter = .seconds(1)
        return profile
    }()
}

extension ContractDevice {
    fileprivate func awaitProtection(_ expected: [Bool], heardBy app: String) throws(Breach) {
        try wait(for: "protected data \(expected) to be told to \(app)") { () throws(Breach) in
            try protection(heardBy: app).count >= expected.count
        }
        let heard = try protection(heardBy: app)
        guard heard == expected else { throw Breach("\(app) heard of protected data \(heard)") }
    }

    fileprivate func awaitScreenHolder(_ app: String?) throws(Breach) {
        try wait(for: "\(app ?? "no app") to keep the screen on") { () throws(Breach) in try screenHolder() == app }
    }

    /// The time is over in which protected files could still be read.
    fileprivate func awaitProtectedData() throws(Breach) {
        try wait(for: "protected files out of reach") { () throws(Breach) in
            try log().contains { $0.event == .conditionChanged && $0.reason.contains("protected files") }
        }
    }
}

extension Contract {
    private static let plain = TestApp("alpha")
    private static let news = TestApp("alpha", backgroundModes: .fetch)

    static let conditions = [
        Contract(
            "An app that runs while the device is locked hears that protected data goes, and comes", on: .protecting
        ) { device throws(Breach) in
            try device.start(plain)
            try device.do(.exempt("alpha", true))
            try device.do(.lock)
            try device.awaitProtection([false], heardBy: "alpha")
            try device.awaitProtectedData()
            try device.do(.unlock)
            try device.awaitProtection([false, true], heardBy: "alpha")
            try device.expectNoReport(about: "alpha")
        },
        Contract("A suspended app hears nothing of a lock that is over when it runs again", on: .protecting) {
            device throws(Breach) in
            try device.suspend(plain)
            try device.do(.lock)
            try device.awaitProtectedData()
            try device.do(.unlock)
            try device.do(.open("alpha"))
            try device.awaitProtection([], heardBy: "alpha")
        },
        Contract(
            "A suspended app that is fetched while the device is locked hears that protected data is gone",
            on: .protecting
        ) { device throws(Breach) in
            try device.suspend(news)
            try device.do(.lock)
            try device.awaitProtectedData()
            let ticket = try device.begin(.fetch("alpha", launches: false), waits: true)
            try device.awaitCall(.performFetch, of: "alpha")
            try device.awaitProtection([false], heardBy: "alpha")
            try device.order("alpha", .complete(.fetch, .newData))
            try device.expectDone(ticket, "the fetch")
            try device.do(.unlock)
            try device.do(.open("alpha"))
            try device.awaitProtection([false, true], heardBy: "alpha")
        },
        Contract("What is protected survives the daemon, and so does the moment at which it goes", on: .protecting) {
            device throws(Breach) in
            try device.start(plain)
            try device.do(.exempt("alpha", true))
            try device.do(.lock)
            try device.awaitProtection([false], heardBy: "alpha")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitProtectedData()
            try device.do(.unlock)
            try device.awaitProtection([false, true], heardBy: "alpha")
        },
        Contract("An app on the screen hears of each picture of it; others do not, then or later") {
            device throws(Breach) in
            try device.suspend(plain)
            try device.start(TestApp("beta"))
            for _ in 0..<2 { try device.do(.screenshot) }
            try device.wait(for: "the pictures") { () throws(Breach) in try device.screenshots(heardBy: "beta") == 2 }
            try device.do(.open("alpha"))
            guard try device.screenshots(heardBy: "alpha") == 0, try device.screenshots(heardBy: "beta") == 2 else {
                throw Breach("a picture was told to an app that was not on it, or twice")
            }
        },
        Contract("An app keeps the screen on while it is active, after the daemon as well, and no longer than it lives")
        {
            device throws(Breach) in
            try device.start(plain)
            try device.awaitScreenHolder(nil)
            try device.order("alpha", .keepScreenOn(true))
            try device.awaitScreenHolder("alpha")
            try device.do(.home)
            try device.awaitScreenHolder(nil)
            try device.do(.open("alpha"))
            try device.awaitScreenHolder("alpha")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.awaitScreenHolder("alpha")
            try device.do(.switcher(isOpen: true))
            try device.awaitScreenHolder(nil)
            try device.do(.switcher(isOpen: false))
            try device.awaitScreenHolder("alpha")
            try device.order("alpha", .keepScreenOn(false))
            try device.awaitScreenHolder(nil)
            try device.order("alpha", .keepScreenOn(true))
            try device.awaitScreenHolder("alpha")
            try device.kill("alpha")
            try device.awaitEnd(of: "alpha")
            try device.awaitScreenHolder(nil)
            try device.do(.open("alpha"))
            try device.awaitScreenHolder(nil)
        },
    ]
}
