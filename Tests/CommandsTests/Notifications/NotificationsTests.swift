import Commands
import Foundation
import NotificationsWire
import Testing
import Wire

/// A system whose daemon names the notification service's socket, and that service.
private final class FakeService {
    let tool: Tool
    private let daemon: FakeDaemon
    let service: FakeDaemon

    /// - Parameter state: as the daemon's `services` has it.
    init(
        state: String = "running", _ answer: @escaping @Sendable (FakeDaemon.Request) -> FakeDaemon.Reply
    ) throws {
        tool = try Tool()
        let path = tool.home + "/notifications"
        daemon = try FakeDaemon(in: tool.home) { request in
            switch request.method {
            case "service": .result(["path": .string(path)])
            case "apps": .result(Sample.apps)
            case "why": .result(WhyAnswer(app: "vim", name: "Vim", state: "suspended", because: []).json)
            case "services":
                .result([
                    "services": [["service": "transfers"], ["service": "notifications", "state": .string(state)]]
                ])
            default: .failure(.methodNotFound(request.method))
            }
        }
        service = try FakeDaemon(in: tool.home, sockets: ["notifications"]) { request in
            request.method == "hello" ? .result(["protocol": 1]) : answer(request)
        }
    }

    /// What was asked beside `hello`.
    var asked: [FakeDaemon.Request] { service.requests.filter { $0.method != "hello" } }
}

private func entry(
    _ id: String, _ place: NotificationPlace, date: Double?, due: Double? = nil, title: String, body: String = "",
    app: String = "vim", thread: String = "", _ trigger: NotificationTriggerInfo? = nil
) -> NotificationEntry {
    let content = NotificationContentInfo(title: title, body: body, thread: thread)
    return NotificationEntry(
        id: id, app: app, place: place, date: date, due: due,
        request: NotificationRequestInfo(identifier: "i", content: content, trigger: trigger))
}

