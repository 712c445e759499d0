import Foundation
import LinuxSystem
import NotificationsWire
import ServiceTesting
import Testing
import Wire

private enum Python {
    static let path = "/usr/bin/python3"
    static let isThere = FileSystem.exists(path)
}

/// Notification service extensions: programs of apps that change pushes before they are shown.
@Suite("A program of an app that changes pushes", .enabled(if: Python.isThere, "NOT TESTED: needs python3"))
struct HelperTests {
    private static let name = "extension"

    /// What the program does, by the title of the push.
    private static let program = """
        #!\(Python.path)
        import json, mmap, os, signal, sys, threading, time
        def say(id, content):
            print(json.dumps({"jsonrpc": "2.0", "id": id, "result": {"content": content}}), flush=True)
        held = []
        for line in sys.stdin:
            message = json.loads(line)
            if message["method"] == "expires":
                for id, content in held: say(id, content)
                held = []
                continue
            id, content = message["id"], message["params"]["request"]["content"]
            what = content["title"]
            content["title"] = what + "!"
            if what == "change": say(id, content)
            elif what == "best": held.append((id, content))
            elif what == "pid":
                content["body"] = "%d %d" % (os.getpid(), os.getsid(0))
                say(id, content)
            elif what == "confined":
                found = []
                for attempt in ["os.fork()", "open('\(Place.servers)/planted', 'w')", "bytearray(1 << 29)",
                    "open('/etc/shadow', 'a')", "os.setuid(1)", "os.memfd_create('x')", "mmap.mmap(-1, 4096)",
                    "open('/dev/shm/x', 'wb', 0).write(bytes(1 << 25)) < 1 << 25 and 1 / 0"]:
                    try:
                        exec(attempt)
                        found.append(attempt)
                    except (OSError, MemoryError, ZeroDivisionError): pass
                thread = threading.Thread(target=lambda: found.append("thread"))
                thread.start(); thread.join()
                open("in-container", "w").write("mine")
                mmap.mmap(os.open("in-container", os.O_RDWR), 4).close()
                content["body"] = " ".join(found)
                say(id, content)
            elif what == "hang":
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
                while True: time.sleep(1000)
            elif what == "crash": os.abort()
            elif what == "exit": os._exit(3)
            elif what == "error":
                print(json.dumps({"jsonrpc": "2.0", "id": id, "error": {"code": -1, "message": "no"}}), flush=True)
            elif what == "other id": say(id + 1, content)
            elif what == "twice": say(id, content); say(id, content)
            elif what == "garbage": print("garbage", flush=True)
            elif what == "request":
                print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "hello", "params": {}}), flush=True)
            elif what == "wrong": say(id, {"title": 7})
            elif what == "empty": say(id, {"title": ""})
            elif what == "too long": say(id, {"title": "x" * 20000})
            elif what == "flood":
                while True: os.write(1, b"x" * 65536)
            elif what == "lines":
                while True: os.write(1, b"{}\\n" * 20000)
            elif what == "deaf":
                while True: os.write(2, b"x" * 65536)
        """

    private func service(
        time: Double = 20, program: String? = HelperTests.program
    ) throws -> (service: TestService, client: TestPeer) {
        let service = try TestService(["--idle-exit", "600", "--extension-time", "\(time)"])
        if let program {
            try FileSystem.replace("\(service.base)/\(Self.name)", with: Array(program.utf8), mode: 0o755)
        }
        return (service, try service.allowedClient(helper: Self.name))
    }

    private func push(_ service: TestService, _ title: String, app: String = TestService.app) throws {
        let payload = #"{"aps":{"alert":{"title":"\#(title)","body":"b"},"mutable-content":1}}"#
        try service.tool().ask("push", NotificationToolPush(app: app, payload: payload).json)
    }

    /// What is shown of it.
    private func shown(_ service: TestService, within seconds: Double = 20) throws -> NotificationContentInfo {
        let list = try service.list(within: seconds) { !$0.isEmpty }
        let entry = try #require(list.first)
        try service.tool().ask("dismiss", NotificationName(id: entry.id).json)
        return entry.request.content
    }

