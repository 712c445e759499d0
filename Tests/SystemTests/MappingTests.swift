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

        @Test(
            "An app with too large a mapping ends, though it has written none of it; one with a smaller mapping lives",
            .enabled(if: ContractApps.areBuilt, "NOT TESTED: Misbehaver is not built"), arguments: ["map", "reserve"])
        func large(deed: String) throws {
            // What is mapped is not dirty: a hundred times the budget harms nobody.
            let system = try TestSystem(memory: "600M")
            defer { system.end() }
            try system.installGreedy("keeper", "hoarder")
            try system.play(["open keeper"])
            try system.have("keeper", "\(deed)?gb=60", says: "mapped 60")
            try system.play(["open hoarder"])
            try system.order("hoarder", url: "misbehave://\(deed)?gb=65")
            try system.follower().wait("terminated", of: "hoarder")
            let report = try #require(try system.reports("hoarder").first)
            #expect(report.namespace == "GREENROOM" && report.code == 0xadd5_ab5e)
            let sentence = "had a mapping of \(65 << 10) MB while active, the limit is \(64 << 10) MB"
            #expect(report.reason.contains(sentence), "\(report.reason)")
            #expect(try system.app("hoarder").pids.isEmpty)
            // The other one is looked at when it is suspended, and comes back as it was.
            try system.follower().wait("suspended", of: "keeper")
            try system.memory("what the suspended app has") { memory in
                memory.apps.contains { $0.app == "keeper" && $0.dirty > 0 }
            }
            #expect(try system.memory(of: "keeper").dirty < 60 << 20)
            try system.play(["open keeper"])
            #expect(try system.reports("keeper").isEmpty && system.app("keeper").state == "active")
        }

        @Test("A plain program reserves as much as it likes")
        func plain() throws {
            let system = try TestSystem()
            defer { system.end() }
            // MAP_PRIVATE, MAP_ANONYMOUS and MAP_NORESERVE.
            let script = "import mmap, time; held = mmap.mmap(-1, 100 << 30, flags=0x4022); time.sleep(1000)"
            try system.write(script, to: "\(system.folder)/reserve.py")
            try system.installPlain("reserve", command: "python3 \(system.folder)/reserve.py")
            try system.play(["open reserve"])
            let pid = try #require(try system.app("reserve").pid)
            try system.until("it has reserved") { (ProcessMemory.size(CInt(pid))?.mapped ?? 0) > 100 << 30 }
            try system.leave("reserve")
            try system.memory("what the program has") { memory in memory.apps.contains { $0.app == "reserve" } }
            try system.play(["open reserve"])
            #expect(try system.app("reserve").pid == pid && system.reports("reserve").isEmpty)
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