@Suite("notifications")
struct NotificationsTests {
    @Test("The list has what is pending and what is shown, with their local times, page after page")
    func list() throws {
        let region = NotificationRegion(identifier: "home", latitude: 1, longitude: 2, radius: 3)
        let first = [
            entry("vim/a", .pending, date: 1_795_255_449, title: "Soon", body: "It is\u{1B}time"),
            entry("vim/b", .pending, date: nil, title: "There", .region(region, repeats: false)),
        ]
        let second = [
            entry("n2", .delivered, date: 1_795_255_380, title: "New"),
            entry("n1", .delivered, date: 1_795_255_380, due: 1_795_240_000, title: "Old"),
        ]
        let fake = try FakeService { request in
            request.params["after"]?.string == "vim/b"
                ? .result(NotificationList(notifications: second).json)
                : .result(NotificationList(notifications: first, more: true).json)
        }
        let outcome = fake.tool.run("notifications")
        #expect(
            outcome.output == """
                ID     APP  STATE       WHEN      TEXT
                vim/a  vim  pending     12:04:09  Soon: It is^[time
                vim/b  vim  pending     at home   There
                n2     vim  shown       12:03:00  New
                n1     vim  shown late  07:46:40  Old

                """)
        #expect(outcome.code == 0)
        let json = fake.tool.run("notifications", "list", "vim", "--json")
        #expect(try JSONValue(parsing: json.output).array?.count == 4)
        #expect(fake.asked.last?.params["app"]?.string == "vim")
    }

    @Test("What is shown stands together by app and thread, the group with the newest one first")
    func threads() throws {
        let entries = [
            entry("vim/a", .pending, date: 1_795_255_449, title: "Soon", thread: "tom"),
            entry("n5", .delivered, date: 1_795_255_385, title: "Tom again", thread: "tom"),
            entry("n4", .delivered, date: 1_795_255_384, title: "Radio", app: "radio", thread: "tom"),
            entry("n3", .delivered, date: 1_795_255_383, title: "Ann", thread: "ann\u{1B}"),
            entry("n2", .delivered, date: 1_795_255_382, title: "Alone"),
            entry("n1", .delivered, date: 1_795_255_381, title: "Tom", thread: "tom"),
        ]
        let fake = try FakeService { _ in .result(NotificationList(notifications: entries).json) }
        #expect(
            fake.tool.run("notifications").output == """
                ID     APP    THREAD  STATE    WHEN      TEXT
                vim/a  vim    tom     pending  12:04:09  Soon
                n5     vim    tom     shown    12:03:05  Tom again
                n1     vim    tom     shown    12:03:01  Tom
                n4     radio  tom     shown    12:03:04  Radio
                n3     vim    ann^[   shown    12:03:03  Ann
                n2     vim            shown    12:03:02  Alone

                """)
        // Programs read them as the service has them.
        let json = try #require(try JSONValue(parsing: fake.tool.run("notifications", "--json").output).array)
        #expect(json.map { $0["id"]?.string } == entries.map(\.id))
        #expect(json.map { $0["thread"]?.string } == ["tom", "tom", "tom", "ann\u{1B}", "", "tom"])
    }

    @Test("Without any it says so")
    func none() throws {
        let fake = try FakeService { _ in .result(NotificationList().json) }
        #expect(fake.tool.run("notifications").output == "there are no notifications\n")
    }

    @Test("A notification is shown in an app's name, and its id is printed")
    func show() throws {
        let fake = try FakeService { _ in .result(NotificationName(id: "n7").json) }
        let outcome = fake.tool.run(
            "notifications", "show", "journal", "--title", "T", "--body", "B", "--sound", "default", "--after", "5",
            "--thread", "tom")
        #expect(outcome.output == "n7\n" && outcome.code == 0)
        let show = try NotificationShow(json: #require(fake.asked.last).params)
        #expect(show.request.content.thread == "tom")
        #expect(show.app == Sample.journal.app && show.request.content.body == "B")
        guard case .interval(5, false) = show.request.trigger else {
            Issue.record("\(String(describing: show.request.trigger))")
            return
        }
        #expect(fake.tool.run("notifications", "show", "journal").code == 2)
        #expect(fake.tool.run("notifications", "show", "journal", "--title", "T", "--after", "0").code == 2)
        #expect(fake.tool.run("notifications", "show", "nobody", "--title", "T").code == 1)
    }

    @Test("A tap, a dismissal and what the user allows go to the service")
    func orders() throws {
        let fake = try FakeService { _ in .result([:]) }
        fake.tool.run("notifications", "act", "n1", "--action", "reply", "--text", "yes")
        fake.tool.run("notifications", "dismiss", "n2")
        fake.tool.run("notifications", "allow", "vim")
        fake.tool.run("notifications", "deny", "radio")
        #expect(fake.asked.map(\.method) == ["act", "dismiss", "allow", "deny"])
        let act = try NotificationAct(json: fake.asked[0].params)
        #expect(act.id == "n1" && act.action == "reply" && act.text == "yes")
        #expect(fake.asked[1].params["id"]?.string == "n2" && fake.asked[2].params["app"]?.string == "vim")
        #expect(fake.asked[3].params["app"]?.string == Sample.radio.app)
        // Silent, unless a program wants to read it.
        #expect(fake.tool.run("notifications", "dismiss", "n2").output.isEmpty)
        for order in [["act", "n1"], ["dismiss", "n2"], ["allow", "vim"], ["deny", "vim"]] {
            #expect(fake.tool.run(["notifications"] + order + ["--json"]).output == "{}\n")
        }
    }

    @Test("That a region was crossed is said to the service, which says how many waited for it")
    func region() throws {
        let fake = try FakeService { _ in .result(NotificationCrossed(notifications: 2).json) }
        #expect(fake.tool.run("notifications", "region", "journal", "home").output == "2\n")
        let entered = try NotificationCrossing(json: #require(fake.asked.last).params)
        #expect(entered.app == Sample.journal.app && entered.region == "home" && entered.entered)
        let json = fake.tool.run("notifications", "region", "journal", "home", "--left", "--json")
        #expect(json.output == "{\"notifications\":2}\n")
        #expect(try !NotificationCrossing(json: #require(fake.asked.last).params).entered)
    }

    @Test("What the service refuses is said, with its sentence")
    func refused() throws {
        let fake = try FakeService { _ in .failure(RPCError(.unknown, "there is no such notification")) }
        let outcome = fake.tool.run("notifications", "dismiss", "n2")
        #expect(outcome.code == 1 && outcome.errors == "greenroom: there is no such notification\n")
    }

    @Test("What can be repeated is, when the service ends before it answers; a tap is not")
    func crash() throws {
        let counter = Counter()
        let fake = try FakeService { _ in counter.next() < 2 ? .crash : .result(NotificationList().json) }
        #expect(fake.tool.run("notifications").code == 0)
        let other = try FakeService { _ in .crash }
        let outcome = other.tool.run("notifications", "act", "n1")
        #expect(outcome.code == 1 && outcome.errors.contains("may have done what was asked"))
        #expect(other.asked.count == 1)
    }

    @Test("The doctor says what shows notifications, or what comes of it that nothing does")
    func doctor() throws {
        func finding(_ presenter: NotificationPresenterStatus) throws -> DoctorFinding {
            let status = NotificationStatus(presenter: presenter, link: NotificationLinkStatus(state: .off))
            let fake = try FakeService { _ in .result(status.json) }
            let findings = try DoctorFinding.list(json: JSONValue(parsing: fake.tool.run("doctor", "--json").output))
            return try #require(findings.first { $0.mechanism == "notifications on screen" })
        }
        let shown = try finding(NotificationPresenterStatus(name: "dunst 1.9"))
        #expect(shown.status == .ok && shown.detail == "shown by dunst 1.9")
        let kept = try finding(NotificationPresenterStatus(name: nil, trouble: "no notification daemon runs"))
        #expect(kept.status == .replaced && kept.detail == "no notification daemon runs")
        #expect(kept.instead?.contains("greenroom notifications") ?? false && kept.cost != nil)
    }

    @Test("Without a system the tool says how to start one")
    func withoutSystem() throws {
        let outcome = try Tool().run("notifications")
        #expect(outcome.code == 3 && outcome.errors.contains("greenroom up"))
    }
}

@Suite("push")
struct PushTests {
    private static let payload = #"{"aps":{"alert":"Hello"},"Simulator Target Bundle":"vim","x":[1,2]}"#

    @Test("A payload is what simctl takes: the app's name is taken out, and what is silent is known")
    func payload() throws {
        let payload = try PushFile(Array(Self.payload.utf8))
        #expect(payload.target == "vim" && payload.text == #"{"aps":{"alert":"Hello"},"x":[1,2]}"#)
        #expect(payload.remarks.isEmpty)
        #expect(try PushFile(Array(#"{"aps":{"content-available":1}}"#.utf8)).target == nil)
    }

    @Test("What editors write in front of a payload, and UTF-16, are read")
    func encodings() throws {
        let payload = try PushFile(Array(Self.payload.utf8))
        let marked: [UInt8] = [0xEF, 0xBB, 0xBF] + Array(Self.payload.utf8)
        let units = Array(Self.payload.utf16)
        let little: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        let big: [UInt8] = [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] as [UInt8] }
        for bytes in [marked, little, big] { #expect(try PushFile(bytes) == payload) }
    }

    @Test("What is odd in a payload is said, and what is sent is as it was written")
    func odd() throws {
        let text = #"{"aps":{"alert":"Milk","badge":"1","thread-id":42},"Simulator Target Bundle":3}"#
        let payload = try PushFile(Array(text.utf8))
        #expect(payload.text == #"{"aps":{"alert":"Milk","badge":"1","thread-id":42}}"# && payload.target == nil)
        #expect(payload.remarks.count == 3)
        #expect(throws: Never.self) { try PushFile(Array(#"{"mdm":"a"}"#.utf8), type: "mdm") }
    }

    @Test(
        "Anything else is refused with a reason",
        arguments: [
            ("", "JSON"), ("[]", "dictionary"), ("{}", "aps"), (#"{"aps":1}"#, "aps"),
            (#"{"aps":{"alert":[1]}}"#, "aps.alert"), (#"{"Simulator Target Bundle":"vim"}"#, "aps"),
        ])
    func refused(_ text: String, _ reason: String) {
        #expect {
            try PushFile(Array(text.utf8))
        } throws: { error in
            guard case .failed(let message)? = error as? CommandFailure else { return false }
            return message.contains(reason)
        }
    }

    @Test("A payload has 4096 bytes, that of a call 5120")
    func tooLong() throws {
        func bytes(_ count: Int) -> [UInt8] {
            let empty = #"{"aps":{"alert":""}}"#
            return Array(
                empty.replacing("\"\"", with: "\"\(String(repeating: "a", count: count - empty.count))\"").utf8)
        }
        #expect(throws: Never.self) { try PushFile(bytes(4096)) }
        #expect(throws: CommandFailure.self) { try PushFile(bytes(4097)) }
        #expect(throws: Never.self) { try PushFile(bytes(5120), type: "voip") }
        #expect(throws: CommandFailure.self) { try PushFile(bytes(5121), type: "voip") }
    }

    @Test("A file is sent to the app that is named, or that it names; - is standard input")
    func send() throws {
        let fake = try FakeService { _ in .result(["id": "U", "sentence": "it is shown"]) }
        try fake.tool.write(Self.payload, to: "p.apns")
        let file = fake.tool.home + "/p.apns"
        let outcome = fake.tool.run("push", "journal", file, "--priority", "5", "--collapse-id", "c")
        #expect(outcome.output == "U: it is shown\n" && outcome.code == 0)
        let push = try NotificationToolPush(json: #require(fake.asked.last).params)
        #expect(push.app == Sample.journal.app && push.priority == 5 && push.collapse == "c" && push.type == nil)
        #expect(push.payload == #"{"aps":{"alert":"Hello"},"x":[1,2]}"#)
        #expect(fake.tool.run("push", file, "--json").output == "{\"id\":\"U\",\"sentence\":\"it is shown\"}\n")
        #expect(fake.asked.last?.params["app"]?.string == "vim")
        let pipe = Pipe()
        pipe.fileHandleForWriting.write(Data(Self.payload.utf8))
        try pipe.fileHandleForWriting.close()
        fake.tool.input = pipe.fileHandleForReading.fileDescriptor
        #expect(fake.tool.run("push", "radio", "-").code == 0)
        #expect(fake.asked.last?.params["app"]?.string == Sample.radio.app)
    }

    @Test("A push that the device drops is a failure, and what is odd in it is said")
    func dropped() throws {
        let fake = try FakeService { _ in
            .result(["id": "U", "sentence": "it came after its expiration", "dropped": true])
        }
        try fake.tool.write(#"{"aps":{"alert":"x","badge":"many"}}"#, to: "odd.apns")
        let outcome = fake.tool.run("push", "journal", fake.tool.home + "/odd.apns")
        #expect(outcome.code == 1 && outcome.output.isEmpty)
        #expect(outcome.errors.contains("U: it came after its expiration") && outcome.errors.contains("aps.badge"))
    }

    @Test("What cannot be sent is not")
    func misuse() throws {
        let fake = try FakeService { _ in .result(["id": "U"]) }
        try fake.tool.write(#"{"aps":{"alert":"x"}}"#, to: "nameless.apns")
        #expect(fake.tool.run("push").code == 2)
        #expect(fake.tool.run("push", "a", "b", "c").code == 2)
        #expect(fake.tool.run("push", "vim", "/nonexistent").code == 1)
        #expect(fake.tool.run("push", fake.tool.home + "/nameless.apns").code == 2)
        #expect(fake.tool.run("push", "vim", fake.tool.home + "/nameless.apns", "--priority", "7").code == 2)
        #expect(fake.asked.isEmpty)
    }

    private static func status(_ link: NotificationLinkStatus, presenter: String? = nil) -> NotificationStatus {
        let silent = NotificationSilentStatus(left: 3, capacity: 3, sentence: "2 silent pushes came")
        return NotificationStatus(
            presenter: NotificationPresenterStatus(name: presenter, trouble: presenter == nil ? "No bus." : nil),
            link: link,
            apps: [NotificationAppStatus(app: "vim", authorization: .authorized, badge: 1, silent: silent)])
    }

    @Test("The status says in sentences how the link is and what each app's pushes wait for")
    func status() throws {
        let open = Self.status(
            NotificationLinkStatus(
                state: .connected, gateway: "greenroom-push://g:1", server: "g1", since: 1_795_255_300,
                keepAlive: 264, lastKeepAlive: 1_795_255_300, nextKeepAlive: 1_795_255_564), presenter: "dunst 1.9")
        let fake = try FakeService { _ in .result(open.json) }
        let text = fake.tool.run("push", "status").output
        #expect(
            text.hasPrefix(
                """
                gateway: greenroom-push://g:1, connected to g1, since 12:01:40
                keep-alive: every 4 min 24 s, answered at 12:01:40, next at 12:06:04
                notifications are shown by dunst 1.9

                """), "\(text)")
        #expect(text.contains("vim  yes          1        0      0  2 silent pushes came"))
        let waiting = Self.status(
            NotificationLinkStatus(state: .waiting, gateway: "g", next: 1_795_255_400, trouble: "TLS failed"))
        let other = try FakeService { _ in .result(waiting.json) }
        let lines = other.tool.run("push", "status").output.split(separator: "\n")
        #expect(lines.contains("gateway: g, not connected, next attempt at 12:03:20"))
        #expect(lines.contains("the last connection ended: TLS failed") && lines.contains("No bus."))
        let off = try FakeService { _ in .result(Self.status(NotificationLinkStatus(state: .off)).json) }
        #expect(off.tool.run("push", "status").output.hasPrefix("gateway: none is set"))
    }

    @Test("Where the gateway is can be said, set and taken back")
    func gateway() throws {
        let fake = try FakeService { request in
            request.method == "status"
                ? .result(Self.status(NotificationLinkStatus(state: .off, gateway: "g:1")).json) : .result([:])
        }
        #expect(fake.tool.run("push", "gateway").output == "g:1\n")
        #expect(fake.tool.run("push", "gateway", "--json").output == "{\"url\":\"g:1\"}\n")
        #expect(fake.tool.run("push", "gateway", "h:2", "--json").output == "{}\n")
        fake.tool.run("push", "gateway", "h:2", "--ca", "ca.pem")
        #expect(fake.asked.last?.params["url"]?.string == "h:2")
        #expect(fake.asked.last?.params["ca"]?.string?.hasSuffix("/ca.pem") ?? false)
        fake.tool.run("push", "gateway", "--none")
        #expect(fake.asked.last?.method == "gateway" && fake.asked.last?.params["url"] == nil)
        #expect(fake.tool.run("push", "gateway", "--none", "h").code == 2)
        #expect(fake.tool.run("push", "gateway", "--ca", "f").code == 2)
    }

    @Test("Why a push waits is one sentence")
    func why() throws {
        let fake = try FakeService { _ in .result(NotificationExplanation(sentence: "3 came").json) }
        #expect(fake.tool.run("push", "why", "journal").output == "3 came\n")
        #expect(fake.tool.run("push", "why", "journal", "--json").output == "{\"sentence\":\"3 came\"}\n")
    }

    @Test("Why an app is as it is, is said with what its silent pushes wait for, if any came")
    func whyOfApp() throws {
        @Sendable func status(came: Int64, waitingSince: Double? = nil) -> FakeDaemon.Reply {
            let silent = NotificationSilentStatus(
                came: came, left: 0, capacity: 3, waitingSince: waitingSince,
                sentence: "4 silent pushes came; one waits")
            return .result(
                NotificationStatus(
                    presenter: NotificationPresenterStatus(name: nil), link: NotificationLinkStatus(state: .off),
                    apps: [NotificationAppStatus(app: "vim", authorization: .denied, silent: silent)]
                ).json)
        }
        let fake = try FakeService { _ in status(came: 0, waitingSince: 1) }
        let text = fake.tool.run("why", "vim").output
        #expect(text.hasPrefix("Vim is suspended.") && text.hasSuffix("\nPushes: 4 silent pushes came; one waits.\n"))
        let json = try JSONValue(parsing: fake.tool.run("why", "vim", "--json").output)
        #expect(json["pushes"]?.string == "4 silent pushes came; one waits" && json["state"]?.string == "suspended")
        // One to which none came says nothing of them, and a service that does not run is not started for this.
        let none = try FakeService { _ in status(came: 0) }
        #expect(!none.tool.run("why", "vim").output.contains("Pushes"))
        #expect(try JSONValue(parsing: none.tool.run("why", "vim", "--json").output)["pushes"] == nil)
        let idle = try FakeService(state: "idle") { _ in status(came: 4) }
        #expect(!idle.tool.run("why", "vim").output.contains("Pushes") && idle.service.requests.isEmpty)
    }

    @Test("The gateway is a program of its own; where it is missing the tool says so")
    func pushgate() throws {
        let outcome = try Tool().run("pushgate", "--help")
        #expect(outcome.code == 1 && outcome.errors.contains("greenroom-pushgate"))
    }
}
