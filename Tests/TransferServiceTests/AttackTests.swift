import Glibc
import LinuxSystem
import ServiceTesting
import Testing
import TransferWire
import Wire

/// What an app can plant in its own container, while the service puts files there as root.
@Suite("An app that wants what is not its own", .enabled(if: CurrentProcess.isRoot, "NOT TESTED: needs root"))
struct AttackTests {
    private static let user: UInt32 = 12_345

    /// A system's service, an app of another user in its container, and a folder and a file that are not the app's.
    private struct Scene {
        let service: TestService
        let daemon: TestDaemon
        let client: TestClient
        let victim: String
        let secret: String

        init() throws {
            service = try TestService(isSystem: true)
            daemon = try service.daemon()
            try FileSystem.changeOwner(service.container, to: AttackTests.user)
            victim = service.base + "/victim"
            secret = victim + "/CFNetworkDownload_1.tmp"
            try FileSystem.makeDirectory(victim)
            try FileSystem.replace(secret, with: Array("secret".utf8))
            let mine = try daemon.attach("org.example.app", service.container, user: Int64(AttackTests.user))
            try daemon.tell("org.example.app", "active")
            client = TestClient(try TestPeer(mine))
            try client.peer.ask("hello", TransferHello.client(name: "test/1", app: nil, container: nil).json)
            try client.open()
        }

        func isUnharmed() throws -> Bool {
            let file = try Descriptor.open(secret, .read)
            let folder = try Descriptor.open(victim, .directory).identity()
            return try file.readAll() == Array("secret".utf8) && file.identity().owner == 0 && folder.owner == 0
                && FileSystem.names(in: victim) == ["CFNetworkDownload_1.tmp"]
        }
    }

    private func url(_ key: String) throws -> String {
        try TestServer.shared.get().url("/file", "size=1000", key: "attack-\(key)")
    }

    @Test("A link in place of its folder leads nowhere: nothing is written, owned or removed behind it")
    func folderLink() throws {
        let scene = try Scene()
        try FileSystem.link(to: scene.victim, at: scene.service.container + "/tmp")
        try scene.client.download(url("folder"))
        let outcome = try scene.client.outcome()
        #expect(outcome.completion.error != nil && outcome.path == nil)
        #expect(try scene.isUnharmed())
    }

    @Test("A folder that becomes a link once the file is there costs nobody a file")
    func lateLink() throws {
        let scene = try Scene()
        try scene.client.download(url("late"))
        let event = try scene.client.peer.event()
        try FileSystem.rename(scene.service.container + "/tmp", to: scene.service.container + "/old")
        try FileSystem.link(to: scene.victim, at: scene.service.container + "/tmp")
        try scene.client.peer.answer(event)
        let last = try scene.client.peer.event()
        #expect(last.info.kind.name == "completed")
        try scene.client.peer.answer(last)
        #expect(try scene.isUnharmed())
    }

    @Test("A name that leads to another's file, by a link or a hard link, is replaced, and that file is not touched")
    func planted() throws {
        for isHard in [true, false] {
            let scene = try Scene()
            let folder = scene.service.container + "/tmp"
            try FileSystem.makeDirectory(folder)
            try FileSystem.changeOwner(folder, to: Self.user)
            let name = folder + "/CFNetworkDownload_1.tmp"
            if isHard {
                // As where fs.protected_hardlinks is off.
                #expect(unsafe Glibc.link(scene.secret, name) == 0)
            } else {
                try FileSystem.link(to: scene.secret, at: name)
            }
            try scene.client.download(url("planted\(isHard)"))
            let event = try scene.client.peer.event()
            guard case .finished(let path, _) = event.info.kind else {
                Issue.record("\(event.info.kind)")
                return
            }
            let file = try Descriptor.open(path, .read, followsLinks: false)
            #expect(try file.identity().owner == Self.user && file.identity().size == 1000)
            #expect(try scene.isUnharmed())
            try scene.client.peer.answer(event)
        }
    }

