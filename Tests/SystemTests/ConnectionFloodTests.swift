import Glibc
import LinuxSystem
import Testing

extension SystemTests {
    @Suite("Floods of connections and descriptors", .serialized) struct ConnectionFloods {
        private func descriptors(of pid: CInt) -> Int { FileSystem.names(in: "/proc/\(pid)/fd").count }

        /// Tools that connect and say nothing, or begin to.
        private func idle(_ count: Int, _ system: TestSystem) throws -> [Descriptor] {
            CurrentProcess.raiseDescriptorLimit()
            return try (0..<count).map { number in
                let socket = try UnixSocket.connect(to: "\(system.home)/control")
                if number % 2 == 0 { _ = try? socket.send(Array("{\"jsonrpc\":".utf8)[...]) }
                return socket
            }
        }

        @Test("Ten thousand idle connections of tools leave room for the next one, and cost nothing afterwards")
        func idleTools() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            let follower = try system.follower()
            let daemon = try system.daemon
            let before = descriptors(of: daemon)
            // In parts, for a test that may have fewer descriptors than that.
            for _ in 0..<10 {
                let sockets = try idle(min(1000, CurrentProcess.descriptorLimit / 2), system)
                try system.expect("status")
                #expect(descriptors(of: daemon) < before + 600)
                withExtendedLifetime(sockets) {}
            }
            let seen = try system.lastSequence
            try system.play(["open app"])
            // The one that follows the log was never the one to go.
            try follower.wait("didBecomeActive", of: "app", after: seen)
            let patience = Patience()
            while descriptors(of: daemon) > before + 16, !patience.isOver { _ = try system.status() }
            #expect(descriptors(of: daemon) <= before + 16)
        }

        /// Asks everything there is to ask, 200 times at once, for four seconds. Half of them never read an answer.
        private func ask(_ system: TestSystem) throws {
            let methods = ["status", "apps", "log", "memory", "reports", "timeline", "nothing"]
            let lines = methods.map { "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\($0)\",\"params\":{}}\n" }
            let flood = Array(String(repeating: lines.joined(), count: 20).utf8)
            var sockets = try idle(200, system)
            for socket in sockets { try socket.setNonblocking(true) }
            let end = Clock.monotonic() + 4_000_000_000
            while Clock.monotonic() < end {
                for (number, socket) in sockets.enumerated() {
                    var answers: [UInt8] = []
                    do {
                        _ = try socket.send(flood[...])
                        if number % 2 == 0 { _ = try socket.readAlone(into: &answers, upTo: 1 << 20) }
                    } catch {
                        // It was cut off, because it does not read.
                        sockets[number] = try UnixSocket.connect(to: "\(system.home)/control")
                        try sockets[number].setNonblocking(true)
                    }
                }
                try system.pass(seconds: 0.01)
            }
        }

        @Test("Tools that ask without a pause leave a fifth of a processor, and what they took is given back")
        func questions() throws {
            let system = try TestSystem()
            defer { system.end() }
            try system.installPython("app")
            try system.play(["open app"])
            let daemon = try system.daemon
            let procFS = ProcFS()
            let before = try #require(procFS.memory(daemon)?.dirty)
            let (began, used) = (Clock.monotonic(), try #require(procFS.stat(daemon)?.processorTime))
            try ask(system)
            let share =
                Double(try #require(procFS.stat(daemon)?.processorTime) - used) / Double(Clock.monotonic() - began)
            #expect(share < 0.8)
            let patience = Patience()
            var after = try #require(procFS.memory(daemon)?.dirty)
            while after > before + (10 << 20), !patience.isOver {
                try system.pass(seconds: 0.5)
                after = try #require(procFS.memory(daemon)?.dirty)
            }
            #expect(after <= before + (10 << 20))
            #expect(try system.daemon == daemon)
        }

        @Test("A daemon with few descriptors neither spins nor falls when all of them are used")
        func fewDescriptors() throws {
            let system = try TestSystem(within: ["/bin/sh", "-c", "ulimit -n 96; exec \"$@\"", "sh"])
            defer { system.end() }
            let daemon = try system.daemon
            // What the user's own tools cannot use up, others do.
            let sockets = try idle(200, system)
            let used = try #require(ProcFS().stat(daemon)?.processorTime)
            try system.pass(seconds: 1)
            #expect(try #require(ProcFS().stat(daemon)?.processorTime) - used < 300_000_000)
            try system.expect("status")
            withExtendedLifetime(sockets) {}
        }
    }
}
