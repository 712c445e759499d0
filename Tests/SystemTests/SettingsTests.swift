import LinuxSystem
import Storage
import Testing
import Wire

extension SystemTests {
    @Suite("What the user said of an app", .serialized) struct Settings {
        private func isExempt(_ system: TestSystem) throws -> Bool { try system.app("app").exempt }

        private func killEverything(of system: TestSystem) throws {
            let (keeper, daemon) = (try PidFD(system.keeper()), try PidFD(system.daemon))
            // Stopped, it takes nobody's place.
            try daemon.send(19)
            try keeper.send(9)
            try daemon.send(9)
            #expect(keeper.waitUntilDead(milliseconds: 20_000) && daemon.waitUntilDead(milliseconds: 20_000))
        }

        @Test("The policy decides it and the database follows: a daemon that died before it was told loses nothing")
        func lostBeforeTheDatabase() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app"])
            try system.expect("exempt", "app")
            try system.expect("refresh", "app", "--off")
            try killEverything(of: system)
            let database = "\(system.home)/state.sqlite"
            do {
                let store = try Store(path: database)
                try store.setExempt("app", false)
                try store.set("refresh.app", to: nil)
            }
            try system.up()
            #expect(try isExempt(system))
            // The next boot knows only what the database says.
            try system.expect("down")
            try system.up()
            #expect(try isExempt(system))
            #expect(try Store(path: database).setting("refresh.app") == "off")
        }
    }
}
