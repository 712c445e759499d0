package import Model

/// What is so at the end of a run of records: what a file of the ring begins with, and an answer that begins in the
/// middle. Apps that do not run have nothing that stands.
package struct Standing {
    private struct App {
        var name: TimelineRecord?
        var state: TimelineRecord?
        var priority: TimelineRecord?
        var memory: TimelineRecord?
        var assertions: [(id: UInt64, record: TimelineRecord)] = []

        var records: [TimelineRecord] { [name, state, priority, memory].compactMap { $0 } + assertions.map(\.record) }
    }

    private var order: [String] = []
    private var apps: [String: App] = [:]
    private var available: TimelineRecord?
    /// The last beginning, and the clock as it was set since.
    package private(set) var boot = ""
    package private(set) var offset: Int64 = 0
    /// The latest moment of this boot.
    package private(set) var latest = Instant(nanoseconds: .min)

    package init() {}

    /// In an order in which they can be told again.
    package var records: [TimelineRecord] {
        order.flatMap { apps[$0]?.records ?? [] } + [available].compactMap { $0 }
    }

    package mutating func note(_ record: TimelineRecord) {
        switch record.what {
        case .began(let beginning): begin(beginning)
        case .clockSet(let offset): self.offset = offset
        case .named(let app, _): change(app) { $0.name = record }
        case .state(let app, .notRunning):
            apps[app] = nil
            order.removeAll { $0 == app }
        case .state(let app, _): change(app) { $0.state = record }
        case .priority(let app, _): change(app) { $0.priority = record }
        case .memory(let app, _):
            // What was measured of an app that has ended meanwhile stands for nothing.
            if apps[app]?.state != nil { change(app) { $0.memory = record } }
        case .assertionBegan(let app, let held):
            change(app) { app in
                // Their numbers grow; one that is told again stands already.
                if let last = app.assertions.last, last.id >= held.id { app.assertions.removeAll { $0.id == held.id } }
                app.assertions.append((held.id, record))
            }
        case .assertionEnded(let app, let id): change(app) { $0.assertions.removeAll { $0.id == id } }
        case .available: available = record
        case .entry, .processorUsed, .networkUsed, .diskUsed, .report: break
        }
        latest = max(latest, record.at)
    }

    private mutating func begin(_ beginning: Beginning) {
        if beginning.boot != boot { latest = Instant(nanoseconds: .min) }
        if beginning.kind == .fresh || beginning.boot != boot {
            order = []
            apps = [:]
            available = nil
        }
        boot = beginning.boot
        offset = beginning.offset
    }

    private mutating func change(_ app: String, _ body: (inout App) -> Void) {
        if apps[app] == nil { order.append(app) }
        body(&apps[app, default: App()])
    }
}
