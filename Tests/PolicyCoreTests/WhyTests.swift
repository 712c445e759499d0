import Model
import PolicyCore
import Testing

/// What `greenroom why` says first: one sentence that names the rule and the numbers (X1).
@Suite("Why") struct WhyTests {
    struct Situation: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Of the sentence.
        var says: [String]
        /// Of what that came from, if that matters.
        var cameFrom: [LogEvent] = []
        /// Brings it about; the app that is asked about.
        var happens: @Sendable (TestDevice) -> AppIndex
    }

    /// Entitled to run, or suspended.
    private static let states: [Situation] = [
        Situation(testDescription: "on screen", says: ["it is on screen and nothing lies over it"]) { device in
            let app = device.installTest("app")
            device.open(app)
            return app
        },
        running("audio", .audio, says: ["it plays audio (service audio)"]),
        running("location", .location, says: ["it follows its location (service location)"]),
        Situation(testDescription: "an exemption", says: ["the user exempted it"]) { device in
            let app = device.installTest("app")
            device.open(app)
            device.perform(.exempt(app, true))
            device.home()
            return app
        },
        Situation(testDescription: "a graphical program", says: ["graphical program", "X-Greenroom-Freeze"]) { device in
            let app = device.installTest("app", kind: .plain, isFreezable: false)
            device.open(app)
            device.home()
            return app
        },
        Situation(testDescription: "a background task", says: ["“upload”", "30.00 seconds from leaving the screen"]) {
            leave($0, with: 1)
        },
        Situation(testDescription: "a task's last seconds", says: ["5.00 seconds are left", "“upload”", "handlers"]) {
            let app = leave($0, with: 1)
            $0.pass(.seconds(25))
            return app
        },
        Situation(
            testDescription: "suspended", says: ["not on screen", "no assertion entitles it"],
            cameFrom: [.didEnterBackground, .homePressed]
        ) { leave($0, with: 0) },
        Situation(
            testDescription: "suspended at the end of a task", says: ["no assertion entitles it"],
            cameFrom: [.taskEnded, .keptRunning, .homePressed]
        ) {
            let app = leave($0, with: 1)
            $0.request(app, .endTask(TaskID(1)))
            return app
        },
        Situation(
            testDescription: "suspended without the key", says: ["no assertion entitles it"],
            cameFrom: [.serviceStopped, .didEnterBackground]
        ) { device in
            let app = device.installTest("app")
            device.open(app)
            device.use(.audio, by: app)
            device.home()
            device.stopServices()
            return app
        },
    ]

    private static let refusals: [Situation] = [
        Situation(testDescription: "a task too late", says: ["the 30.00 seconds", "are over", "begin the task before"])
        {
            let app = leave($0, with: 1)
            $0.pass(.seconds(26))
            $0.request(app, .beginTask(TaskID(2), name: "more"))
            return app
        },
        Situation(testDescription: "a task of iPhone OS 3", says: ["iphone-os-3 runs nothing in the background"]) {
            let device = $0
            let app = device.installTest("app")
            device.open(app)
            device.request(app, .beginTask(TaskID(1), name: "upload"))
            return app
        },
    ]

    private static let ends: [Situation] = [
        Situation(testDescription: "closed", says: ["the user closed app"], cameFrom: [.closeRequested]) { device in
            let app = leave(device, with: 0)
            device.perform(.close(app, wait: true))
            return app
        },
        Situation(testDescription: "a slow callback", says: ["didEnterBackground", "5.00 seconds while inactive"]) {
            let app = $0.installTest("app")
            $0.change(app) { $0.hangsIn = [.didEnterBackground] }
            $0.open(app)
            $0.perform(.home(wait: false))
            $0.pass(.seconds(6))
            return app
        },
        Situation(testDescription: "a blocked main thread", says: ["main-thread", "10.00 seconds while active"]) {
            let app = $0.installTest("app")
            $0.change(app) { $0.answersPings = false }
            $0.open(app)
            $0.pass(.seconds(20))
            return app
        },
        Situation(testDescription: "a slow launch", says: ["scene-create", "20.00 seconds"]) {
            let app = $0.installTest("app")
            $0.change(app) { $0.connects = false }
            $0.perform(.open(app, role: .primary, wait: false))
            $0.pass(.seconds(21))
            return app
        },
        Situation(testDescription: "a task not ended", says: ["“upload”", "within 30.00 seconds", "endBackgroundTask"])
        {
            let app = leave($0, with: 1)
            $0.pass(.seconds(31))
            return app
        },
        Situation(testDescription: "processes", says: ["had 600 processes", "the limit is 512"]) {
            let app = $0.installTest("app")
            $0.change(app) { $0.processCount = 600 }
            $0.open(app)
            $0.pass(.seconds(6))
            return app
        },
        Situation(testDescription: "a lock", says: ["/shared/db", "outside its container", "when it was suspended"]) {
            let app = $0.installTest("app")
            $0.change(app) { $0.lock = ("/shared/db", true) }
            $0.open(app)
            $0.home()
            $0.pass(.seconds(3))
            return app
        },
        Situation(testDescription: "memory", says: ["vm-pageshortage", "10 MB of 1000 MB", "500 MB of dirty"]) {
            device in
            device.send(.memoryConfigured(budget: 1000 << 20))
            let app = leave(device, with: 0)
            let generation = device.process(app)?.generation ?? Generation(0)
            device.send(.footprintSampled(app, generation, Footprint(dirty: 500 << 20)))
            device.send(.reclaimed(app, generation, Footprint(dirty: 500 << 20)))
            device.send(.memorySensed(available: 10 << 20))
            device.run()
            return app
        },
        Situation(testDescription: "a crash", says: ["app crashed: signal 11 (SIGSEGV)"]) {
            end($0, .signaled(11))
        },
        Situation(testDescription: "an end by the kernel", says: ["the kernel ended app", "no memory left"]) {
            end($0, .outOfMemory)
        },
        Situation(testDescription: "an exit", says: ["ended by itself with exit status 3"]) { end($0, .exited(3)) },
        Situation(testDescription: "no launch", says: ["could not be launched", "execve: gone"]) {
            let app = $0.installTest("app")
            $0.change(app) { $0.launchFailure = LaunchFailure(stage: "execve", errorNumber: 2, message: "gone") }
            $0.open(app)
            return app
        },
        Situation(testDescription: "no multitasking", says: ["does not take part in multitasking"]) {
            let app = $0.installTest("app", exitsOnSuspend: true)
            $0.open(app)
            $0.home()
            return app
        },
    ]

    private static func running(_ name: String, _ service: ProbeService, says: [String]) -> Situation {
        Situation(testDescription: name, says: says) { device in
            let app = device.installTest("app", modes: service.mode)
            device.open(app)
            device.use(service, by: app)
            device.home()
            return app
        }
    }

    private static func leave(_ device: TestDevice, with tasks: UInt64) -> AppIndex {
        let app = device.installTest("app")
        device.open(app)
        if tasks > 0 { device.request(app, .beginTask(TaskID(tasks), name: "upload")) }
        device.home()
        return app
    }

    private static func end(_ device: TestDevice, _ status: Model.ExitStatus) -> AppIndex {
        let app = leave(device, with: 1)
        let generation = device.process(app)?.generation ?? Generation(0)
        device.processes[Int(app.rawValue)]?.status = status
        device.send(.firstProcessEnded(app, generation, status))
        device.run()
        return app
    }

    @Test("One sentence names the rule and the numbers", arguments: states + refusals + ends)
    func sentence(_ situation: Situation) throws {
        let profile: DeviceProfile = situation.testDescription.contains("OS 3") ? .iPhoneOS3 : .linux
        let device = TestDevice(profile, label: situation.testDescription)
        let app = situation.happens(device)
        let entry = try #require(device.log.last { $0.app == app })
        let sentence = entry.reason.sentence
        for text in situation.says { #expect(sentence.contains(text), "\(sentence)") }
        #expect(!sentence.contains("\n") && sentence.last != ".")
        var rest = device.chain(from: entry).dropFirst()
        for event in situation.cameFrom {
            let place = try #require(rest.firstIndex(of: event), "\(event) in \(rest)")
            rest = rest[(place + 1)...]
        }
    }

    @Test("There are twenty situations and more")
    func enough() { #expect((Self.states + Self.refusals + Self.ends).count >= 20) }
}
