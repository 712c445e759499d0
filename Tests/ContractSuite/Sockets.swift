import Model

extension ContractDevice {
    fileprivate func serve(_ app: TestApp) throws(Breach) {
        try start(app)
        try order(app.name, .listen)
        try wait(for: "\(app.name) to listen") { () throws(Breach) in try look(at: app.name).isListening }
    }
}

extension Contract {
    static let sockets = [
        Contract("Who connects to a suspended app is turned away, and that it listens is reported") {
            device throws(Breach) in
            try device.serve(TestApp("alpha"))
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.expectReport(
                about: "alpha", TerminationCode(namespace: "GREENROOM", code: 0xdead_0ea2),
                saying: ["listener (0 peers"])
            try device.connectPeer(to: "alpha")
            try device.pass(.milliseconds(200))
            try device.expect("alpha", .suspended)
            try device.do(.open("alpha"))
            try device.awaitEvent(.peersRefused, of: "alpha")
            try device.expectCount(.peerConnected, of: "alpha", 0)
        },
        Contract("A sleeping server is woken by who connects, runs while he stays, and sleeps when he has left") {
            device throws(Breach) in
            for kind in [AppKind.plain, .application] {
                let name = kind == .plain ? "alpha" : "beta"
                try device.serve(TestApp(name, kind, backgroundModes: .listen))
                try device.do(.home)
                try device.awaitSuspension(of: name)
                try device.connectPeer(to: name)
                try device.awaitEvent(.peerConnected, of: name)
                try device.pass(.seconds(3))
                try device.expect(name, .background)
                try device.disconnectPeers(from: name)
                try device.awaitSuspension(of: name)
                try device.expectCount(.peerConnected, of: name, 1)
                try device.expectNoReport(about: name)
            }
        },
        Contract("Home does not suspend a server while somebody is connected to it") {
            device throws(Breach) in
            try device.serve(TestApp("alpha", backgroundModes: .listen))
            try device.connectPeer(to: "alpha")
            try device.do(.home)
            try device.pass(.seconds(3))
            try device.expect("alpha", .background)
            try device.expectCount(.suspended, of: "alpha", 0)
            try device.disconnectPeers(from: "alpha")
            try device.awaitSuspension(of: "alpha")
        },
        Contract("Who connects while no daemon runs wakes the server of the next one") {
            device throws(Breach) in
            try device.serve(TestApp("alpha", .plain, backgroundModes: .listen))
            try device.do(.home)
            try device.awaitSuspension(of: "alpha")
            try device.killDaemon()
            try device.connectPeer(to: "alpha")
            try device.awaitDaemon()
            try device.awaitEvent(.peerConnected, of: "alpha")
            try device.expect("alpha", .background)
            try device.disconnectPeers(from: "alpha")
            try device.awaitSuspension(of: "alpha")
        },
    ]
}
