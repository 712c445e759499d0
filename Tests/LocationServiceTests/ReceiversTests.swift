import DBus
import Dispatch
import LocationModel
import LocationService
import LocationSources
import Testing

/// A service that starts finds a look overdue before the daemon has greeted it: only then do the sources begin.
@Suite("The receivers of the location service")
struct ReceiversTests {
    private let queue = DispatchQueue(label: "receivers")
    private let satellites = Source(.gps)
    private let cells = Source(.cell)
    private let compass = Source(nil)
    private let listener = Listener()

    private func receivers() -> Receivers {
        Receivers(
            queue, bus: DBusConnection(.at("unix:path=/nonexistent/bus"), queue: queue),
            sources: [.gps: satellites, .cell: cells], compass: compass)
    }

    @Test func `What is wanted before the sources begin is turned on once they have told their first state`() {
        let receivers = receivers()
        queue.sync {
            receivers.power(.gps, true)
            receivers.powerCompass(true)
            #expect(satellites.steps.isEmpty && compass.steps.isEmpty)
            receivers.begin(listener)
            #expect(satellites.steps == ["begins", "on"])
            #expect(compass.steps == ["begins", "on"])
            #expect(cells.steps == ["begins"])
            #expect(Set(listener.told) == ["gps", "cell", "compass"])
            receivers.end()
        }
    }

    @Test func `What was wanted and is not any more is never turned on`() {
        let receivers = receivers()
        queue.sync {
            receivers.power(.gps, true)
            receivers.power(.gps, false)
            receivers.begin(listener)
            #expect(satellites.steps == ["begins"])
            receivers.power(.gps, true)
            receivers.power(.gps, false)
            #expect(satellites.steps == ["begins", "on", "off"])
            receivers.end()
        }
    }
}

/// Notes what is done with it, and is there as soon as it begins.
///
/// Unchecked: used on the test's queue only.
private final class Source: LocationSource, @unchecked Sendable {
    private let source: FixSource?
    private(set) var steps: [String] = []

    init(_ source: FixSource?) { self.source = source }

    func begin(_ client: any LocationSourceClient) {
        steps.append("begins")
        if let source { client.source(source, is: .present) } else { client.compass(is: .present) }
    }

    func end() { steps.append("ends") }

    var isOn = false {
        didSet { steps.append(isOn ? "on" : "off") }
    }
}

/// Unchecked: used on the test's queue only.
private final class Listener: LocationSourceClient, @unchecked Sendable {
    private(set) var told: [String] = []

    func source(_ source: FixSource, is state: SourceState) { told.append(source.rawValue) }
    func compass(is state: SourceState) { told.append("compass") }
    func found(_ fix: Fix) {}
    func moved(to tower: CellTower?) {}
    func turned(to heading: Heading) {}
}
