import LinuxSystem
import NotificationsService
import NotificationsWire
import PushLink
import ServiceTesting
import Testing
import Wire

@Suite("The link to the gateway")
struct LinkTests {
    @Test("Without a gateway there is no connection, no thread for one and no key; with one the device proves its key")
    func connection() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        #expect(throws: RPCError.self) { try client.ask("register") }
        #expect(try service.status().link.state == .off)
        #expect(!threads(of: service).contains { $0.hasPrefix("NIO") })
        #expect(!FileSystem.exists(service.folder + "/device.key"))
        let gateway = try GatewayDouble()
        try service.tool().ask("gateway", ["url": .string(gateway.url), "ca": .string(gateway.authority)])
        let token = try NotificationToken(json: client.ask("register")).token
        #expect(token.utf8.count == LinkRules.tokenDigits)
        try gateway.event { $0["proof"] == true }
        let status = try service.link { $0.state == .connected }
        #expect(status.server == "push-link" && status.device?.utf8.count == LinkRules.deviceDigits)
        #expect(try service.status().apps.first?.token == token)
        try service.tool().ask("gateway", ["url": nil])
        try gateway.awaitEnd()
        #expect(try service.status().link.state == .off)
    }

    private func threads(of service: TestService) -> [String] {
        let tasks = "/proc/\(service.process.pid)/task"
        return FileSystem.names(in: tasks).compactMap { FileSystem.read("\(tasks)/\($0)/comm", limit: 64) }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test("A push is acknowledged when it is durable: a device that dies before or after shows it once")
    func durable() throws {
        let service = try TestService()
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        let push = GatewayRecord.push(1)
        try gateway.send(push)
        try gateway.acknowledged(1)
        try service.killAndRestart()
        #expect(try service.list().map(\.request.content.body) == ["push 1"])
        // Whether or not the gateway heard of it.
        try gateway.event { $0["proof"] == true }
        try service.link { $0.state == .connected }
        try gateway.send(push)
        try gateway.acknowledged(1)
        #expect(try service.list().count == 1)
        #expect(try service.status().link.acknowledged == 1)
    }

    @Test("A silent push wakes the app with the whole payload; with an alert it is shown as well")
    func silent() throws {
        let service = try TestService()
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        try service.state("suspended")
        let payload = #"{"aps":{"content-available":1},"episode":{"id":7}}"#
        try gateway.send(.push(1, type: .background, priority: 5, payload))
        try gateway.acknowledged(1)
        let wake = try service.daemon.wake()
        #expect(wake.params["app"]?.string == TestService.app && wake.params["window"]?.string == "push")
        let text = try #require(wake.params["payload"]?.string)
        let push = try NotificationPush(window: JSONValue(parsing: text))
        #expect(push.payload == payload && push.silent)
        #expect(try service.list().isEmpty)
        try service.daemon.peer.answer(wake.id)
        let ended: JSONValue = ["app": .string(TestService.app), "window": "push", "result": "done"]
        try service.daemon.peer.send(.notification(method: "windowEnded", params: ended))
        try gateway.send(.push(2, #"{"aps":{"content-available":1,"alert":"new"}}"#))
        _ = try service.daemon.wake()
        #expect(try service.list().map(\.request.content.body) == ["new"])
        let sentence = try NotificationExplanation(
            json: service.tool().ask("why", ["app": .string(TestService.app)])
        ).sentence
        #expect(sentence.hasPrefix("2 silent pushes came"))
    }

    @Test("A push for an app that is not there is taken from the gateway, and its topic is given up")
    func stranger() throws {
        let service = try TestService()
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        try gateway.send(.push(1, topic: "org.example.stranger"))
        #expect(try gateway.said("unregister")["topic"]?.string == "org.example.stranger")
        try gateway.acknowledged(1)
        #expect(try service.list().isEmpty)
    }

    @Test("An app that unregisters is no longer reached, and with the last one the connection ends")
    func unregistering() throws {
        let service = try TestService()
        let gateway = try GatewayDouble()
        let client = try service.allowedClient()
        try gateway.connect(service, client)
        try client.ask("unregister")
        #expect(try gateway.said("unregister")["topic"]?.string == TestService.app)
        try gateway.awaitEnd()
        #expect(try service.link { $0.state == .off }.trouble == nil)
    }

    /// What no gateway says, and what `greenroom push status` says of it.
    static let lies: [(said: String, trouble: String)] = [
        ("garbage", "no record"), ("[1]", "no record"), (#"{"t":"nonsense"}"#, "no record"),
        ("\u{0}\u{ff}", "no record"), (String(repeating: "[", count: 5000), "no record"),
        (String(repeating: "x", count: 20_000), "no record"),
        (#"{"t":"push","n":1}"#, "no record"), (#"{"t":"goaway","after":1e9,"reason":"x"}"#, "no record"),
        (#"{"t":"welcome","device":"000000000000000000000000","keepAlive":9,"server":"x"}"#, "wrong moment"),
        (#"{"t":"challenge","nonce":"MDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDA="}"#, "wrong moment"),
        (#"{"t":"unregistered","topic":"org.other"}"#, "not asked for"), (#"{"t":"pong"}"#, "not sent"),
    ]

    @Test("A gateway that lies is left with a word that says why, and is given another chance")
    func lying() throws {
        let service = try TestService(["--idle-exit", "600", "--first-retry", "0.001"])
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        for lie in Self.lies {
            try service.link { $0.state == .connected }
            try gateway.send(raw: lie.said)
            try gateway.awaitEnd()
            let trouble = try service.link { $0.trouble != nil }.trouble ?? ""
            #expect(trouble.contains(lie.trouble), "\(lie.said.prefix(60)): \(trouble)")
        }
        try service.link { $0.state == .connected }
        try gateway.send(.push(1))
        try gateway.acknowledged(1)
    }

    @Test("A message that comes twice on one connection ends it; what came before it counts once")
    func replay() throws {
        let service = try TestService(["--idle-exit", "600", "--first-retry", "5"])
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        let push = GatewayRecord.push(1)
        try gateway.send(push)
        try gateway.acknowledged(1)
        try gateway.send(push)
        try gateway.awaitEnd()
        #expect(try service.link { $0.state == .waiting }.trouble?.contains("twice") ?? false)
        #expect(try service.list().count == 1)
    }

    @Test("Messages that come out of their order all count")
    func reordered() throws {
        let service = try TestService()
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        for number in [9, 3, 7, 1] as [Int64] {
            try gateway.send(.push(number))
            try gateway.acknowledged(number)
        }
        #expect(try service.list().count == 4)
    }

    @Test("A flood is taken at the speed of the disk, with bounded memory")
    func flood() throws {
        let service = try TestService()
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        let before = try service.anonymousBytes()
        let record = try JSONValue(parsing: Array(GatewayRecord.push(1).line.dropLast()))
        try gateway.command(["flood": 5000, "send": record])
        try gateway.event(within: 120) { $0["flooded"] == 5000 }
        try service.link(within: 120) { $0.acknowledged == 5000 }
        let app = try #require(try service.status().apps.first)
        #expect(app.delivered <= 128)
        #expect(try service.anonymousBytes() - before < 16 << 20)
    }

    @Test("A gateway whose certificate is not trusted hears nothing", arguments: ["self", "expired"])
    func certificates(_ name: String) throws {
        let service = try TestService()
        let gateway = try GatewayDouble(certificate: name)
        let client = try service.allowedClient()
        try service.tool().ask("gateway", ["url": .string(gateway.url), "ca": .string(gateway.authority)])
        try client.begin("register")
        #expect(try service.link { $0.trouble != nil }.trouble?.hasPrefix("TLS failed") ?? false)
        #expect(throws: TestPeer.Silence.self) { try gateway.event(within: 0.2) { $0["connected"] != nil } }
    }

    @Test("A gateway that sends the device away is given the time that it asked for")
    func goaway() throws {
        let service = try TestService()
        let gateway = try GatewayDouble()
        try gateway.connect(service, service.allowedClient())
        try gateway.send(.goaway(after: 100, reason: "Shutdown"))
        try gateway.awaitEnd()
        let status = try service.link { $0.state == .waiting }
        let wait = try #require(status.next) - Double(Clock.wall()) / 1e9
        #expect((95...205).contains(wait))
        // Another network is another beginning.
        try service.daemon.tell(ServiceConditions(network: .cellular))
        try service.link { $0.state == .connected }
    }

    @Test("Without a network nothing is attempted; with one it is at once")
    func network() throws {
        let service = try TestService(network: .none)
        let gateway = try GatewayDouble()
        let client = try service.allowedClient()
        try service.tool().ask("gateway", ["url": .string(gateway.url), "ca": .string(gateway.authority)])
        try client.begin("register")
        #expect(try service.link { $0.state == .waiting }.trouble == "there is no network")
        try service.daemon.tell(ServiceConditions(network: .wifi))
        try service.link { $0.state == .connected }
        try service.daemon.tell(ServiceConditions(network: .none))
        try gateway.awaitEnd()
        #expect(try service.link { $0.state == .waiting }.next == nil)
    }
}
