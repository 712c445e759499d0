import Testing
import Wire

extension SystemTests {
    /// `docs/TERMINATION.md`, "The GPU": the real daemon and real apps on a machine whose GPU is a tree of files, with
    /// the counters that a driver tells in `fdinfo`. The app moves its own counter, as a driver would for it.
    @Suite("The GPU in the background", .serialized) struct GPU {
        private static func drawing(_ system: TestSystem) -> String {
            """
            import greenroom_app
            greenroom_app.CALLBACKS.add("performFetch")
            Base.performFetch = lambda self, params: self.heard("performFetch", params)

            def complete(params):
                app.request("complete", {"window": params["window"], "result": "newData"})

            """ + FakeGPU.drawing(in: system.folder)
        }

        private static let fetches = "<key>UIBackgroundModes</key><array><string>fetch</string></array>"

        private static func expectEnd(_ system: TestSystem, _ did: String, after: Int = 0) throws {
            let end = try system.follower().wait("terminated", of: "painter", after: after)
            #expect(end.reason?.contains("GPU") == true, "\(end)")
            let report = try #require(try system.reports("painter").first)
            #expect(report.namespace == "GREENROOM" && report.code == 0x0ff5_c2ee)
            #expect(report.reason.contains("\(did) (fake)"), "\(report.reason)")
            #expect(try system.entries("painter").allSatisfy { $0.event != "suspended" || $0.seq <= after })
        }

        @Test("An app that is woken for a moment and draws in it ends before it is suspended again")
        func shortWake() throws {
            let system = try TestSystem(gpu: true)
            defer { system.end() }
            try system.installPython(
                "painter",
                Self.drawing(system) + """
                    class Delegate(Base):
                        def on_didBecomeActive(self, params):
                            draw()
                        def on_didEnterBackground(self, params):
                            draw()
                        def on_performFetch(self, params):
                            draw()
                            complete(params)
                    """, keys: Self.fetches)
            try system.play(["simulate network wifi", "open painter", "home"])
            let suspended = try system.follower().wait("suspended", of: "painter")
            // What it drew until it was in the background is its own affair, however long the GPU is busy with it.
            try system.pass(seconds: 0.6)
            #expect(try system.app("painter").state == "suspended")
            _ = try system.run("simulate", "fetch", "painter")
            try Self.expectEnd(system, "gave work to the GPU", after: suspended.seq)
        }

        @Test("A fetch that leaves the GPU alone is no offence, though the app has a context")
        func innocent() throws {
            let system = try TestSystem(gpu: true)
            defer { system.end() }
            try system.installPython(
                "painter",
                Self.drawing(system) + """
                    class Delegate(Base):
                        def on_didBecomeActive(self, params):
                            draw()
                        def on_performFetch(self, params):
                            complete(params)
                    """, keys: Self.fetches)
            try system.play(["simulate network wifi", "open painter", "home"])
            let first = try system.follower().wait("suspended", of: "painter")
            try system.pass(seconds: 0.6)
            try system.play(["simulate fetch painter"])
            try system.follower().wait("suspended", of: "painter", after: first.seq)
            // On screen it draws again.
            let last = try system.lastSequence
            try system.play(["open painter", "home"])
            try system.follower().wait("suspended", of: "painter", after: last)
            #expect(try system.reports("painter").isEmpty)
        }

        @Test("An app that is launched into the background and creates a context there ends")
        func launchedIntoBackground() throws {
            let system = try TestSystem(gpu: true)
            defer { system.end() }
            try system.installPython(
                "painter",
                Self.drawing(system) + """
                    class Delegate(Base):
                        def on_didFinishLaunching(self, params):
                            draw()
                        def on_performFetch(self, params):
                            complete(params)
                    """, keys: Self.fetches)
            try system.play(["simulate network wifi"])
            _ = try system.run("simulate", "fetch", "painter")
            try Self.expectEnd(system, "created a context on the GPU")
        }
    }
}
