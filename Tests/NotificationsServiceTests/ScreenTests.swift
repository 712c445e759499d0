import DBus
import LinuxSystem
import NotificationsWire
import ServiceTesting
import TestBus
import Testing
import Wire

/// The whole program with a notification daemon on a bus of the test's own.
@Suite("What the service shows", .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)))
struct ScreenTests {
    private static let soon = NotificationTriggerInfo.interval(seconds: 0.3, repeats: false)
    /// A sound of one sample, as desktops play it.
    private static let wave =
        Array("RIFF".utf8) + [38, 0, 0, 0] + Array("WAVEfmt ".utf8) + [16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0]
        + [128, 62, 0, 0, 2, 0, 16, 0] + Array("data".utf8) + [2, 0, 0, 0, 0, 0]
    private static let later = NotificationTriggerInfo.interval(seconds: 3600, repeats: false)

    private func add(_ client: TestPeer, _ identifier: String, _ content: NotificationContentInfo) throws {
        let request = NotificationRequestInfo(identifier: identifier, content: content)
        try client.ask("add", NotificationRequestParameters(request: request).json)
    }

    /// Waits until the service says so of what displays notifications.
    private func presenter(
        _ service: TestService, until isSo: (NotificationPresenterStatus) -> Bool
    ) throws {
        let end = Clock.monotonic() + 20_000_000_000
        while true {
            let status = try service.status().presenter
            if isSo(status) { return }
            guard Clock.monotonic() < end else { throw TestPeer.Silence(waitedFor: "\(status.json)") }
            _ = service.process.waitUntilDead(milliseconds: 10)
        }
    }

