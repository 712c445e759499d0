import Model

extension ContractDevice {
    /// It has the file locked, for itself alone.
    fileprivate func lock(_ file: String, by app: String) throws(Breach) {
        try order(app, .lock(file))
        try wait(for: "the lock of \(app)") { () throws(Breach) in try look(at: app).isLocking }
    }
}

extension Contract {
    static let locks = [
        Contract("An app that leaves the screen with a file locked that others may need ends, and the report names it")
        {
            device throws(Breach) in
            try device.start(TestApp("alpha"))
            try device.lock("shared", by: "alpha")
            try device.do(.home)
            try device.awaitEnd(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectCount(.suspended, of: "alpha", 0)
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "RUNNINGBOARD", code: 0xdead_10cc),
                saying: ["shared", "background task"])
            try device.expectCause(of: .terminated, of: "alpha", .homePressed)
        },
        Contract("A plain program is suspended with its lock, and runs again while somebody needs the file") {
            device throws(Breach) in
            try device.start(TestApp("alpha", .plain))
            try device.awaitReadiness(of: "alpha")
            try device.lock("shared", by: "alpha")
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.expectNoReport(about: "alpha")
            try device.start(TestApp("beta"))
            try device.order("beta", .lock("shared"))
            try device.awaitEvent(.resumed, of: "alpha")
            try device.expect("alpha", .background)
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "RUNNINGBOARD", code: 0xdead_10cc), saying: ["shared"])
            try device.do(.close("beta"))
            try device.awaitSuspension(of: "alpha")
        },
        Contract("A new daemon watches the locks of a suspended program as the one before did") {
            device throws(Breach) in
            try device.start(TestApp("alpha", .plain))
            try device.awaitReadiness(of: "alpha")
            try device.lock("shared", by: "alpha")
            try device.start(TestApp("beta"))
            try device.awaitSuspension(of: "alpha")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.order("beta", .lock("shared"))
            try device.awaitEvent(.resumed, of: "alpha")
            try device.expect("alpha", .background)
        },
    ]
}