    @Test("What it answers is shown, with everything that it left as it was")
    func change() throws {
        let (service, client) = try service()
        try push(service, "change")
        let content = try shown(service)
        #expect(content.title == "change!" && content.body == "b")
        #expect(content.userInfo?.contains("mutable-content") ?? false)
        // An app without one, and a push that does not ask for it, are shown as they are.
        _ = try service.allowedClient("org.example.other")
        try push(service, "change", app: "org.example.other")
        #expect(try shown(service).title == "change")
        let plain = NotificationToolPush(app: TestService.app, payload: #"{"aps":{"alert":"change"}}"#)
        try service.tool().ask("push", plain.json)
        #expect(try shown(service).body == "change")
        _ = client
    }

    @Test("A program in Swift, written as for Apple's systems, does too")
    func swift() throws {
        let service = try TestService()
        let program = try #require(FileSystem.read(Place.products + "/Headline"))
        try FileSystem.replace("\(service.base)/\(Self.name)", with: program, mode: 0o755)
        let client = try service.allowedClient(helper: Self.name)
        let payload = #"{"aps":{"alert":{"title":"flood","body":"b"},"mutable-content":1},"headline":"Rain"}"#
        try service.tool().ask("push", NotificationToolPush(app: TestService.app, payload: payload).json)
        let content = try shown(service)
        #expect(content.title == "FLOOD" && content.body == "Rain")
        #expect(content.attachments.map(\.path) == ["\(service.base)/picture.png"])
        _ = client
    }

    @Test("Where its time is almost over it is told, and gives the best that it has")
    func best() throws {
        let (service, client) = try service(time: 1)
        try push(service, "best")
        #expect(try service.list().isEmpty)
        #expect(try shown(service).title == "best!")
        _ = client
    }

    @Test(
        "One that hangs is killed when its time is over, the original is shown, and the next push finds another process"
    )
    func hang() throws {
        let (service, client) = try service(time: 1)
        try push(service, "hang")
        #expect(try shown(service).title == "hang")
        try service.logged("took too long")
        try push(service, "change")
        #expect(try shown(service).title == "change!")
        _ = client
    }

    @Test(
        "One that ends, errs, lies or floods shows the original, and the log says why",
        arguments: [
            ("crash", "was ended by signal 6"), ("exit", "ended with status 3"), ("error", "has no answer: no"),
            ("other id", "no answer"), ("garbage", "no answer"), ("request", "no answer"), ("wrong", "no answer"),
            ("too long", nil), ("empty", nil), ("flood", "said more than"), ("lines", "no answer"),
        ] as [(String, String?)])
    func trouble(_ what: String, _ reason: String?) throws {
        let (service, client) = try service()
        let before = try service.anonymousBytes()
        try push(service, what)
        let content = try shown(service, within: 10)
        #expect(content.title == what && content.body == "b")
        if let reason { try service.logged(reason) }
        try push(service, "change")
        #expect(try shown(service).title == "change!")
        #expect(try service.anonymousBytes() - before < 8 << 20)
        _ = client
    }

    @Test("An answer that comes twice counts once")
    func twice() throws {
        let (service, client) = try service()
        try push(service, "twice")
        #expect(try shown(service).title == "twice!")
        #expect(try service.list().isEmpty)
        _ = client
    }

    @Test(
        "A program that is missing, or is none, shows the original", arguments: [nil, "no program", "#!/nonexistent\n"])
    func missing(_ program: String?) throws {
        let (service, client) = try service(program: program)
        try push(service, "change")
        #expect(try shown(service).title == "change")
        try service.logged("its notification extension cannot be started")
        _ = client
    }

    @Test("It may have threads, and write into its app's container; no process, no file of others, and little memory")
    func confined() throws {
        let (service, client) = try service()
        try push(service, "confined")
        let content = try shown(service)
        // As root it may open what root may: a file elsewhere is kept from it by Landlock, where the kernel has that.
        let found = Set((content.body).split(separator: " ").map(String.init))
        #expect(found.contains("thread") && !found.contains("os.fork()") && !found.contains("bytearray(1"))
        #expect(!found.contains("os.memfd_create('x')") && !found.contains("mmap.mmap(-1,"))
        if Spawn.Confinement.landlockVersion >= 2 { #expect(found == ["thread"]) }
        #expect(FileSystem.exists("\(service.base)/in-container"))
        _ = client
    }

    @Test("It goes when the service does: in order, or killed, when the next one is there")
    func ends() throws {
        let (service, client) = try service()
        try push(service, "hang")
        let first = try helper(of: service)
        try service.killAndRestart()
        // The next one ends what is left, and tries again.
        #expect(first.waitUntilDead(milliseconds: 10_000))
        let second = try helper(of: service)
        #expect(second.pid != first.pid)
        try service.process.send(15)
        #expect(second.waitUntilDead(milliseconds: 10_000))
        _ = client
    }

    private func helper(of service: TestService) throws -> PidFD {
        let end = Clock.monotonic() + 20_000_000_000
        while Clock.monotonic() < end {
            let line = FileSystem.read("\(service.folder)/helpers").map { String(decoding: $0, as: UTF8.self) } ?? ""
            if let pid = line.split(separator: " ").first.flatMap({ CInt($0) }), let process = try? PidFD(pid),
                ProcFS().children(service.process.pid).contains(pid)
            {
                return process
            }
            _ = service.process.waitUntilDead(milliseconds: 10)
        }
        throw TestPeer.Silence(waitedFor: "which program it runs")
    }

    @Test("One process serves the pushes of its app, and a few those of all apps; each is shown in the end")
    func many() throws {
        let (service, client) = try service(time: 3)
        let apps = (0..<8).map { "org.example.app\($0)" }
        let others = try apps.map { try service.allowedClient($0, helper: Self.name) }
        // Those that hang have the places until their time is over.
        for app in apps.prefix(4) { try push(service, "hang", app: app) }
        for app in apps.suffix(4) { try push(service, "change", app: app) }
        let running = ProcFS().children(service.process.pid)
        #expect(running.count <= 4)
        let list = try service.list { $0.count == 8 }
        // The others had their time while they waited.
        #expect(list.count { $0.request.content.title == "hang" } == 4)
        for title in ["pid", "pid"] { try push(service, title) }
        let two = try service.list { $0.count { $0.app == TestService.app } == 2 }.filter { $0.app == TestService.app }
        for entry in two {
            let numbers = entry.request.content.body.split(separator: " ")
            #expect(numbers.count == 2 && numbers[0] == numbers[1], "it leads a session of its own")
        }
        _ = (client, others)
    }

    @Test("Of a flood as many wait for the program as may, in one process, and the others are shown as they are")
    func flood() throws {
        let (service, client) = try service(time: 3)
        let tool = try service.tool()
        for _ in 0..<60 {
            let payload = #"{"aps":{"alert":{"title":"hang","body":"b"},"mutable-content":1}}"#
            try tool.ask("push", NotificationToolPush(app: TestService.app, payload: payload).json)
        }
        #expect(try service.status().apps.first?.delivered == 28)
        #expect(ProcFS().children(service.process.pid).count <= 1)
        try service.list { $0.count == 60 }
        try service.logged("took too long")
        _ = client
    }

    @Test("With its app its program goes, too")
    func forgotten() throws {
        let (service, client) = try service()
        try push(service, "hang")
        let process = try helper(of: service)
        try service.daemon.peer.send(.notification(method: "forget", params: ["app": .string(TestService.app)]))
        #expect(process.waitUntilDead(milliseconds: 10_000))
        #expect(try service.list().isEmpty && !service.log.contains("extension"))
        _ = client
    }

    @Test("Silence and noise elsewhere do no harm: what it prints as an error goes nowhere")
    func errors() throws {
        let (service, client) = try service(time: 1)
        try push(service, "deaf")
        #expect(try shown(service).title == "deaf")
        #expect(service.log.utf8.count < 10_000)
        _ = client
    }
}
