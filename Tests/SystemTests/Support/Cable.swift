import Glibc
import LinuxSystem
import Testing

/// Two networks of a test's own and a cable between them. At 10.97.0.2, port 7000, in the far one, a server reads all
/// that it is sent until the other side has ended, and answers with 200000 bytes. At port 7001 a radio station sends a
/// sound without an end, as fast as it is heard. At port 7002 a server counts the packets that begin with `s`, and
/// answers `q` with their number. All servers end with this object.
final class Cable {
    private let server: Child
    /// Runs a command in the near one, where 10.97.0.1 is.
    let entry: [String]

    /// Why there can be none here; `nil`: there can.
    static let complaint: String? = {
        for program in ["ip", "nsenter", "python3"] where Machine.find(program) == nil {
            return "NOT TESTED: \(program) is missing"
        }
        return nil
    }()

    init() throws {
        let program = Self.servers + "\n" + Self.networks(ip: try #require(Machine.find("ip")))
        server = try Child(try #require(Machine.find("python3")), ["-c", program], environment: [:])
        _ = try server.line(Patience())
        entry = [try #require(Machine.find("nsenter")), "--net=/proc/\(server.process.pid)/ns/net"]
    }

    /// What the servers do.
    private static let servers = """
        import ctypes, math, os, socket, struct, subprocess, sys, threading, time
        libc = ctypes.CDLL(None, use_errno=True)
        # A second of 440 Hz, half as loud as can be, in 16 bits at 44100 Hz.
        second = b"".join(
            struct.pack("<h", int(16383 * math.sin(2 * math.pi * 440 * n / 44100))) for n in range(44100))
        def play(peer):
            try:
                peer.recv(65536)
                size = 0x7fffffff
                head = b"RIFF" + struct.pack("<I", size) + b"WAVEfmt " + struct.pack(
                    "<IHHIIHH", 16, 1, 1, 44100, 88200, 2, 16) + b"data" + struct.pack("<I", size - 36)
                peer.sendall(
                    b"HTTP/1.1 200 OK\\r\\nContent-Type: audio/wav\\r\\nConnection: close\\r\\n\\r\\n" + head)
                began, sent = time.monotonic(), 0
                while True:
                    peer.sendall(second)
                    sent += 1
                    time.sleep(max(0, began + sent - 2 - time.monotonic()))
            except OSError:
                pass
            peer.close()
        def serve(listener):
            while True:
                peer, _ = listener.accept()
                threading.Thread(target=play, args=(peer,), daemon=True).start()
        def count(listener):
            before = 0
            while True:
                packet, peer = listener.recvfrom(2000)
                before += packet[:1] == b"s"
                if packet[:1] == b"q":
                    listener.sendto(b"%d" % before, peer)
                    before = 0
        """

    private static func networks(ip: String) -> String {
        """
        def ip(words):
            subprocess.run(["\(ip)"] + words.split(), check=True)
        assert libc.unshare(0x40000000) == 0
        ip("link set lo up")
        ip("link add near type veth peer name far")
        ip("addr add 10.97.0.1/24 dev near")
        ip("link set near up")
        come, go = os.pipe(), os.pipe()
        child = os.fork()
        if child == 0:
            libc.prctl(1, 9)
            assert libc.unshare(0x40000000) == 0
            os.write(come[1], b"x")
            os.read(go[0], 1)
            ip("addr add 10.97.0.2/24 dev far")
            ip("link set far up")
            station = socket.create_server(("10.97.0.2", 7001))
            threading.Thread(target=serve, args=(station,), daemon=True).start()
            counter = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            counter.bind(("10.97.0.2", 7002))
            threading.Thread(target=count, args=(counter,), daemon=True).start()
            listener = socket.create_server(("10.97.0.2", 7000))
            os.write(come[1], b"x")
            while True:
                peer, _ = listener.accept()
                try:
                    while peer.recv(65536):
                        pass
                    peer.sendall(b"z" * 200000)
                except OSError:
                    pass
                peer.close()
        os.read(come[0], 1)
        ip("link set far netns %d" % child)
        os.write(go[1], b"x")
        os.read(come[0], 1)
        print("ready", flush=True)
        sys.stdin.read()
        """
    }

    /// Runs a program in the near network.
    /// - Returns: what it printed.
    func run(_ program: String, _ arguments: [String]) throws -> String {
        let command = entry + [try #require(Machine.find(program))] + arguments
        let outcome = try Child(command[0], Array(command.dropFirst()), environment: [:]).outcome()
        guard outcome.code == 0 else { throw Trouble("\(program): \(outcome.errors)") }
        return outcome.output
    }

    /// Lets less than 13 packets of 1000 bytes pass each second. The kernel sends those that wait by their priority.
    func slowDown() throws {
        for words in ["root handle 1: tbf rate 100kbit burst 3kb limit 1mb", "parent 1: pfifo_fast"] {
            _ = try run("tc", "qdisc add dev near \(words)".split(separator: " ").map(String.init))
        }
    }

    /// How many packets came before one that is sent now.
    func before() throws -> Int? {
        let program = """
            import socket
            peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            peer.settimeout(60)
            peer.sendto(b"q", ("10.97.0.2", 7002))
            print(peer.recv(16).decode())
            """
        return Int(try run("python3", ["-c", program]).filter(\.isNumber))
    }
}
