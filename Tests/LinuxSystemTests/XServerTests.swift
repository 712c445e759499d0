import LinuxSystem
import Testing

@Suite("X servers") struct XServerTests {
    @Test(
        "A display is known by the path of its socket",
        arguments: [
            ("/tmp/.X11-unix/X0", ":0"), ("@/tmp/.X11-unix/X17", ":17"), ("/tmp/.X11-unix/X", nil),
            ("/tmp/.X11-unix/X0/a", nil), ("/run/user/1000/bus", nil), ("", nil),
        ] as [(String, String?)])
    func display(_ path: String, _ name: String?) { #expect(XServer.display(at: path) == name) }

    private static func entry(_ display: String, _ name: String, _ data: [UInt8]) -> [UInt8] {
        func field(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes }
        return [1, 0] + field(Array("machine".utf8)) + field(Array(display.utf8)) + field(Array(name.utf8))
            + field(data)
    }

    @Test("The key of a display is found among others, and a file that is cut off or is none has no key")
    func cookie() {
        let name = "MIT-MAGIC-COOKIE-1"
        let file = Self.entry("1", name, [1]) + Self.entry("0", "XDM-AUTHORIZATION-1", [2]) + Self.entry("0", name, [3])
        #expect(XServer.cookie(for: ":0", in: file) == [3])
        #expect(XServer.cookie(for: ":1", in: file) == [1])
        #expect(XServer.cookie(for: ":2", in: file) == nil)
        #expect(XServer.cookie(for: ":2", in: Self.entry("", name, [4])) == [4])
        for length in 0..<file.count { _ = XServer.cookie(for: ":0", in: Array(file.prefix(length))) }
        #expect(XServer.cookie(for: ":0", in: Array(file.dropLast())) == nil)
        #expect(XServer.cookie(for: ":0", in: Array("rubbish \u{1}\u{2}".utf8)) == nil)
    }
}
