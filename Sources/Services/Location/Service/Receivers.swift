package import DBus
package import Dispatch
internal import LinuxSystem
package import LocationModel
package import LocationSources

/// The real sources of the machine, and what somebody pretends in their place.
///
/// Unchecked: used on its queue only.
package final class Receivers: @unchecked Sendable {
    private let queue: DispatchQueue
    private let sources: [FixSource: any LocationSource]
    private let compass: any LocationSource
    private weak var client: (any LocationSourceClient)?
    private let filter = Filter()
    private let bus: DBusConnection
    /// What is wanted before the sources have begun waits for that: a source tells its first state to whoever there is.
    private var hasBegun = false
    private var wanted: Set<FixSource> = []
    private var wantsCompass = false
    private var player: TrackPlayer?
    /// Where somebody says that the device is.
    private var place: (coordinate: Coordinate, accuracy: Double)?
    private var ticks: (any DispatchSourceTimer)?

    /// What real sources say goes on only while nobody pretends anything.
    private final class Filter: LocationSourceClient {
        weak var client: (any LocationSourceClient)?
        var isPretending = false
        var hasPretendedCell = false

        func source(_ source: FixSource, is state: SourceState) {
            let isHidden = source == .gps && isPretending || source == .cell && hasPretendedCell
            if !isHidden { client?.source(source, is: state) }
        }

        func found(_ fix: Fix) { if !isPretending { client?.found(fix) } }
        func moved(to tower: CellTower?) { if !hasPretendedCell { client?.moved(to: tower) } }
        func turned(to heading: Heading) { client?.turned(to: heading) }
        func compass(is state: SourceState) { client?.compass(is: state) }
    }

    /// `GREENROOM_GPSD` says where gpsd listens, where it is not where it usually is.
    convenience init(_ queue: DispatchQueue) {
        let address = CurrentProcess.environment("GREENROOM_GPSD").flatMap { GPSDAddress($0) } ?? .standard
        let bus = DBusConnection(.system, queue: queue)
        self.init(
            queue, bus: bus,
            sources: [
                .gps: GPSDSource(queue: queue, address: address), .network: GeoClueSource(queue: queue, bus: bus),
                .cell: ModemCells(queue: queue, bus: bus),
            ], compass: HeadingSource(queue: queue, bus: bus))
    }

    /// - Parameter bus: what the sources use.
    package init(
        _ queue: DispatchQueue, bus: DBusConnection, sources: [FixSource: any LocationSource],
        compass: any LocationSource
    ) {
        (self.queue, self.bus, self.sources, self.compass) = (queue, bus, sources, compass)
    }

    package func begin(_ client: any LocationSourceClient) {
        self.client = client
        filter.client = client
        bus.begin()
        for source in sources.values { source.begin(filter) }
        compass.begin(filter)
        hasBegun = true
        settle()
    }

    package func end() {
        for source in sources.values { source.end() }
        compass.end()
        player?.stop()
        ticks?.cancel()
        bus.close()
    }

    package func power(_ source: FixSource, _ isOn: Bool) {
        if isOn { wanted.insert(source) } else { wanted.remove(source) }
        settle()
    }

    package func powerCompass(_ isOn: Bool) {
        wantsCompass = isOn
        settle()
    }

    private func settle() {
        guard hasBegun else { return }
        if compass.isOn != wantsCompass { compass.isOn = wantsCompass }
        for (source, real) in sources {
            let isHidden = source == .gps && filter.isPretending || source == .cell && filter.hasPretendedCell
            let isOn = wanted.contains(source) && !isHidden
            if real.isOn != isOn { real.isOn = isOn }
        }
        let isTicking = place != nil && wanted.contains(.gps)
        guard isTicking != (ticks != nil) else { return }
        ticks?.cancel()
        ticks = nil
        if isTicking { tick() }
    }

    // MARK: Pretending

    /// It is there from now on; `nil`: what is real counts again.
    func pretend(_ coordinate: Coordinate?, accuracy: Double) {
        player?.stop()
        player = nil
        place = coordinate.map { ($0, accuracy) }
        pretends(place != nil)
        say()
    }

    /// - Parameter onEnd: the track has been gone along; not called where another one takes its place.
    func follow(_ track: Track, pace: Double) {
        place = nil
        player?.stop()
        pretends(true)
        let player = TrackPlayer(queue: queue, track: track, pace: pace, client: self)
        // It stays where it ended.
        player.onEnd = { [weak self] in
            guard let self, let last = track.points.last else { return }
            self.player = nil
            place = (last.coordinate, last.accuracy ?? 5)
            settle()
        }
        self.player = player
        player.begin()
    }

    func stopFollowing() { pretend(nil, accuracy: 0) }

    /// The modem says that it is in this cell.
    func pretend(_ tower: CellTower?) {
        filter.hasPretendedCell = tower != nil
        settle()
        client?.source(.cell, is: tower == nil ? .absent("there is no modem") : .present)
        client?.moved(to: tower)
    }

    private func pretends(_ isPretending: Bool) {
        filter.isPretending = isPretending
        settle()
        client?.source(.gps, is: .present)
    }

    /// As a receiver does: once a second, while it is powered.
    private func tick() {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.say() }
        timer.schedule(deadline: .now() + .seconds(1), repeating: .seconds(1), leeway: .milliseconds(50))
        timer.activate()
        ticks = timer
    }

    private func say() {
        guard let place, wanted.contains(.gps) else { return }
        let time = Double(Clock.wall()) / 1e9
        client?.found(Fix(place.coordinate, accuracy: place.accuracy, time: time, source: .gps))
    }
}

extension Receivers: LocationSourceClient {
    package func source(_ source: FixSource, is state: SourceState) {}

    /// Of the track: heard while the receiver would be on.
    package func found(_ fix: Fix) { if wanted.contains(.gps) { client?.found(fix) } }
    package func moved(to tower: CellTower?) {}
    package func turned(to heading: Heading) {}
    package func compass(is state: SourceState) {}
}
