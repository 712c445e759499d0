internal import DBus
internal import Dispatch
internal import LinuxSystem
internal import Synchronization

extension SourceProbe {
    /// All that there may be. Waits for the answers, a few seconds at most; what has not answered by then is left out.
    package static func all() -> [SourceProbe] {
        let found = Found()
        let queue = DispatchQueue(label: "org.greenroom.probes")
        let bus = DBusConnection(.system, queue: queue)
        queue.sync {
            found.expect(4)
            let address = CurrentProcess.environment("GREENROOM_GPSD").flatMap { GPSDAddress($0) } ?? .standard
            gpsd(at: address, queue: queue) { found.add($0) }
            bus.onState = { state in if state != .closed { askBus(bus, found) } }
            bus.begin()
            // Where there is no bus the connection waits for one and says nothing.
            queue.asyncAfter(deadline: .now() + .milliseconds(500)) { askBus(bus, found) }
        }
        let probes = found.wait()
        queue.sync {
            bus.onState = { _ in }
            bus.close()
        }
        return probes
    }

    private static func askBus(_ bus: DBusConnection, _ found: Found) {
        guard found.isFirstState() else { return }
        for ask in [geoClue, modemManager, compass] { ask(bus) { found.add($0) } }
    }

    private final class Found: Sendable {
        private let group = DispatchGroup()
        private let probes = Mutex<(all: [SourceProbe], hasState: Bool)>(([], false))

        func expect(_ count: Int) { for _ in 0..<count { group.enter() } }

        func add(_ probe: SourceProbe) {
            probes.withLock { $0.all.append(probe) }
            group.leave()
        }

        func isFirstState() -> Bool {
            probes.withLock { probes in
                defer { probes.hasState = true }
                return !probes.hasState
            }
        }

        func wait() -> [SourceProbe] {
            _ = group.wait(timeout: .now() + .seconds(4))
            return probes.withLock { $0.all }.sorted { $0.name.lowercased() < $1.name.lowercased() }
        }
    }
}
