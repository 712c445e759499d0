import ContractSuite
import Glibc
import LinuxSystem
import Model
import Testing
import Wire

extension SystemTests {
    @Suite(
        "What apps move over the network", .serialized,
        .enabled(if: Cable.complaint == nil, Comment(rawValue: Cable.complaint ?? "")))
    struct Traffic {
        /// Why the kernel does not count here; `nil`: it does.
        static let counterComplaint: String? = {
            guard let root = Machine.cgroupRoot else { return "NOT TESTED: no cgroup v2" }
            let path = "\(root)/greenroom-test-\(CurrentProcess.pid)-traffic"
            do throws(SystemError) {
                let group = try Cgroup(creating: path)
                defer { try? Cgroup.destroy(at: path) }
                _ = try TrafficProgram(within: group.directory).count(group.directory)
                return nil
            } catch {
                return "NOT TESTED: the kernel takes no BPF program that counts: \(error)"
            }
        }()

        /// Whenever it becomes active it sends 300000 bytes over the cable and as many to itself; when it is fetched,
        /// 100000 over the cable, after a fifth of a second of a processor. It hears 200000 back each time.
        private static let talker = """
            import socket, time
            CALLBACKS.add("performFetch")
            def talk(count):
                peer = socket.create_connection(("10.97.0.2", 7000))
                peer.sendall(b"x" * count)
                peer.shutdown(socket.SHUT_WR)
                heard = 0
                while True:
                    more = peer.recv(65536)
                    if not more:
                        break
                    heard += len(more)
                print("talked", count, heard, flush=True)

            def whisper(count):
                own = socket.create_server(("127.0.0.1", 0))
                one = socket.create_connection(own.getsockname())
                other, _ = own.accept()
                while count > 0:
                    one.sendall(b"y" * 10000)
                    left = 10000
                    while left:
                        left -= len(other.recv(left))
                    count -= 10000

            class Delegate(Base):
                def on_didBecomeActive(self, params):
                    whisper(300000)
                    talk(300000)

                def performFetch(self, params):
                    end = time.process_time() + 0.2
                    while time.process_time() < end:
                        pass
                    talk(100000)
                    app.request("complete", {"window": params["window"], "result": "newData"})
            """

        private static func install(_ system: TestSystem) throws {
            let keys = "<key>UIBackgroundModes</key><array><string>fetch</string></array>"
            try system.installPython("talker", talker, keys: keys)
        }

        private static func energy(_ system: TestSystem) throws -> EnergyInfo {
            try EnergyInfo(json: JSONValue(parsing: system.expect("energy", "--json")))
        }

        private static func traffic(_ system: TestSystem, _ service: String) throws -> EnergyInfo.Traffic? {
            try energy(system).traffic.first { $0.app == "talker" && $0.service == service }
        }

        private static func finding(_ system: TestSystem) throws -> DoctorFinding {
            let findings = try DoctorFinding.list(json: JSONValue(parsing: system.expect("doctor", "--json")))
            return try #require(findings.first { $0.mechanism == "traffic of apps" })
        }

        @Test(
            "energy tells what an app moved by itself on screen and in a fetch, without what stayed on the machine",
            .enabled(if: counterComplaint == nil, Comment(rawValue: counterComplaint ?? "")))
        func counted() throws {
            let cable = try Cable()
            let system = try TestSystem(within: cable.entry)
            defer { system.end() }
            try Self.install(system)
            #expect(try Self.finding(system).status == .ok)
            try system.play(["simulate network wifi", "open talker", "home"])
            let log = try system.follower()
            let suspended = try log.wait("suspended", of: "talker")
            let browsing = try #require(try Self.traffic(system, "browsing"))
            #expect((300_000...330_000).contains(browsing.sent), "\(browsing)")
            #expect((200_000...230_000).contains(browsing.received), "\(browsing)")
            try system.play(["simulate fetch talker"])
            try log.wait("suspended", of: "talker", after: suspended.seq)
            let fetch = try #require(try Self.traffic(system, "fetch"))
            #expect(
                (100_000...120_000).contains(fetch.sent) && (200_000...230_000).contains(fetch.received), "\(fetch)")
            let info = try Self.energy(system)
            #expect(info.counting == "kernel")
            for service in ["browsing", "fetch"] {
                let share = info.shares.first { $0.app == "talker" && $0.service == service && $0.part == "wifi" }
                #expect(try #require(share).joules > 0)
            }
            // Half a watt for the time of a processor; on the screen it is not charged.
            let processor = info.shares.filter { $0.part == "processor" }
            #expect(processor.map(\.service) == ["fetch"] && processor.first?.app == "talker")
            let cost = processor.first?.joules ?? 0
            #expect(cost >= 0.1 && cost < 1, "\(cost)")
            let fetches = try FetchInfo.list(json: JSONValue(parsing: system.expect("fetch", "--json")))
            let decision = try #require(fetches.first { $0.app == "talker" }?.decisions.last)
            #expect(decision.result == "newData" && decision.sent == fetch.sent)
            #expect(decision.received == fetch.received)
            #expect(try #require(decision.joules) > 0)
            let text = try system.expect("energy")
            #expect(text.contains("talker") && text.contains("browsing") && text.contains("kB"), "\(text)")
        }