    @Test(
        "A request that falls due is on the screen with all that it has, and a tap there opens its app, which hears of it"
    )
    func shown() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        let client = try service.allowedClient()
        let reply = NotificationActionInfo(
            identifier: "reply", title: "Reply", options: [], textInput: .init(button: "Send", placeholder: "Text"))
        let mark = NotificationActionInfo(identifier: "mark", title: "Mark", options: [.foreground])
        let category = NotificationCategoryInfo(identifier: "mail", actions: [mark, reply])
        try client.ask("setCategories", NotificationCategories(categories: [category]).json)
        try service.state("suspended")
        let content = NotificationContentInfo(
            title: "Title", subtitle: "Subtitle", body: "Body", sound: "default", category: "mail",
            level: .timeSensitive)
        let request = NotificationRequestInfo(identifier: "a", content: content, trigger: Self.soon)
        try client.ask("add", NotificationRequestParameters(request: request).json)
        let notify = try daemon.notified.next()
        #expect(notify.app == "app" && notify.title == "Title" && notify.body == "Subtitle\nBody")
        #expect(notify.hints["urgency"] == .byte(1) && notify.timeout == 0)
        #expect(notify.hints["sound-name"] == .string("message-new-instant"))
        #expect(notify.actions == ["default", "Open", "action-0", "Mark", "inline-reply", "Reply"])
        try daemon.act(1)
        let open = try service.daemon.wake()
        #expect(open.params["window"]?.string == "opened")
        try service.daemon.peer.answer(open.id)
        try service.state("active")
        let told = try NotificationDidReceive(json: client.told(.didReceive).params)
        #expect(told.response?.action == NotificationActionName.open)
        #expect(try service.list().isEmpty)
    }

    @Test("What is chosen and typed on the screen reaches the app by the action's own name")
    func actions() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        let client = try service.allowedClient()
        let reply = NotificationActionInfo(
            identifier: "ä reply", title: "Reply", options: [], textInput: .init(button: "Send", placeholder: "Text"))
        let category = NotificationCategoryInfo(
            identifier: "mail", actions: [reply], options: [.customDismissAction])
        try client.ask("setCategories", NotificationCategories(categories: [category]).json)
        try service.state("background")
        for identifier in ["a", "b"] {
            try add(client, identifier, NotificationContentInfo(title: identifier, category: "mail"))
            _ = try daemon.notified.next()
        }
        try daemon.reply(1, "Hello")
        try service.daemon.peer.answer(service.daemon.wake().id)
        let typed = try client.told(.didReceive)
        #expect(try NotificationDidReceive(json: typed.params).response?.action == "ä reply")
        #expect(try NotificationDidReceive(json: typed.params).response?.text == "Hello")
        try client.answer(typed.id)
        try daemon.close(2, reason: 2)
        try service.daemon.peer.answer(service.daemon.wake().id)
        let dismissed = try NotificationDidReceive(json: client.told(.didReceive).params)
        #expect(dismissed.response?.action == NotificationActionName.dismiss)
        #expect(try service.list().isEmpty)
    }

    @Test("One of the same name replaces it in its place; one that the app or a tool takes back leaves the screen")
    func replacing() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus, first: 7)
        let service = try TestService(on: bus)
        let client = try service.allowedClient()
        try client.add("a", title: "1")
        _ = try daemon.notified.next()
        try client.add("a", title: "2")
        let second = try daemon.notified.next()
        #expect(second.replaced == 7 && second.title == "2")
        try client.ask("removeDelivered", ["identifiers": ["a"]])
        #expect(try daemon.closed.next() == 7)
        try client.add("b")
        _ = try daemon.notified.next()
        let id = try #require(try service.list().first).id
        try service.tool().ask("dismiss", NotificationName(id: id).json)
        #expect(try daemon.closed.next() == 8)
    }

    @Test("Killed, the service finds what it has shown: it is replaced, withdrawn and acted on as if nothing had been")
    func killed() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        var client = try service.allowedClient()
        try service.state("suspended")
        for identifier in ["tapped", "replaced", "withdrawn"] {
            try client.add(identifier, title: identifier)
            _ = try daemon.notified.next()
        }
        try service.awaitOnScreen(3)
        try service.killAndRestart()
        let again = try (0..<3).map { _ in try daemon.notified.next() }
        #expect(again.map(\.replaced) == [1, 2, 3] && again.allSatisfy(\.isSilent))
        try daemon.act(1)
        let open = try service.daemon.wake()
        let launch = try NotificationInfo(json: JSONValue(parsing: open.params["payload"]?.string ?? ""))
        #expect(launch.request.identifier == "tapped")
        try service.daemon.peer.answer(open.id)
        client = try service.client()
        try add(client, "replaced", NotificationContentInfo(title: "later", sound: "default"))
        let replaced = try daemon.notified.next()
        #expect(replaced.replaced == 2 && replaced.title == "later" && !replaced.isSilent)
        try client.ask("removeDelivered", ["identifiers": ["withdrawn"]])
        // The one that was tapped has been closed as well.
        #expect(try [daemon.closed.next(), daemon.closed.next()] == [1, 3])
    }

    @Test("Killed with the notification daemon, it shows on the next one what was on the screen, without a sound")
    func bothKilled() throws {
        let bus = try TestBus()
        let first = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        let client = try service.allowedClient()
        try service.state("suspended")
        try add(client, "a", NotificationContentInfo(title: "Title", sound: "default"))
        #expect(try !first.notified.next().isSilent)
        try service.awaitOnScreen(1)
        first.die()
        try service.killAndRestart()
        let second = try FakeDaemon(bus, first: 40)
        let notify = try second.notified.next()
        #expect(notify.title == "Title" && notify.isSilent && notify.replaced == 0)
        try second.act(40)
        #expect(try service.daemon.wake().params["window"]?.string == "opened")
    }

    @Test("Pictures and sounds are those of the app's own folders, and no path or link leads out of them")
    func files() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        let base = service.base
        try FileSystem.makeDirectory(base + "/Library")
        try FileSystem.makeDirectory(base + "/Library/Sounds")
        for file in ["/art.png", "/picture.png", "/Library/Sounds/ding.wav"] {
            try FileSystem.replace(base + file, with: file.hasSuffix(".wav") ? Self.wave : [1])
        }
        try FileSystem.link(to: "/etc/hostname", at: base + "/link.png")
        let client = try service.client(icon: "art")
        try client.ask("authorize", NotificationAuthorize.everything.json)
        func shown(sound: String?, image: String) throws -> FakeDaemon.Notify {
            let attachments = [base + "/Library/Sounds/ding.wav", image].map {
                NotificationAttachmentInfo(identifier: $0, path: $0, type: "")
            }
            try add(client, "a", NotificationContentInfo(title: "T", sound: sound, attachments: attachments))
            return try daemon.notified.next()
        }
        let good = try shown(sound: "ding.wav", image: base + "/picture.png")
        #expect(good.icon == "file://\(base)/art.png")
        #expect(good.hints["image-path"] == .string("file://\(base)/picture.png"))
        #expect(good.hints["sound-file"] == .string("\(base)/Library/Sounds/ding.wav"))
        for image in ["/etc/hostname", "\(base)/../x.png", "\(base)/link.png", "picture.png"] {
            let bad = try shown(sound: "../art.png", image: image)
            #expect(bad.hints["image-path"] == nil && bad.hints["sound-file"] == nil, "\(image)")
            #expect(bad.hints["sound-name"] == .string("message-new-instant"))
        }
        let critical = NotificationSoundInfo(name: "ding.wav", criticalVolume: 0.5).text
        #expect(try shown(sound: critical, image: "").hints["sound-file"] == good.hints["sound-file"])
        // Another name may be one of the theme of sounds.
        #expect(try shown(sound: "bell", image: "").hints["sound-name"] == .string("bell"))
    }

    @Test(
        "Without a notification daemon it is listed and waits, through the service's death too; then it is shown and heard"
    )
    func waiting() throws {
        let bus = try TestBus()
        let service = try TestService(["--idle-exit", "0.1"], on: bus)
        let client = try service.allowedClient()
        try presenter(service) { $0.trouble?.contains("no notification daemon runs") ?? false }
        try add(client, "a", NotificationContentInfo(title: "Title", sound: "default"))
        #expect(try service.list().map(\.place) == [.delivered])
        client.close()
        // Nobody is attached and nothing is due, but somebody may yet see it.
        #expect(!service.process.waitUntilDead(milliseconds: 400))
        try service.killAndRestart()
        let daemon = try FakeDaemon(bus)
        let notify = try daemon.notified.next()
        #expect(notify.title == "Title" && !notify.isSilent)
        try presenter(service) { $0.name == "fake 1.0" }
        try daemon.close(1, reason: 2)
        // Dismissed: nothing is left to do.
        #expect(service.process.waitUntilDead(milliseconds: 20_000))
    }

    @Test("Without a bus it is the same, and the bus is waited for")
    func noBus() throws {
        let bus = try TestBus(isRunning: false)
        let service = try TestService(on: bus)
        let client = try service.allowedClient()
        try client.add("a", title: "Title")
        #expect(try service.status().presenter.trouble?.contains("there is no D-Bus session bus") ?? false)
        #expect(try service.list().map(\.place) == [.delivered])
        try bus.start()
        let daemon = try FakeDaemon(bus)
        #expect(try daemon.notified.next().title == "Title")
    }

    @Test("An app that floods has so many on the screen, costs bounded memory, and keeps no other app from being shown")
    func flood() throws {
        let bus = try TestBus()
        let daemon = try FakeDaemon(bus)
        let service = try TestService(on: bus)
        let (flooder, other) = (try service.allowedClient("org.example.flooder"), try service.allowedClient())
        let before = try service.anonymousBytes()
        for number in 0..<2000 {
            // As many as its socket has room for.
            if number >= 20 { _ = try flooder.answer(to: .int(Int64(number - 20 + 3))) }
            let content = NotificationContentInfo(title: "\(number)", body: String(repeating: "x", count: 4000))
            let request = NotificationRequestInfo(identifier: "\(number)", content: content)
            try flooder.begin("add", NotificationRequestParameters(request: request).json)
            if number == 1000 { try other.add("other", title: "Other") }
        }
        var titles: [String] = []
        while titles.last != "1999" { titles.append(try daemon.notified.next().title) }
        #expect(titles.contains("Other"))
        let apps = try service.status().apps
        #expect(apps.map(\.app) == [TestService.app, "org.example.flooder"] && apps.map(\.delivered) == [1, 128])
        #expect(try service.anonymousBytes() - before < 24 << 20)
    }

    @Test("A notification daemon that answers with rubbish costs its own notifications, and nothing else")
    func rubbish() throws {
        let bus = try TestBus()
        let peer = try BusPeer(bus)
        let asked = Mailbox<String>()
        let object = peer.on { connection in
            connection.export(
                FakeDaemon.path,
                [
                    DBusInterface(
                        FakeDaemon.name,
                        methods: [
                            .init("GetCapabilities", returns: ["capabilities": .array(.string)]) {
                                $0.answer([.strings(Array(repeating: "x", count: 20_000) + ["body"])])
                            },
                            .init(
                                "GetServerInformation",
                                returns: ["name": .string, "vendor": .string, "version": .string, "spec": .string]
                            ) {
                                let text = DBusValue.string(String(repeating: "\u{1b}n", count: 50_000))
                                $0.answer([text, text, text, text])
                            },
                            .init(
                                "Notify",
                                takes: [
                                    "app": .string, "replaces": .uint32, "icon": .string, "summary": .string,
                                    "body": .string, "actions": .array(.string),
                                    "hints": .dictionary(key: .string, value: .variant), "timeout": .int32,
                                ], returns: ["id": .string]
                            ) {
                                asked.post($0.arguments[3].string ?? "")
                                $0.answer([.string("seven")])
                            },
                        ])
                ])
        }
        let name = peer.on { $0.own(FakeDaemon.name) }
        let service = try TestService(on: bus)
        let client = try service.allowedClient()
        try client.add("a", title: "Title")
        #expect(try asked.next() == "Title")
        try service.logged("n1 is listed, and not shown")
        let status = try service.status().presenter
        #expect(status.name.map { $0.utf8.count < 300 && !$0.contains("\u{1b}") } ?? false, "\(status.json)")
        #expect(try service.list().count == 1 && !service.process.isDead)
        withExtendedLifetime((object, name)) {}
    }
}

