import LinuxSystem
import Testing
import Wire

extension SystemTests {
    @Suite("An app that leaks descriptors", .serialized) struct Descriptors {
        @Test("The log says so before the next open fails")
        func leak() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython(
                "leaker",
                """
                import resource
                def started(app):
                    global kept
                    resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
                    kept = [os.open("/dev/null", os.O_RDONLY) for _ in range(185)]
                """)
            try system.play(["open leaker"])
            let entry = try system.follower().wait("descriptorsNearLimit", of: "leaker")
            #expect(entry.reason?.contains("of 200 descriptors open") == true, "\(entry)")
            #expect(try system.app("leaker").pid != nil)
        }
    }
}
