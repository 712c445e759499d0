internal import Dispatch
internal import LocationClient
internal import LocationModel
internal import Synchronization
internal import Wire

/// What is behind monitors of one name, and lives as long as one of them or an iteration over its events.
final class MonitorCore: Sendable {
    private typealias Stream = AsyncStream<CLMonitor.Event>.Continuation

    private struct State: Sendable {
        var records: [String: MonitorRecord]
        /// Which addition of a condition it is: an answer about one that was replaced is not about the new one.
        var additions: [String: Int64]
        var streams: [Int64: Stream] = [:]
        var isFinished = false
    }

    /// What a reader may be behind.
    private static let longest = 1024

    private let name: String
    private let home: LocationHome
    private let state: Mutex<State>
    /// The conditions of the last process.
    private let kept: [String: Int64]
    /// Around the writing of the file, so that an older state never replaces a newer one.
    private let file: Mutex<MonitorFile>

    init(_ name: String, home: LocationHome) {
        (self.name, self.home) = (name, home)
        let file = MonitorFile(home.surroundings.folder(), name)
        let records = file.read()
        kept = records.mapValues { _ in home.client.makeNumber() }
        state = Mutex(State(records: records, additions: kept))
        self.file = Mutex(file)
    }

    /// The service forgets what it watches only with the app, but its file may be one of before that.
    func begin() {
        home.client.whenKnown { [weak self] in
            guard let self else { return }
            let known = Set(home.client.regions.map(\.identifier))
            for (identifier, addition) in kept.sorted(by: { $0.value < $1.value }) {
                let record = state.withLock { $0.additions[identifier] == addition ? $0.records[identifier] : nil }
                guard let record, !known.contains(region(identifier).region) else { continue }
                watch(identifier, record, addition)
            }
            home.client.deliver()
        }
    }

    private func region(_ identifier: String) -> MonitorRegion {
        MonitorRegion(monitor: name, identifier: identifier)
    }

    // MARK: What the app does

    var identifiers: [String] { state.withLock { $0.records.keys.sorted() } }

    func record(_ identifier: String) -> CLMonitor.Record? {
        guard let record = state.withLock({ $0.records[identifier] }) else { return nil }
        return CLMonitor.Record(condition: record.value, lastEvent: record.event(identifier))
    }

    func add(_ condition: any CLCondition, _ identifier: String, _ assumed: CLMonitor.Event.State) {
        let kept: MonitorRecord.Condition? =
            switch condition {
            case let circle as CLMonitor.CircularGeographicCondition: .circle(circle)
            case let beacon as CLMonitor.BeaconIdentityCondition: .beacon(beacon)
            default: nil
            }
        guard let kept else {
            return home.surroundings.complain("CLMonitor: no condition of type \(type(of: condition)) is watched here")
        }
        let record = MonitorRecord(condition: kept, state: assumed, date: Date(), isTold: true)
        let addition = home.client.makeNumber()
        state.withLock { ($0.records[identifier], $0.additions[identifier]) = (record, addition) }
        save()
        watch(identifier, record, addition)
    }

    func remove(_ identifier: String) {
        let record = state.withLock { state in
            state.additions[identifier] = nil
            return state.records.removeValue(forKey: identifier)
        }
        guard let record else { return }
        save()
        if case .circle = record.condition { home.client.unmonitor(region(identifier).region) }
    }

    /// What was not heard yet, and what happens from now on.
    func events() -> AsyncStream<CLMonitor.Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: CLMonitor.Event.self, bufferingPolicy: .bufferingNewest(Self.longest))
        let number = home.client.makeNumber()
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.streams.removeValue(forKey: number) }
        }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.streams[number] = continuation }
            // Under the lock, so that what happens meanwhile comes after it.
            for (identifier, record) in state.records.sorted(by: { $0.value.date < $1.value.date }) {
                if !record.isTold { continuation.yield(record.event(identifier)) }
            }
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        return stream
    }

    /// A reader has it: only now, since a reader may go before it has read all.
    func told(_ event: CLMonitor.Event) {
        let isNews = state.withLock { state in
            guard let record = state.records[event.identifier], !record.isTold, record.state == event.state,
                record.date == event.date
            else { return false }
            state.records[event.identifier]?.isTold = true
            return true
        }
        if isNews { save() }
    }

    /// The app is gone.
    func finish() {
        let streams = state.withLock { state in
            defer { (state.streams, state.isFinished) = ([:], true) }
            return state.streams
        }
        for stream in streams.values { stream.finish() }
    }

    // MARK: What the service says

    private func watch(_ identifier: String, _ record: MonitorRecord, _ addition: Int64) {
        guard let region = record.region(region(identifier)) else {
            return later { $0.answered(identifier, addition, .unmonitored, .unsupported) }
        }
        home.client.monitor(region) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success: determine(identifier, region.identifier, addition)
            case .failure(let error): later { $0.answered(identifier, addition, .unmonitored, $0.reason(error)) }
            }
        }
    }

    private func determine(_ identifier: String, _ region: String, _ addition: Int64) {
        home.client.determineState(of: region) { [weak self] result in
            // Where that is not known, the first event comes when the device crosses the edge.
            guard let state = try? result.get(), state != .unknown else { return }
            self?.later { $0.answered(identifier, addition, state == .inside ? .satisfied : .unsatisfied) }
        }
    }

    /// On the main thread.
    private func answered(
        _ identifier: String, _ addition: Int64, _ new: CLMonitor.Event.State, _ reason: CLMonitor.Event.Reason? = nil
    ) {
        guard state.withLock({ $0.additions[identifier] == addition }) else { return }
        heard(identifier, new, Date(), reason)
    }

    private func reason(_ error: RPCError) -> CLMonitor.Event.Reason {
        if home.client.absence != nil { return .deniedGlobally }
        switch CLError(error).code {
        case .denied, .regionMonitoringDenied: return .denied
        default: return home.client.known?.hasRegions == false ? .unsupported : .tooMany
        }
    }

    private func later(_ body: @escaping @Sendable (MonitorCore) -> Void) {
        DispatchQueue.main.async { [weak self] in
            if let self { body(self) }
        }
    }

    /// On the main thread.
    func heard(
        _ identifier: String, _ new: CLMonitor.Event.State, _ date: Date, _ reason: CLMonitor.Event.Reason? = nil
    ) {
        let (event, streams) = state.withLock { state -> (CLMonitor.Event?, [Int64: Stream]) in
            guard var record = state.records[identifier], record.state != new else { return (nil, [:]) }
            (record.state, record.date, record.reason) = (new, date, reason)
            record.isTold = false
            state.records[identifier] = record
            return (record.event(identifier), state.streams)
        }
        guard let event else { return }
        // Kept before it is told: what an app has heard is true also after its end.
        save()
        for stream in streams.values { stream.yield(event) }
    }

    /// What is not kept is watched all the same.
    private func save() {
        do {
            try file.withLock { file in try file.write(state.withLock { $0.records }) }
        } catch {
            home.surroundings.complain("CLMonitor: what “\(name)” watches does not outlive the app: \(error)")
        }
    }
}
