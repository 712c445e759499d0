import Model

extension Contract {
    static let scenes = [
        Contract("An app with a scene manifest has one scene, which is told of each step beside the app") {
            device throws(Breach) in
            try device.install(.notes(.one))
            try device.do(.open("notes"))
            try device.expectHeard(
                "notes",
                [
                    "willFinishLaunching", "didFinishLaunching", "sceneWillConnect 1", "sceneWillEnterForeground 1",
                    "sceneDidBecomeActive 1", "didBecomeActive",
                ])
            try device.do(.home)
            try device.awaitSuspension(of: "notes")
            try device.do(.open("notes"))
            try device.expectHeard(
                "notes",
                [
                    "sceneWillResignActive 1", "willResignActive", "sceneDidEnterBackground 1", "didEnterBackground",
                    "sceneWillEnterForeground 1", "willEnterForeground", "sceneDidBecomeActive 1", "didBecomeActive",
                ], after: 6)
            try device.expectRefusal(of: .openScene("notes", nil), saying: "UIApplicationSupportsMultipleScenes")
            try device.expectRefusal(of: .openScene("notes", 9), saying: "no scene 9")
        },
        Contract("Another scene comes to the screen in place of the first: the app stays active") {
            device throws(Breach) in
            try device.start(.notes(.several))
            let pid = try device.look(at: "notes").pid
            try device.do(.openScene("notes", nil))
            try device.expect("notes", .active)
            try device.expectProcess(pid, of: "notes")
            try device.expectHeard(
                "notes",
                [
                    "sceneWillResignActive 1", "sceneDidEnterBackground 1", "sceneWillConnect 2",
                    "sceneWillEnterForeground 2", "sceneDidBecomeActive 2",
                ], after: 6)
            try device.do(.openScene("notes", 1))
            try device.expectHeard(
                "notes",
                [
                    "sceneWillResignActive 2", "sceneDidEnterBackground 2", "sceneWillEnterForeground 1",
                    "sceneDidBecomeActive 1",
                ], after: 11)
            try device.expectCause(of: .sceneDidBecomeActive, of: "notes", .openRequested)
        },
        Contract("Of two scenes side by side one may leave; the app leaves the screen with the last") {
            device throws(Breach) in
            try device.install(TestApp("alpha"))
            try device.start(.notes(.several))
            try device.do(.openScene("notes", nil, as: .secondary))
            try device.expectHeard(
                "notes", ["sceneWillConnect 2", "sceneWillEnterForeground 2", "sceneDidBecomeActive 2"], after: 6)
            try device.do(.open("alpha"))
            try device.expectHeard("notes", ["sceneWillResignActive 1", "sceneDidEnterBackground 1"], after: 9)
            try device.expect("notes", .active)
            try device.expect("alpha", .active)
            try device.do(.home)
            try device.awaitSuspension(of: "notes")
            try device.expectHeard(
                "notes",
                [
                    "sceneWillResignActive 2", "willResignActive", "sceneDidEnterBackground 2", "didEnterBackground",
                ], after: 11)
        },
        Contract("An app asks for another scene, and is shown it") { device throws(Breach) in
            try device.start(.notes(.several))
            try device.order("notes", .activateScene(nil))
            try device.awaitEvent(.sceneDidBecomeActive, of: "notes", times: 2)
            try device.expectHeard(
                "notes", ["sceneWillConnect 2", "sceneWillEnterForeground 2", "sceneDidBecomeActive 2"], after: 6)
            try device.order("notes", .destroyScene(1))
            try device.awaitEvent(.didDiscardScene, of: "notes")
            try device.expectHeard(
                "notes",
                [
                    "sceneWillResignActive 1", "sceneDidEnterBackground 1", "sceneDidDisconnect 1", "didDiscardScene 1",
                ], after: 9)
            try device.expect("notes", .active)
        },
        Contract("A URL is handed to the scene that was shown last, before it connects or when it is there") {
            device throws(Breach) in
            try device.install(.notes(.several))
            try device.do(.openURL("notes://1"))
            try device.expectHeard("notes", ["openURL", "sceneWillConnect 1"], after: 2, only: 2)
            try device.expectLastURL("notes://1", of: "notes")
            try device.do(.home)
            try device.awaitSuspension(of: "notes")
            try device.do(.openURL("notes://2"))
            try device.expectLastURL("notes://2", of: "notes")
        },
        Contract("A scene that is closed while its app stands still is told when it runs, and never shown again") {
            device throws(Breach) in
            try device.start(.notes(.several))
            try device.do(.openScene("notes", nil))
            try device.do(.home)
            try device.awaitSuspension(of: "notes")
            try device.do(.closeScene("notes", 2))
            try device.expect("notes", .suspended)
            try device.do(.open("notes"))
            try device.awaitEvent(.didDiscardScene, of: "notes")
            try device.expectHeard(
                "notes",
                [
                    "sceneWillEnterForeground 1", "willEnterForeground", "sceneDidBecomeActive 1", "didBecomeActive",
                    "sceneDidDisconnect 2", "didDiscardScene 2",
                ], after: 15)
            try device.expectRefusal(of: .openScene("notes", 2), saying: "no scene 2")
        },
        Contract(
            "When memory gets short, a scene that nobody sees is disconnected, and connects again when it is shown"
        ) {
            device throws(Breach) in
            try device.start(.notes(.several))
            try device.do(.openScene("notes", nil))
            try device.do(.memoryPressure(.warning))
            try device.awaitEvent(.sceneDidDisconnect, of: "notes")
            try device.do(.openScene("notes", 1))
            try device.awaitEvent(.sceneWillConnect, of: "notes", times: 3)
            try device.expect("notes", .active)
        },
        Contract("Sessions outlive the process, and the death of the daemon") { device throws(Breach) in
            try device.start(.notes(.several))
            try device.do(.openScene("notes", nil))
            try device.killDaemon()
            try device.awaitDaemon()
            try device.do(.home)
            try device.awaitSuspension(of: "notes")
            try device.kill("notes")
            try device.awaitEnd(of: "notes")
            let before = try device.heard(by: "notes").count
            try device.do(.open("notes"))
            try device.expectHeard(
                "notes",
                [
                    "willFinishLaunching", "didFinishLaunching", "sceneWillConnect 2", "sceneWillEnterForeground 2",
                    "sceneDidBecomeActive 2", "didBecomeActive",
                ], after: before)
            try device.do(.openScene("notes", 1))
            try device.do(.openScene("notes", nil))
            try device.expectHeard("notes", ["sceneWillConnect 3"], after: before + 13, only: 1)
        },
    ]
}

extension TestApp {
    fileprivate static func notes(_ scenes: SceneSupport) -> TestApp {
        var app = TestApp("notes", urlSchemes: ["notes"])
        app.scenes = scenes
        return app
    }
}

extension ContractDevice {
    fileprivate func expectLastURL(_ url: String, of app: String) throws(Breach) {
        try wait(for: "\(app) to be handed \(url)") { () throws(Breach) in
            try heard(by: app).last { $0.kind == .openURL }?.url == url
        }
    }

    /// What the app heard from there on, with the numbers of its scenes.
    fileprivate func expectHeard(
        _ app: String, _ words: [String], after count: Int = 0, only length: Int? = nil
    ) throws(Breach) {
        func found() throws(Breach) -> [String] {
            let words = try heard(by: app).dropFirst(count).map { heard in
                heard.scene.map { "\($0.step.name) \($0.scene.rawValue)" } ?? heard.kind.name
            }
            return Array(words.prefix(length ?? words.count))
        }
        try wait(for: "\(app) to hear \(words)") { () throws(Breach) in try found().count >= words.count }
        let found = try found()
        guard found == words else { throw Breach("\(app) should have heard \(words) and heard \(found)") }
    }
}
