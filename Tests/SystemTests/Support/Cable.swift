import Glibc
import LinuxSystem
import Testing

/// Two networks of a test's own and a cable between them. At 10.97.0.2, port 7000, in the far one, a server reads all
/// that it is sent until the other side has ended, and answers with 200000 bytes. Both end with this.
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
        let program = """
            import ctypes, os, socket, subprocess, sys
            libc = ctypes.CDLL(None, use_errno=True)
            def ip(words):
                subprocess.run(["\(try #require(Machine.find("ip")))"] + words.split(), check=True)
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
        server = try Child(try #require(Machine.find("python3")), ["-c", program], environment: [:])
        _ = try server.line(Patience())
        entry = [try #require(Machine.find("nsenter")), "--net=/proc/\(server.process.pid)/ns/net"]
    }
}
