import Glibc
import LinuxSystem
import TestPace
import Testing
import Wire

extension SystemTests {
    @Suite("Daemons that do not serve", .serialized) struct CrashLoops {
        /// Ends each daemon as it comes, as a fault of its own would; the number of the last.
        private func crash(_ system: TestSystem, times: Int) throws {
            var last = try system.daemon
            for _ in 0..<times {
                let daemon = try PidFD(last)
                try daemon.send(SIGSEGV)
                #expect(daemon.waitUntilDead(milliseconds: 20_000))
                let patience = Patience()
                while let name = pid(system), name == last, !patience.isOver { sched_yield() }
                last = pid(system) ?? last
            }
            try? PidFD(last).send(SIGSEGV)
        }

        private func pid(_ system: TestSystem) -> CInt? {
            system.contents("daemon.pid")?.split { " \n".contains($0) }.first.flatMap { CInt($0) }
        }

        @Test("When daemons crash one after another, the apps run, the tools say why, and down ends it all at once")
        func crashLoop() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app", "home"])
            try system.follower().wait("suspended", of: "app")
            let pids = try system.app("app").pids
            #expect(system.isFrozen("app", pids))
            try crash(system, times: 10)
            let outcome = try system.run("status")
            #expect(outcome.code == 3)
            #expect(outcome.errors.contains("times soon after its start"), "\(outcome.errors)")
            #expect(outcome.errors.contains("signal 11"), "\(outcome.errors)")
            #expect(!system.isFrozen("app", pids), "nothing stays frozen that nobody would thaw")
            #expect(!system.processes.contains { ProcFS().commandName($0) == "swift-backtrace" })
            #expect(system.contents("daemon.log")?.contains("every app runs") == true)
            let begin = Clock.monotonic()
            try system.expect("down")
            #expect(Clock.monotonic() - begin < Pace.nanoseconds(seconds: 8))
            system.expectNothingLeft()
            try system.up()
        }

        @Test("A daemon that hangs is ended by force with everything that is its own")
        func hung() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app"])
            try PidFD(system.daemon).send(SIGSTOP)
            try system.expect("down", "--force")
            system.expectNothingLeft()
            try system.up()
        }

        @Test(
            "When somebody shuts a listening socket down, the system listens anew, and apps come back",
            arguments: [3, 4] as [CInt])
        func shutDown(_ number: CInt) throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app", "home"])
            let process = try system.app("app").pids
            let daemon = try PidFD(system.daemon)
            let listener = try daemon.duplicate(number)
            #expect(!UnixSocket.isShutDown(listener))
            #expect(shutdown(listener.rawValue, CInt(SHUT_RDWR)) == 0)
            #expect(daemon.waitUntilDead(milliseconds: 20_000), "it would be deaf")
            try system.play(["open app"])
            #expect(try system.app("app").pids == process)
            #expect(try system.app("app").state == "active")
            #expect(system.contents("daemon.log")?.contains("the system listens anew") == true)
        }

        @Test("No descriptor of keeper and daemon is a child's, and the lock is theirs alone")
        func descriptors() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.installPlain("editor", command: "cat", terminal: true)
            try system.play(["open app", "open editor"])
            for pid in [try system.keeper(), try system.daemon] {
                for name in FileSystem.names(in: "/proc/\(pid)/fdinfo") {
                    guard let number = Int(name), number > 2,
                        let info = FileSystem.read("/proc/\(pid)/fdinfo/\(name)")
                    else { continue }
                    let flags = String(decoding: info, as: UTF8.self).split(separator: "\n")
                        .first { $0.hasPrefix("flags:") }.flatMap { Int($0.split { " \t".contains($0) }[1], radix: 8) }
                    let target = FileSystem.linkTarget("/proc/\(pid)/fd/\(name)") ?? "?"
                    #expect((flags ?? 0) & 0o2000000 != 0, "\(target) of \(pid) would go along")
                }
            }
            let holders = system.processes.filter { pid in
                FileSystem.names(in: "/proc/\(pid)/fd").contains {
                    FileSystem.linkTarget("/proc/\(pid)/fd/\($0)") == "\(system.home)/lock"
                }
            }
            let both = [try system.keeper(), try system.daemon]
            #expect(Set(holders) == Set(both))
            // The daemon takes the keeper's place, and both have it again.
            let keeper = try PidFD(system.keeper())
            try keeper.send(SIGKILL)
            #expect(keeper.waitUntilDead(milliseconds: 20_000))
            #expect(try system.run("up", "--detach").code == 1)
            #expect(try system.run("status").code == 0)
            let successor = try system.keeper()
            #expect(HomeHolder(home: system.home)?.pid == successor)
        }
    }
}
