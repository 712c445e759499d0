import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Pushes from a provider to an app: curl, the gateway, the device's service, the daemon and the app are real.
    @Suite(
        "Pushes", .serialized, .enabled(if: Beacon.isBuilt, "NOT TESTED: Beacon is not built"),
        .enabled(if: PushGate.isThere, "NOT TESTED: needs greenroom-pushgate, curl and openssl"))
    struct Pushes {
        @Test("The service's declaration lies beside the programs, and the daemon knows it")
        func declared() throws {
            let system = try TestSystem()
            defer { system.end() }
            let services = try JSONValue(parsing: system.expect("services", "--json")).array("services")
            let service = try #require(services.first { $0["service"]?.string == "notifications" })
            #expect(service["state"]?.string == "idle")
        }

        @Test("Without a gateway an app is told that there is none, and with one it gets its token")
        func registration() throws {
            let world = try PushWorld(isRegistered: false)
            defer { world.system.end() }
            try world.system.expect("push", "gateway", "--none")
            try world.beacon.obey("register")
            let refusal = try world.beacon.hears("no token")
            #expect(refusal["error"]?.string?.contains("no gateway is set") == true)
            try world.gate.connect(world.system)
            try world.beacon.obey("register")
            #expect(try world.beacon.hears("token")["token"]?.string?.count == 64)
            #expect(try world.system.expect("push", "status").contains("connected to localhost"))
        }

        @Test("A provider's silent push wakes a suspended app with the whole payload, and the app sleeps again")
        func suspended() throws {
            let world = try PushWorld()
            defer { world.system.end() }
            try world.beacon.sleeps()
            let process = try world.system.app(Beacon.app).pid
            try world.sendSilent()
            let push = try world.beacon.hears("push")
            #expect(push["payload"] == (try JSONValue(parsing: PushWorld.silent)))
            #expect(push["background"] == true)
            try world.beacon.isOn("suspended")
            #expect(try world.system.app(Beacon.app).pid == process)
            #expect(try world.beacon.heard("launched").count == 1)
        }

        @Test("A silent push launches an app that does not run, in the background, with the payload as a launch option")
        func launched() throws {
            let world = try PushWorld()
            defer { world.system.end() }
            try world.beacon.sleeps()
            try world.beacon.kill()
            try world.sendSilent()
            let launch = try world.beacon.hears("launched", 2)
            #expect(launch["background"] == true)
            #expect(launch["options"] == ["UIApplicationLaunchOptionsRemoteNotificationKey"])
            #expect(launch["payload"] == (try JSONValue(parsing: PushWorld.silent)))
            #expect(try world.beacon.hears("push")["payload"] == launch["payload"])
            try world.beacon.isOn("suspended")
            #expect(try world.system.app(Beacon.app).pids.count == 1)
        }

        @Test("An app that never calls its completion handler is ended when its time is over, or suspended as in 2013")
        func overtime() throws {
            for (device, state) in [(nil, "not-running"), (Device.named("ios-7"), "suspended")] as [(Device?, String)] {
                let world = try PushWorld(device, window: 1)
                defer { world.system.end() }
                try world.beacon.obey("push?manner=never")
                try world.beacon.sleeps()
                try world.sendSilent()
                try world.beacon.hears("push")
                try world.beacon.isOn(state)
                #expect(try world.beacon.heard("push").count == 1, "it is not told again")
                #expect(try world.system.reports(Beacon.app).isEmpty == (state == "suspended"))
            }
        }

        @Test("A message that comes while service, gateway or app are dead is there when they are back")
        func deaths() throws {
            let world = try PushWorld()
            defer { world.system.end() }
            try world.beacon.sleeps()
            try world.sendSilent("m1")
            try world.beacon.hears("push", 1)
            try world.beacon.isOn("suspended")
            let service = try world.system.pushService()
            try service.send(19)
            try world.sendSilent("m2")
            try service.send(9)
            try world.beacon.hears("push", 2)
            try world.beacon.isOn("suspended")
            try world.system.pushService().send(19)
            try world.sendSilent("m3")
            try world.gate.kill()
            try world.gate.start()
            try world.system.pushService().send(9)
            try world.beacon.hears("push", 3)
            #expect(try world.messages("push") == ["m1", "m2", "m3"])
        }

        @Test("More than an hour's few silent pushes wait, and it is said for what; opening the app lets the newest in")
        func budget() throws {
            let world = try PushWorld()
            defer { world.system.end() }
            try world.spendBudget()
            try world.sendSilent("m4")
            try world.sendSilent("m5")
            try world.system.until("one waits") {
                try world.system.expect("push", "why", "beacon").contains("5 silent pushes came")
            }
            for words in [["push", "status"], ["push", "why", "beacon"], ["why", "beacon"]] {
                let text = try world.system.expect(words[0], Array(words.dropFirst()))
                #expect(text.contains("3 went to the app; one has waited since"), "\(words): \(text)")
                #expect(text.contains("or when the user opens the app"), "\(words)")
            }
            try world.system.play(["open beacon"])
            try world.beacon.hears("push", 4)
            #expect(try world.messages("push") == ["m1", "m2", "m3", "m5"])
            #expect(try !world.system.expect("why", "beacon").contains("one has waited"))
        }

        @Test("On a mobile network what is too much waits at the gateway, and opening the app lets the newest in")
        func mobile() throws {
            let world = try PushWorld()
            defer { world.system.end() }
            try world.spendBudget()
            try world.system.play(["simulate battery 80", "simulate network cellular"])
            let sentence = "3 silent pushes came in the last hour, 3 went to the app; the next one waits at the gateway"
            try world.system.until("the gateway knows") {
                try world.system.expect("push", "why", "beacon").contains(sentence)
            }
            try world.sendSilent("m4")
            try world.sendSilent("m5")
            let text = try world.system.expect("why", "beacon")
            #expect(text.contains(sentence), "\(text)")
            try world.system.play(["open beacon"])
            try world.beacon.hears("push", 4)
            #expect(try world.messages("push") == ["m1", "m2", "m3", "m5"])
        }

        @Test("An app that the user closed gets no silent push until it is opened, and what was held is dropped")
        func closed() throws {
            let world = try PushWorld()
            defer { world.system.end() }
            try world.beacon.sleeps()
            try world.system.expect("close", "beacon")
            try world.beacon.isOn("not-running")
            try world.sendSilent("m1")
            try world.system.until("it is dropped") {
                try world.system.expect("push", "why", "beacon").contains("the user closed it")
            }
            #expect(try world.system.app(Beacon.app).state == "not-running")
            try world.system.play(["open beacon"])
            try world.sendSilent("m2")
            try world.beacon.hears("push")
            #expect(try world.messages("push") == ["m2"])
        }

        @Test("A file that simctl takes is sent straight into the device, with the app named by it or beside it")
        func direct() throws {
            let system = try TestSystem()
            defer { system.end() }
            let beacon = try Beacon(in: system)
            try beacon.obey("register")
            try beacon.hears("authorization")
            try beacon.sleeps()
            let targeted = #"{"Simulator Target Bundle":"\#(Beacon.app)","aps":{"content-available":1},"message":"m1"}"#
            for (file, text, words) in [
                ("targeted", targeted, []), ("plain", PushWorld.silent.replacing("m1", with: "m2"), ["beacon"]),
            ] as [(String, String, [String])] {
                try system.write(text, to: "\(system.folder)/\(file).apns")
                let said = try system.expect("push", words + ["\(system.folder)/\(file).apns"])
                #expect(said.contains("the app is woken for it"), "\(said)")
                try beacon.hears("push", file == "plain" ? 2 : 1)
                try beacon.isOn("suspended")
            }
            let pushes = try beacon.heard("push").map { $0["payload"] ?? .null }
            #expect(pushes.map { $0["message"]?.string } == ["m1", "m2"])
            #expect(pushes[0]["Simulator Target Bundle"] == nil)
            #expect(try system.run("push", "\(system.folder)/plain.apns").errors.contains("name the app"))
        }
    }
}
