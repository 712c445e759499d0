import Foundation
import LinuxSystem
import NotificationsService
import NotificationsWire
import ServiceTesting
import Testing
import Wire

@Suite("The notification service")
struct ServiceTests {
    private static let soon = NotificationTriggerInfo.interval(seconds: 0.3, repeats: false)
    private static let later = NotificationTriggerInfo.interval(seconds: 3600, repeats: false)

    @Test("It says hello without a hold, and is told of the apps by the daemon alone")
    func hello() throws {
        let service = try TestService()
        #expect(service.daemon.hello == ["protocol": 1, "service": "notifications", "holds": []])
        let client = try service.client()
        let greeting = try NotificationSettingsInfo(json: client.ask("settings"))
        #expect(greeting.authorization == .notDetermined)
    }

    @Test("A request is pending, then shown, in the app's time; another of its name replaces it")
    func shown() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        try client.add("a", title: "first", Self.later)
        try client.add("a", title: "second", Self.soon)
        try client.add("b", Self.later)
        let pending = try NotificationPendingPage(json: client.ask("pending")).requests
        #expect(pending.map(\.identifier) == ["a", "b"])
        let list = try service.list { $0.contains { $0.place == .delivered } }
        #expect(list.map(\.request.content.title) == ["Title", "second"])
        #expect(list.map(\.place) == [.pending, .delivered])
        let delivered = try NotificationDeliveredPage(json: client.ask("delivered")).notifications
        #expect(delivered.map(\.request.identifier) == ["a"])
        try client.ask("removeDelivered", ["identifiers": ["a"]])
        try client.ask("removePending")
        #expect(try service.list().isEmpty)
    }

    @Test("What fell due while the service was dead is shown once, when it is there again")
    func overdue() throws {
        let service = try TestService()
        try service.allowedClient().add("a", Self.soon)
        let due = Clock.monotonic() + 400_000_000
        try service.killAndRestart {
            // The time passes by itself: nothing can be waited for.
            let epoll = try Epoll()
            var ready: [Epoll.Ready] = []
            while Clock.monotonic() < due { try epoll.wait(milliseconds: 50, &ready) }
        }
        _ = try service.list { $0.map(\.place) == [.delivered] }
        try service.killAndRestart()
        #expect(try service.list().count == 1)
    }

    @Test("An app on screen decides what is shown of its notification; without an answer nothing is")
    func onScreen() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        try service.state("active")
        try client.add("shown")
        let first = try client.told(.willPresent)
        #expect(try NotificationWillPresent(json: first.params).notification.request.identifier == "shown")
        #expect(try service.list().isEmpty)
        try client.answer(first.id, NotificationPresentationAnswer(options: [.banner, .list]).json)
        _ = try service.list { $0.count == 1 }
        try client.add("declined")
        try client.answer(client.told(.willPresent).id, NotificationPresentationAnswer(options: []).json)
        // An app that says no in other words.
        try client.add("failed")
        let last = try client.told(.willPresent)
        try client.send(.failure(id: last.id, RPCError(.internalError, "no")))
        try client.ask("settings")
        #expect(try service.list().map(\.request.identifier) == ["shown"])
    }

    @Test("A tap brings the app to the screen, and it is told once, whoever of the two dies meanwhile")
    func tap() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        try service.state("suspended")
        try client.add("a")
        let id = try #require(try service.list().first).id
        try service.tool().ask("act", NotificationAct(id: id).json)
        let open = try service.daemon.wake()
        #expect(open.params["window"]?.string == "opened")
        let launch = try #require(open.params["payload"]?.string)
        #expect(try NotificationInfo(json: JSONValue(parsing: launch)).request.identifier == "a")
        // The daemon dies before it answers: the app is opened by the next one.
        try service.loseDaemon()
        let again = try service.daemon.wake()
        #expect(again.params == open.params)
        try service.daemon.peer.answer(again.id)
        try service.state("active")
        let told = try client.told(.didReceive)
        let response = try NotificationDidReceive(json: told.params)
        #expect(response.response?.action == NotificationActionName.open)
        // The service dies before it hears the answer: the same number comes again, and only then it is over.
        try service.killAndRestart()
        let second = try service.client()
        let repeated = try second.told(.didReceive)
        #expect(repeated.params["seq"] == told.params["seq"])
        try second.answer(repeated.id)
        try second.ask("settings")
        try service.killAndRestart()
        let third = try service.client()
        #expect(throws: TestPeer.Silence.self) { try third.told(.didReceive, within: 0.2) }
        #expect(try service.list().isEmpty)
    }

    @Test("What an app is asked has its own number on each connection, and an answer counts that comes on the next one")
    func lateAnswer() throws {
        let service = try TestService()
        var client = try service.allowedClient()
        try service.state("active")
        for name in ["a", "b"] {
            try client.add(name)
            let told = try client.told(.willPresent)
            #expect(told.id == .int(Int64(try told.params.integer("seq"))))
            if name == "a" { try client.answer(told.id, ["options": []]) }
        }
        try service.killAndRestart()
        // The app's delegate has not said yet how to show it.
        client = try service.client(running: [2])
        #expect(throws: TestPeer.Silence.self) { try client.told(.willPresent, within: 0.2) }
        try client.answer(.int(2), ["options": ["list"]])
        _ = try service.list { $0.count == 1 }
        try client.add("c")
        let third = try client.told(.willPresent)
        #expect(third.id == .int(3) && third.params["seq"] == .int(3))
    }

    @Test("A wake that the daemon never answered does not keep the service from living on")
    func lostWake() throws {
        let service = try TestService()
        _ = try service.allowedClient()
        try service.state("suspended")
        let push = NotificationToolPush(app: TestService.app, payload: #"{"aps":{"content-available":1}}"#)
        try service.tool().ask("push", push.json)
        let wake = try service.daemon.wake()
        try service.loseDaemon()
        #expect(try service.daemon.wake().params == wake.params)
        #expect(!service.process.isDead)
    }

    @Test("A background action wakes the app, which is told by its connection")
    func action() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        let mark = NotificationActionInfo(identifier: "mark", title: "Mark", options: [])
        let category = NotificationCategoryInfo(identifier: "mail", actions: [mark])
        try client.ask("setCategories", NotificationCategories(categories: [category]).json)
        try service.state("suspended")
        try client.add("a", category: "mail")
        let entry = try #require(try service.list().first)
        #expect(entry.actions.map(\.identifier) == ["mark"])
        try service.tool().ask("act", NotificationAct(id: entry.id, action: "mark").json)
        let wake = try service.daemon.wake()
        #expect(wake.params["window"]?.string == "response")
        let payload = try NotificationDidReceive(json: JSONValue(parsing: wake.params["payload"]?.string ?? ""))
        #expect(payload.response?.action == "mark")
        try service.daemon.peer.answer(wake.id)
        try service.state("background", awaitsCall: true)
        #expect(throws: TestPeer.Silence.self) { try client.told(.didReceive, within: 0.1) }
        try service.state("background")
        #expect(try NotificationDidReceive(json: client.told(.didReceive).params).seq == payload.seq)
    }

    @Test("An app has so many connections, and leaves places for others when it hoards them")
    func hoard() throws {
        let service = try TestService()
        var kept: [Descriptor] = []
        #expect(throws: RPCError.self) {
            for _ in 0..<100 { kept.append(try service.daemon.attach("org.example.hoarder", service.base)) }
        }
        #expect(kept.count == 8)
        _ = try service.client()
        _ = try service.tool()
    }

    /// Where a group can be made.
    private static let groups = CgroupRoot.detect(isRoot: CurrentProcess.isRoot)

    @Test(
        "An app of the same user is no tool: it is not heard on the tools' socket",
        .enabled(if: groups != nil, "NOT TESTED: needs a cgroup that can be written"))
    func appAsTool() throws {
        let service = try TestService()
        let home = try #require(Self.groups) + "/greenroom-test-\(CurrentProcess.pid)"
        let group = home + "/app-org.example.app"
        try FileSystem.makeDirectory(home)
        try FileSystem.makeDirectory(group)
        defer { for folder in [group, home] { try? Cgroup.remove(at: folder) } }
        let program = """
            import socket, sys
            peer = socket.socket(socket.AF_UNIX)
            peer.connect(sys.argv[1])
            try: peer.sendall(b'{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":1,"role":"tool"}}\\n')
            except ConnectionError: pass
            try: sys.exit(0 if peer.recv(100) == b"" else 3)
            except ConnectionError: sys.exit(0)
            """
        func status(in group: String?) throws -> ProcessStatus? {
            let arguments = ["python3", "-c", program, "\(service.folder)/control"]
            var spawn = Spawn(path: "/usr/bin/python3", arguments: arguments, environment: [])
            spawn.cgroup = try group.map { try Descriptor.open($0, .directory) }
            let process = try spawn.start()
            #expect(process.waitUntilDead(milliseconds: 20_000))
            return process.reap()
        }
        #expect(try status(in: group) == .exited(0))
        #expect(try status(in: nil) == .exited(3))
    }

    @Test("Requests without an answer are bounded")
    func unanswered() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        // There is a gateway, and nobody answers there: a token is not to be had.
        try service.tool().ask("gateway", ["url": "localhost:1"])
        for _ in 0..<64 { try client.begin("register") }
        #expect { try client.ask("settings") } throws: { ($0 as? RPCError)?.code == .tooMuch }
    }

    @Test("A region that the location service says was crossed shows what waited for it")
    func region() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        let home = NotificationRegion(
            identifier: "home", latitude: 52.5, longitude: 13.4, radius: 100, onEntry: true, onExit: false)
        try client.add("once", .region(home, repeats: false))
        try client.add("always", .region(home, repeats: true))
        let tool = try service.tool()
        func cross(_ region: String = "home", of app: String = TestService.app, entered: Bool) throws -> Int64 {
            let crossing = NotificationCrossing(app: app, region: region, entered: entered)
            return try NotificationCrossed(json: tool.ask("region", crossing.json)).notifications
        }
        // Where it is, is among what waits: the service that knows where the device is asks for it.
        let trigger = try #require(try service.list().first).request.trigger
        guard case .region(home, _) = trigger else { return #expect(trigger == nil) }
        #expect(try cross(entered: false) == 0)
        #expect(try cross("home ", entered: true) == 0)
        #expect(try service.list().allSatisfy { $0.place == .pending })
        #expect(try cross(entered: true) == 2)
        #expect(try service.list().map(\.place) == [.pending, .delivered, .delivered])
        #expect(try cross(entered: true) == 1)
        #expect(throws: RPCError.self) { try cross(of: "org.unknown", entered: true) }
        #expect(throws: RPCError.self) { try tool.ask("region", ["app": .string(TestService.app), "region": "home"]) }
    }

    @Test("A date that has just passed is shown at once; one that is over is an error that the app knows")
    func past() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        func date(_ seconds: Double) -> NotificationTriggerInfo {
            let date = Calendar(identifier: .gregorian).dateComponents(
                in: TimeZone.gmt, from: Date(timeIntervalSinceNow: seconds))
            func number(_ value: Int?) -> Int64? { value.map(Int64.init) }
            return .calendar(
                NotificationComponents(
                    year: number(date.year), month: number(date.month), day: number(date.day), hour: number(date.hour),
                    minute: number(date.minute), second: number(date.second), timeZone: "GMT"), repeats: false)
        }
        // Of this very second: it began before it was asked for.
        try client.add("now", date(0))
        #expect(try service.list().map(\.place) == [.delivered])
        #expect { try client.add("over", date(-60)) } throws: {
            ($0 as? RPCError)?.notificationCode == .notificationInvalidNoDate
        }
    }

    @Test("A week begins with the day that the app's calendar says")
    func weeks() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        func firstDay(_ first: Int64?) throws -> Int {
            let week = NotificationComponents(weekOfYear: 20, firstWeekday: first)
            try client.add("a", .calendar(week, repeats: true))
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let due = try #require(try service.list().first?.date)
            return calendar.component(.weekday, from: Date(timeIntervalSince1970: due))
        }
        #expect(try firstDay(nil) == 1)
        #expect(try firstDay(3) == 3)
        let kept = try NotificationPendingPage(json: client.ask("pending")).requests.first?.trigger
        guard case .calendar(let components, _) = kept else { return #expect(kept == nil) }
        #expect(components.firstWeekday == 3 && components.minimumDaysInFirstWeek == 1)
    }

    @Test("What is removed with its app is gone for good")
    func forgotten() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        try client.add("a", Self.later)
        try client.add("b")
        try service.daemon.peer.send(.notification(method: "forget", params: ["app": .string(TestService.app)]))
        try service.daemon.peer.ask("stop", ["app": .string(TestService.app)])
        #expect(throws: (any Error).self) { try client.ask("pending") }
        #expect(try service.list().isEmpty && service.status().apps.isEmpty)
        try service.killAndRestart()
        #expect(try service.list().isEmpty && service.status().apps.isEmpty)
    }

    @Test("It ends by itself when nobody needs it, and stays while something is pending")
    func idle() throws {
        let service = try TestService(["--idle-exit", "0.1"])
        #expect(service.process.waitUntilDead(milliseconds: 20_000))
        for name in ["control", "pid", "unfinished"] { #expect(!FileSystem.exists("\(service.folder)/\(name)")) }
        let other = try TestService(["--idle-exit", "0.1"])
        let client = try other.allowedClient()
        try client.add("a", Self.later)
        client.close()
        #expect(!other.process.waitUntilDead(milliseconds: 500))
        // What keeps it is still to be done after the device was off.
        try other.process.send(15)
        #expect(other.process.waitUntilDead(milliseconds: 20_000))
        #expect(FileSystem.exists("\(other.folder)/unfinished"))
    }

    @Test("A zone that the user changes moves what follows the wall clock")
    func zone() throws {
        let service = try TestService()
        let client = try service.allowedClient()
        try client.add("a", .calendar(NotificationComponents(hour: 8), repeats: true))
        let before = try #require(try service.list().first?.date)
        try FileSystem.link(to: "/usr/share/zoneinfo/Asia/Tokyo", at: service.base + "/etc/localtime")
        let list = try service.list { $0.first?.date != before }
        let hour = try #require(list.first?.date).truncatingRemainder(dividingBy: 86_400) / 3600
        // Eight in Tokyo is eleven at night before in Greenwich.
        #expect(hour == 23 && before.truncatingRemainder(dividingBy: 86_400) / 3600 == 8)
    }

    @Test(
        "Tools are told what is wrong with what they ask",
        arguments: [
            ("act", ["id": "x"]), ("act", ["id": "n99"]), ("allow", ["app": "../x"]), ("allow", ["app": "org.unknown"]),
            ("push", ["app": "org.example.app", "payload": "[]"]),
            ("push", ["app": "org.unknown", "payload": "{\"aps\":{}}"]),
            ("gateway", ["url": "https://example.com"]), ("gateway", ["url": "localhost", "ca": "/nonexistent"]),
            ("gateway", ["url": "localhost", "ca": "/etc/hostname"]), ("hello", ["protocol": 1]), ("nonsense", [:]),
        ] as [(String, JSONValue)])
    func refusals(_ method: String, _ params: JSONValue) throws {
        let service = try TestService()
        let tool = try service.tool()
        #expect(throws: RPCError.self) { try tool.ask(method, params) }
        #expect(throws: Never.self) { try tool.ask("status") }
    }

    @Test("It refuses arguments that it does not know, and to run without a daemon")
    func arguments() throws {
        let program = Place.products + "/greenroom-pushd"
        #expect { try Command.run(program, ["--nonsense"]) } throws: { error in
            (error as? Command.Failed)?.status == .exited(2)
        }
        #expect { try Command.run(program, []) } throws: { ($0 as? Command.Failed)?.status == .exited(2) }
    }
}