        @Test(
            "A new daemon counts on: what the app moves then is added, and counted once",
            .enabled(if: counterComplaint == nil, Comment(rawValue: counterComplaint ?? "")))
        func adopted() throws {
            let cable = try Cable()
            let system = try TestSystem(within: cable.entry)
            defer { system.end() }
            try Self.install(system)
            try system.play(["simulate network wifi", "open talker", "home"])
            let log = try system.follower()
            let suspended = try log.wait("suspended", of: "talker")
            let before = try #require(try Self.traffic(system, "browsing"))
            let daemon = try PidFD(system.daemon)
            try daemon.send(SIGKILL)
            #expect(daemon.waitUntilDead(milliseconds: 20_000))
            try system.play(["simulate network wifi", "open talker", "home"])
            try log.wait("suspended", of: "talker", after: suspended.seq)
            let after = try #require(try Self.traffic(system, "browsing"))
            #expect((300_000...330_000).contains(after.sent - before.sent), "\(before) \(after)")
            #expect((200_000...230_000).contains(after.received - before.received), "\(before) \(after)")
        }

        /// Why packets cannot wait for a slow cable here; `nil`: they can.
        static let slowCableComplaint: String? = {
            guard Machine.find("tc") != nil else { return "NOT TESTED: tc is missing" }
            guard counterComplaint == nil, Cable.complaint == nil else { return counterComplaint }
            guard (try? Cable().slowDown()) != nil else { return "NOT TESTED: the kernel has no sch_tbf" }
            return nil
        }()

        @Test(
            "What an app sends in the background waits while others send",
            .enabled(if: slowCableComplaint == nil, Comment(rawValue: slowCableComplaint ?? "")))
        func givesWay() throws {
            let cable = try Cable()
            let system = try TestSystem(within: cable.entry)
            defer { system.end() }
            try system.installPython(
                "sender",
                """
                import signal, socket
                def send(count):
                    peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    for _ in range(count):
                        peer.sendto(b"s" * 1000, ("10.97.0.2", 7002))

                def told(*_):
                    send(60)
                    app.request("endTask", {"task": 1})
                signal.signal(signal.SIGUSR1, told)

                class Delegate(Base):
                    def on_didBecomeActive(self, params):
                        send(20)

                    def on_didEnterBackground(self, params):
                        app.request("beginTask", {"task": 1, "name": "send"})
                """)
            // Nothing waits for the server's address later.
            _ = try cable.before()
            try cable.slowDown()
            let log = try system.follower()
            try system.play(["open sender"])
            #expect(try cable.before() == 20, "on the screen it goes before whoever comes later")
            try system.play(["home"])
            try system.until("it is in the background") { try system.app("sender").state == "background" }
            try PidFD(CInt(try #require(system.app("sender").pid))).send(SIGUSR1)
            try log.wait("suspended", of: "sender")
            let before = try #require(try cable.before())
            #expect(before < 60, "\(before) of 60 went before")
        }

        @Test("Where no program counts, TCP connections are looked at, and doctor says so")
        func connections() throws {
            let cable = try Cable()
            let system = try TestSystem(environment: ["GREENROOM_TRAFFIC": "connections"], within: cable.entry)
            defer { system.end() }
            try system.installPython(
                "talker",
                """
                import socket
                kept = []

                class Delegate(Base):
                    def on_didBecomeActive(self, params):
                        own = socket.create_server(("127.0.0.1", 0))
                        for address in (own.getsockname(), ("10.97.0.2", 7000)):
                            peer = socket.create_connection(address)
                            peer.sendall(b"x" * 30000)
                            kept.append(peer)
                        kept.append(own)
                """)
            let finding = try Self.finding(system)
            #expect(finding.status == .replaced && finding.instead?.contains("sock_diag") == true, "\(finding)")
            try system.play(["simulate network wifi", "open talker"])
            // Connections are looked at every five seconds while the app runs.
            try system.until("the app's bytes") { try Self.traffic(system, "browsing") != nil }
            try system.play(["home"])
            let browsing = try #require(try Self.traffic(system, "browsing"))
            // The kernel counts the beginning of a connection as a byte.
            #expect((30_000...30_002).contains(browsing.sent) && browsing.received == 0, "\(browsing)")
            #expect(try Self.energy(system).counting == "connections")
        }

        @Test(
            "The timeline has what the app moved over the network and wrote to the disk",
            .enabled(if: counterComplaint == nil, Comment(rawValue: counterComplaint ?? "")))
        func timeline() throws {
            let cable = try Cable()
            // What is written into memory reaches no disk.
            let system = try TestSystem(place: "/var/tmp", within: cable.entry)
            defer { system.end() }
            let writes = """

                class Delegate(Delegate):
                    def on_didEnterBackground(self, params):
                        path = os.path.join(os.environ["HOME"], "Documents")
                        os.makedirs(path, exist_ok=True)
                        with open(os.path.join(path, "log"), "wb") as file:
                            file.write(b"w" * 2000000)
                            file.flush()
                            os.fsync(file.fileno())
                """
            try system.installPython("talker", Self.talker + writes)
            try system.play(["open talker", "home"])
            let log = try system.follower()
            try log.wait("suspended", of: "talker")
            func records(_ kind: String) throws -> [JSONValue] {
                try system.expect("timeline", "--json").split(separator: "\n").map { line in
                    try JSONValue(parsing: String(line))
                }.filter { $0["kind"]?.string == kind && $0["app"]?.string == "talker" }
            }
            let network = try records("network")
            #expect((300_000...330_000).contains(network.compactMap { $0["sent"]?.int }.reduce(0, +)), "\(network)")
            #expect((200_000...230_000).contains(network.compactMap { $0["received"]?.int }.reduce(0, +)))
            try system.until("what the app wrote") {
                try records("disk").compactMap { $0["written"]?.int }.reduce(0, +) >= 2_000_000
            }
            let trace = try system.expect("timeline", "--export", "-")
            #expect(trace.contains("network (bytes/s)") && trace.contains("disk (bytes/s)"))
        }
    }
}