/// The same with Dunst, which draws them.
@Suite(
    "What the service shows on Dunst",
    .enabled(if: TestBus.isThere, Comment(rawValue: TestBus.missing)),
    .enabled(if: Dunst.isThere, "NOT TESTED: needs dunst and Xvfb (Debian: dunst, xvfb)"))
struct DunstScreenTests {
    @Test("A tap there opens the app, also one on a notification that the service has shown before it was killed")
    func tapping() throws {
        let bus = try TestBus()
        let dunst = try Dunst(bus)
        let service = try TestService(on: bus)
        let client = try service.allowedClient()
        try service.state("suspended")
        try client.add("a", .interval(seconds: 0.2, repeats: false))
        try dunst.awaitDisplayed(1)
        try dunst.call("NotificationAction", [.uint32(0)])
        let open = try service.daemon.wake()
        #expect(open.params["window"]?.string == "opened")
        try service.daemon.peer.answer(open.id)
        try dunst.awaitDisplayed(0)
        try client.add("b", title: "Another")
        try service.awaitOnScreen(1)
        try service.killAndRestart()
        // It is asked for again when the service knows what the daemon can do.
        try service.list { _ in (try? service.status().presenter.name) != nil }
        try dunst.awaitDisplayed(1)
        try dunst.call("NotificationAction", [.uint32(0)])
        let second = try service.daemon.wake()
        let launch = try NotificationInfo(json: JSONValue(parsing: second.params["payload"]?.string ?? ""))
        #expect(launch.request.identifier == "b")
        try dunst.awaitDisplayed(0)
    }
}
