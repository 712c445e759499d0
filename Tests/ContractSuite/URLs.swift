import Model

extension Contract {
    static let urls = [
        Contract("A URL launches the app that is registered for its scheme, and is handed over once") {
            device throws(Breach) in
            try device.install(TestApp("alpha", urlSchemes: ["alpha"]))
            try device.do(.openURL("alpha://first?x=1"))
            try device.expect("alpha", .active)
            try device.expectHeard(
                "alpha", [.willFinishLaunching, .didFinishLaunching, .openURL, .didBecomeActive])
            try device.expectURL("alpha://first?x=1", from: nil, to: "alpha")
        },
        Contract("A suspended app is handed its URL on the way to the screen") { device throws(Breach) in
            let pid = try device.suspend(TestApp("alpha", urlSchemes: ["alpha"]))
            try device.do(.openURL("ALPHA://second"))
            try device.expect("alpha", .active)
            try device.expectProcess(pid, of: "alpha")
            try device.expectHeard("alpha", .launch + .leave + [.willEnterForeground, .openURL, .didBecomeActive])
            try device.expectURL("ALPHA://second", from: nil, to: "alpha")
        },
        Contract("An app that is active is handed its URL and stays active") { device throws(Breach) in
            try device.start(TestApp("alpha", urlSchemes: ["alpha"]))
            try device.do(.openURL("alpha://third"))
            try device.expect("alpha", .active)
            try device.expectHeard("alpha", .launch + [.openURL])
        },
        Contract("An app that opens another one's URL goes to the background and is named as its source") {
            device throws(Breach) in
            try device.install(TestApp("beta", urlSchemes: ["beta"]))
            try device.start(TestApp("alpha"))
            try device.order("alpha", .openURL("beta://from-alpha"))
            try device.awaitEvent(.didBecomeActive, of: "beta")
            try device.expect("beta", .active)
            try device.expectURL("beta://from-alpha", from: "alpha", to: "beta")
            try device.awaitSuspension(of: "alpha")
            try device.expectHeard("alpha", .launch + .leave)
            try device.expectCause(of: .suspended, of: "alpha", .openRequested)
            try device.do(.open("alpha"))
            try device.expectAnswer(true, to: "alpha")
        },
        Contract("An app is told whether a URL can be opened, and that one was not") { device throws(Breach) in
            try device.install(TestApp("beta", urlSchemes: ["beta"]))
            try device.start(TestApp("alpha"))
            try device.order("alpha", .canOpenURL("beta://x"))
            try device.expectAnswer(true, to: "alpha")
            try device.order("alpha", .canOpenURL("gamma://x"))
            try device.expectAnswer(false, to: "alpha")
            try device.order("alpha", .canOpenURL("beta://x"))
            try device.expectAnswer(true, to: "alpha")
            try device.order("alpha", .openURL("gamma://x"))
            try device.expectAnswer(false, to: "alpha")
            try device.expect("alpha", .active)
            try device.expect("beta", .notRunning)
        },
        Contract("A URL whose app is being launched when the daemon dies is handed over once") {
            device throws(Breach) in
            try device.install(TestApp("alpha", holds: [.willFinishLaunching], urlSchemes: ["alpha"]))
            try device.begin(.openURL("alpha://once"))
            try device.awaitCall(.willFinishLaunching, of: "alpha")
            try device.killDaemon()
            try device.awaitDaemon()
            try device.release("alpha")
            try device.awaitEvent(.didBecomeActive, of: "alpha")
            try device.expectHeard(
                "alpha", [.willFinishLaunching, .didFinishLaunching, .openURL, .didBecomeActive])
            try device.expectURL("alpha://once", from: nil, to: "alpha")
        },
        Contract("What the system alone hands over reaches the app that it names, and no app can bring it about") {
            device throws(Breach) in
            try device.install(TestApp("alpha", urlSchemes: ["alpha"]))
            let url = "greenroom-app:alpha/shortcut/new"
            try device.start(TestApp("beta"))
            try device.order("beta", .canOpenURL(url))
            try device.expectAnswer(false, to: "beta")
            try device.do(.openURL(url))
            try device.expect("alpha", .active)
            try device.expectURL(url, from: nil, to: "alpha")
            try device.do(.open("beta"))
            try device.order("beta", .canOpenURL("alpha:x"))
            try device.expectAnswer(true, to: "beta")
            try device.order("beta", .openURL(url))
            try device.expectAnswer(false, to: "beta")
            try device.expect("beta", .active)
        },
    ]
}

extension ContractDevice {
    /// The app was handed one URL, this one.
    fileprivate func expectURL(_ url: String, from source: String?, to app: String) throws(Breach) {
        let found = try heard(by: app).filter { $0.kind == .openURL }
        guard found.count == 1, found[0].url == url, found[0].source == source else {
            throw Breach("\(app) should be handed \(url) of \(source ?? "nobody") and was handed \(found)")
        }
    }

    fileprivate func expectAnswer(_ expected: Bool, to app: String) throws(Breach) {
        try wait(for: "\(app) to be answered \(expected)") { () throws(Breach) in try answer(heardBy: app) == expected }
    }
}
