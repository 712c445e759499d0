package import Dispatch
internal import LinuxSystem
internal import LocationModel

/// Replays a track as fixes of the satellites, with the times of now.
///
/// Each point has its moment counted from the beginning, so that what a turn is late by is not added up. The speeds of
/// the fixes are those of the track, however fast it is replayed.
///
/// Unchecked: used on its queue only; its client is called there.
package final class TrackPlayer: @unchecked Sendable {
    private let queue: DispatchQueue
    private let track: Track
    /// How many seconds of the track pass in one.
    private let pace: Double
    private let accuracy: Double
    private weak var client: (any LocationSourceClient)?
    private var timer: (any DispatchSourceTimer)?
    private var beginning = DispatchTime(uptimeNanoseconds: 0)
    /// The point that comes next.
    package private(set) var next = 0
    /// Called after the last point, and not when it was stopped.
    package var onEnd: () -> Void = {}

    /// - Parameters:
    ///   - pace: 1 is real time, which a pace that is no positive number stands for, too.
    ///   - accuracy: Metres, for points that say nothing of it.
    package init(
        queue: DispatchQueue, track: Track, pace: Double = 1, accuracy: Double = 5, client: any LocationSourceClient
    ) {
        (self.queue, self.track, self.client) = (queue, track, client)
        self.pace = pace.isFinite && pace > 0 ? pace : 1
        self.accuracy = accuracy.asAmount ?? 5
    }

    deinit { timer?.cancel() }

    package var isPlaying: Bool { timer != nil }

    /// The first point comes at once, on the queue. What plays already begins anew.
    package func begin() {
        dispatchPrecondition(condition: .onQueue(queue))
        stop()
        next = 0
        beginning = .now()
        let timer = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        timer.setEventHandler { [weak self] in self?.turn() }
        self.timer = timer
        timer.schedule(deadline: beginning)
        timer.resume()
    }

    /// No further point comes.
    package func stop() {
        dispatchPrecondition(condition: .onQueue(queue))
        timer?.cancel()
        timer = nil
    }

    /// One point in a turn, so that others have theirs, however fast the track goes.
    private func turn() {
        guard let timer, next < track.points.count else { return }
        let point = track.points[next]
        next += 1
        if next < track.points.count {
            timer.schedule(deadline: moment(track.points[next].time), leeway: .milliseconds(1))
        } else {
            stop()
        }
        if let fix = fix(point).plausible { client?.found(fix) }
        if next == track.points.count, self.timer == nil { onEnd() }
    }

    private func moment(_ seconds: Double) -> DispatchTime {
        let century = 3.2e18
        return DispatchTime(uptimeNanoseconds: beginning.uptimeNanoseconds + UInt64(min(seconds / pace * 1e9, century)))
    }

    private func fix(_ point: TrackPoint) -> Fix {
        Fix(
            point.coordinate, accuracy: point.accuracy ?? accuracy, time: Double(Clock.wall()) / 1e9, source: .gps,
            altitude: point.altitude, speed: point.speed, course: point.course)
    }
}
