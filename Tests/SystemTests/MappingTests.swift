import LinuxSystem
import Testing
import Wire

extension SystemTests {
    /// R5: what an app does to its address space is seen from outside.
    @Suite("The address space", .serialized) struct AddressSpace {
        /// Python that maps many pieces: `(size, rights, flags, descriptor, offset)`.
        private static let map = """
            import ctypes, tempfile
            libc = ctypes.CDLL(None)
            libc.mmap.restype = ctypes.c_void_p
            libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]

            def tiny(count):
                global file
                file = tempfile.TemporaryFile(dir=os.environ["HOME"])
                file.truncate(8192 * count)
                for number in range(count):
                    libc.mmap(None, 4096, 1, 2, file.fileno(), number * 8192)

            def purgeable(count):
                for number in range(count):
                    place = libc.mmap(None, 8192, 3, 0x22, -1, 0)
                    ctypes.memset(place, 1, 4096)
                    libc.mprotect(ctypes.c_void_p(place + 4096), 4096, 0)
                    libc.madvise(ctypes.c_void_p(place), 4096, 8)  # MADV_FREE

            """

        private static func body(_ deed: String) -> String {
            map
                + """
                class Delegate(Base):
                    def on_didFinishLaunching(self, params):
                        \(deed)
                """
        }

        @Test("memory warns of an app that maps a thousand small files, and of no other")
        func tiny() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("splinter", Self.body("tiny(1200)"))
            try system.installPython("whole", Self.body("tiny(100)"))
            try system.play(["open splinter", "open whole", "home"])
            for name in ["splinter", "whole"] { try system.follower().wait("suspended", of: name) }
            let info = try system.memory("the mappings are counted") { info in
                info.apps.count { ($0.tinyMappings ?? 0) > 50 } == 2
            }
            let counts = Dictionary(uniqueKeysWithValues: info.apps.map { ($0.app, $0.tinyMappings ?? 0) })
            #expect(try #require(counts["splinter"]) >= 1200 && #require(counts["whole"]) < 1000)
            let text = try system.expect("memory")
            #expect(text.contains("splinter maps \(counts["splinter"] ?? 0) pieces of files below 16 KB"), "\(text)")
            #expect(!text.contains("whole maps"))
            #expect(try system.reports("splinter").isEmpty, "a warning ends nobody")
        }

        @Test("An app with too many purgeable objects ends, and the report says so; one with many lives")
        func purgeable() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("hoarder", Self.body("purgeable(5200)"))
            try system.installPython("keeper", Self.body("purgeable(4000)"))
            try system.play(["open keeper", "open hoarder --no-wait"])
            try system.follower().wait("terminated", of: "hoarder")
            let report = try #require(try system.reports("hoarder").first)
            #expect(report.namespace == "GREENROOM" && report.code == 0xadd5_ab5e)
            #expect(report.reason.contains("too many purgeable objects"), "\(report.reason)")
            try system.follower().wait("suspended", of: "keeper")
            #expect(try system.reports("keeper").isEmpty)
        }
    }
}