    @Test("A folder of somebody else in its place is given to nobody")
    func strangersFolder() throws {
        let scene = try Scene()
        // The container itself is another's, as if the path led elsewhere by now.
        try FileSystem.changeOwner(scene.service.container, to: 54_321)
        try scene.client.download(url("stranger"))
        #expect(throws: TestPeer.Silence.self) { try scene.client.peer.event(within: 1) }
        #expect(!FileSystem.exists(scene.service.container + "/tmp"))
    }

    @Test("While the app exchanges its folder for a link and back, as fast as it can, no file goes elsewhere")
    func race() throws {
        let scene = try Scene()
        let (folder, other) = (scene.service.container + "/tmp", scene.service.container + "/link")
        try FileSystem.makeDirectory(folder)
        try FileSystem.changeOwner(folder, to: Self.user)
        try FileSystem.link(to: scene.victim, at: other)
        let script = """
            import ctypes, os, sys
            libc = ctypes.CDLL(None)
            while os.getppid() == int(sys.argv[3]):
                for _ in range(1000):
                    libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)
            """
        var spawn = Spawn(
            path: "/usr/bin/python3", arguments: ["python3", "-c", script, folder, other, "\(CurrentProcess.pid)"],
            environment: ["PATH=/usr/bin:/bin"])
        let null = try Descriptor.open("/dev/null", .readWrite)
        spawn.descriptors = [(null, 0), (null, 1), (null, 2)]
        let attacker = try spawn.start()
        defer {
            try? attacker.send(9)
            _ = attacker.waitUntilDead(milliseconds: 5000)
            _ = attacker.reap()
        }
        for task in 1...20 as ClosedRange<Int64> {
            try scene.client.download(url("race\(task)"), task: task)
            _ = try scene.client.outcome(task, within: 60)
        }
        #expect(try scene.isUnharmed())
    }

    @Test("The folder that the service makes in the app's container is the app's before it appears there")
    func birth() throws {
        let scene = try Scene()
        let watch = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        defer { close(watch) }
        unsafe inotify_add_watch(watch, scene.service.container, UInt32(IN_CREATE | IN_MOVED_TO))
        try scene.client.download(url("birth"))
        _ = try scene.client.outcome()
        var events = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(watch, &events, events.count)
        // One event: a number, what happened, two numbers, and the name.
        try #require(count >= 20 && events[16..<20].elementsEqual("tmp\0".utf8))
        let happened = events[4..<8].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        #expect(happened & UInt32(IN_MOVED_TO) != 0, "it was made there, as root's")
        let folder = try Descriptor.open(scene.service.container + "/tmp", .path).identity()
        #expect(folder.owner == Self.user)
    }

    @Test("What it may only read, the service gives no other name; what it cannot read, the service does not")
    func uploads() throws {
        let scene = try Scene()
        let large = scene.victim + "/large"
        try Command.run("/usr/bin/truncate", ["-s", "5000000", large])
        defer { FileSystem.remove(large) }
        let request = TransferRequestInfo(url: "http://127.0.0.1:1/", method: "PUT")
        func create(_ task: Int64, _ file: Descriptor) throws {
            let create = TransferCreate(session: scene.client.session, task: task, kind: .upload, request: request)
            try scene.client.peer.ask("create", create.json, [file])
        }
        try create(1, Descriptor.open(large, .read))
        var status = stat()
        #expect(unsafe lstat(large, &status) == 0)
        #expect(status.st_nlink == 1, "the service holds on to a file that is not the app's")
        #expect(throws: RPCError.self) { try create(2, Descriptor.open(scene.secret, .path)) }
        // What it reads there would be what root may see, not the app.
        for path in ["/proc/1/stat", "/proc/self/maps", "/sys/kernel/uevent_seqnum"] where FileSystem.exists(path) {
            #expect(throws: RPCError.self) { try create(3, Descriptor.open(path, .read)) }
        }
    }
}
