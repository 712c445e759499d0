import Glibc
import LinuxSystem
import Testing

@Suite("Packets that give way", .serialized)
struct PacketPriorityTests {
    /// Why no packets can wait for a slow cable here; `nil`: they can.
    private static let complaint: String? = {
        guard CurrentProcess.isRoot, let root = Machine.cgroups else {
            return "NOT TESTED: needs root and a writable cgroup v2"
        }
        for tool in ["ip", "tc"] where !["/usr/sbin/", "/sbin/"].contains(where: { FileSystem.exists($0 + tool) }) {
            return "NOT TESTED: \(tool) is missing"
        }
        let slow = "PATH=$PATH:/usr/sbin:/sbin unshare -n tc qdisc add dev lo root tbf rate 1mbit burst 3kb limit 1mb"
        guard (try? Script.run(slow + " 2>&1")) != nil else { return "NOT TESTED: the kernel has no sch_tbf" }
        do throws(SystemError) {
            _ = try TrafficProgram(within: root)
            return nil
        } catch {
            return "NOT TESTED: the kernel takes no BPF program that counts: \(error)"
        }
    }()

    /// Sends 60 packets from one group over a cable of 1 Mbit/s, then one packet from another group.
    /// - Returns: how many of the 60 arrived before that one.
    private func overtaken(by quick: Cgroup, from slow: Cgroup) throws -> Int {
        let program = try PythonProgram(
            """
            import subprocess
            def tool(words):
                path = dict(os.environ, PATH="/usr/sbin:/sbin:/usr/bin:/bin")
                subprocess.run(words.split(), check=True, env=path)
            def enter(group):
                with open(group + "/cgroup.procs", "w") as file:
                    file.write(str(os.getpid()))
            assert libc.unshare(0x40000000) == 0
            tool("ip link add near type veth peer name far")
            tool("ip addr add 10.98.1.1/24 dev near")
            tool("ip link set near up")
            tool("tc qdisc add dev near root handle 1: tbf rate 1mbit burst 3kb limit 1mb")
            tool("tc qdisc add dev near parent 1: pfifo_fast")
            come, go = os.pipe()
            far, near = os.pipe()
            child = os.fork()
            if child == 0:
                libc.prctl(1, 9)
                assert libc.unshare(0x40000000) == 0
                os.write(go, b"x")
                os.read(far, 1)
                tool("ip addr add 10.98.1.2/24 dev far")
                tool("ip link set far up")
                listener = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                listener.bind(("10.98.1.2", 7000))
                os.write(go, b"x")
                before = 0
                while True:
                    packet = listener.recv(2000)
                    if packet[:1] == b"?": os.write(go, b"x")
                    if packet[:1] == b"s": before += 1
                    if packet[:1] == b"q": break
                os.write(go, b"%d" % before)
                os._exit(0)
            os.read(come, 1)
            tool("ip link set far netns %d" % child)
            os.write(near, b"x")
            os.read(come, 1)
            target = ("10.98.1.2", 7000)
            enter("\(slow.path)")
            slow = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
            enter("\(quick.path)")
            quick = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            # Nothing waits for an address from here on.
            quick.sendto(b"?", target)
            os.read(come, 1)
            for _ in range(60): slow.sendto(b"s" * 1000, target)
            quick.sendto(b"q" * 1000, target)
            answer = os.read(come, 16).decode()
            """, in: slow)
        return try #require(Int(program.answer))
    }

    @Test(
        "Those of a group in the background wait while those of others pass, for as long as it is there",
        .enabled(if: complaint == nil, Comment(rawValue: complaint ?? "")))
    func order() throws {
        let (slow, quick) = (try ScratchGroup("slow"), try ScratchGroup("quick"))
        let program = try TrafficProgram(within: try #require(Machine.cgroups))
        let counter = try program.count(slow.group.path)
        try counter.setGivesWay(true)
        // Some leave before the other one comes.
        #expect(try overtaken(by: quick.group, from: slow.group) < 40)
        #expect(try counter.read().sent > 60_000)
        for _ in 0..<2 { try counter.setGivesWay(false) }
        #expect(try overtaken(by: quick.group, from: slow.group) == 60)
    }

    @Test("The queueing disciplines of an interface are found by name")
    func disciplines() throws {
        #expect(try DefaultLink.disciplines(of: "lo") == ["noqueue"])
        #expect(throws: SystemError.self) { try DefaultLink.disciplines(of: "nowhere0") }
    }
}
