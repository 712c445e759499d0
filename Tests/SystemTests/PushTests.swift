import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// Pushes from a provider to an app: curl, the gateway, the device's service, the daemon and the app are real.
    @Suite(
        "Pushes", .serialized, .enabled(if: Beacon.isBuilt, "NOT TESTED: Beacon is not built"),
        .enabled(if: PushGate.isThere, "NOT TESTED: needs greenroom-pushgate, curl and openssl"))
    struct Pushes {
        private static let silent = #"{"aps":{"content-available":1},"message":"m1","more":{"numbers":[1,2]}}"#
        private static let alert = #"{"aps":{"alert":{"title":"News","body":"Read them"},"badge":3},"message":"m1"}"#

        /// A system with a gateway, and an app with a token.
        private struct World {
            let system: TestSystem
            let gate: PushGate
            let beacon: Beacon
            var token = ""

            init(_ device: Device? = nil, environment: [String: String] = [:]) throws {
                system = try TestSystem(device: device, environment: environment)
                try system.play(["simulate network wifi"])
                gate = try PushGate(in: system.folder)
                beacon = try Beacon(in: system)
            }

            mutating func register() throws {
                try gate.connect(system)
                try beacon.obey("register")
                token = try #require(try beacon.hears("token")["token"]?.string)
            }

            @discardableResult
            func send(_ payload: String, type: String = "alert", _ headers: String...) throws -> PushGate.Answer {
                try gate.send(payload, to: token, topic: Beacon.app, type: type, headers)
            }
        }

        @Test("The service's declaration lies beside the programs, and the daemon knows it")
        func declared() throws {
            let system = try TestSystem()
            defer { system.end() }
            let services = try JSONValue(parsing: system.expect("services", "--json")).array("services")
            let service = try #require(services.first { $0["service"]?.string == "notifications" })
            #expect(service["state"]?.string == "idle")
        }

        @Test("An app registers and gets a token, and a provider's silent push wakes it with the whole payload")
        func silent() throws {
            var world = try World()
            defer { world.system.end() }
            try world.register()
            #expect(world.token.count == 64)
            try world.beacon.sleeps()
            let process = try world.system.app(Beacon.app).pid
            #expect(try world.send(Self.silent, type: "background", "apns-priority: 5").status == 200)
            let push = try world.beacon.hears("push")
            #expect(push["payload"] == (try JSONValue(parsing: Self.silent)))
            #expect(push["background"] == true)
            try world.beacon.isOn("suspended")
            #expect(try world.system.app(Beacon.app).pid == process)
        }
    }
}
