package import Model
package import PolicyCore

/// One event of a recording, and what the Core made of it.
package struct ReplayedEvent: Sendable {
    /// Counts from 1, where the recording begins.
    package var number: Int
    package var at: Instant
    package var event: Event
    package var effects: [Effect]
}

/// Feeds a recording to the Core, event by event, and compares every effect with what was recorded, and the whole Core
/// with every checkpoint on the way.
package struct Replay {
    /// What is worth knowing beside that everything is equal.
    package enum Notice: Hashable, Sendable {
        /// Another system begins: after an orderly end, or after the machine was started anew.
        case newSystem(after: Int, isAnotherBoot: Bool)
        case daemonRestarted(after: Int)
        /// Events are missing, because they could not be written down.
        case gap(after: Int)
        /// The last record is not whole.
        case cut(file: String, after: Int)
    }

    package struct Counts: Hashable, Sendable {
        package var events = 0
        package var effects = 0
        /// Events whose effects are not in the recording: the last one of a daemon that was killed, or those of
        /// version 1.
        package var uncompared = 0
        package var segments = 0
        /// Systems, one after the other, and daemons that took over from a dead one.
        package var systems = 1
        package var restarts = 0
        package var checkpoints = 0
    }

    package let files: RecordingFiles
    /// The Core after the last event.
    package private(set) var system: System
    package private(set) var now: Instant
    package private(set) var counts = Counts()
    package private(set) var notices: [Notice] = []
    /// When the recording begins, and the number that its first log entry had or would have.
    package private(set) var begin: WallTime?
    package let firstSequence: LogSequence
    /// What the Core made of the last event, whether or not that is what was recorded.
    package private(set) var effects: [Effect] = []

    private var source: SegmentSource
    private var boot: String
    /// A checkpoint said that a daemon took over, and that daemon has not adopted yet.
    private var isRestartTold = false
    /// The last log entry, for the report of a divergence.
    private var lastEntry: LogEntry?

    package init(_ files: RecordingFiles) throws(RecordingError) {
        self.files = files
        source = try SegmentSource(files)
        guard let header = source.current.header else {
            throw .missingCheckpoint(files.checkpoint(source.current.number))
        }
        system = header.system
        now = Instant(nanoseconds: header.base)
        boot = header.boot
        firstSequence = header.system.nextSequence
        counts.segments = 1
    }

    /// Replays the next event; `nil` at the end. After a divergence, and after a checkpoint that differs, it goes on as
    /// the Core decides now.
    package mutating func next() throws(RecordingError) -> ReplayedEvent? {
        while true {
            switch try source.next(after: counts.events) {
            case .event(let event, let after): return try replay(event, after: after)
            case .segment(let segment): try enter(segment)
            case .cut(let file):
                notices.append(.cut(file: file, after: counts.events))
            case nil: return nil
            }
        }
    }

    private mutating func replay(_ event: Event, after: Span) throws(RecordingError) -> ReplayedEvent {
        now = now + after
        effects = system.handle(event, at: now)
        counts.events += 1
        noteRestart(event)
        // A system that is new learns from its first event what time it is.
        if begin == nil { begin = system.wall(now) }
        if let marks = try source.effects(after: counts.events) {
            try compare(effects, marks, event)
        } else {
            counts.uncompared += 1
        }
        for case .log(let entry) in effects.lazy.map(\.action) { lastEntry = entry }
        return ReplayedEvent(number: counts.events, at: now, event: event, effects: effects)
    }

    /// A daemon that dies soon leaves no checkpoint that says so.
    private mutating func noteRestart(_ event: Event) {
        guard case .adopted = event else { return }
        if !isRestartTold { tellRestart(after: counts.events - 1) }
        isRestartTold = false
    }

    private mutating func tellRestart(after number: Int) {
        counts.restarts += 1
        notices.append(.daemonRestarted(after: number))
    }

    private mutating func compare(
        _ effects: [Effect], _ marks: [EffectMark], _ event: Event
    ) throws(RecordingError) {
        counts.effects += marks.count
        for place in 0..<max(effects.count, marks.count) {
            let effect = place < effects.count ? effects[place] : nil
            let mark = place < marks.count ? marks[place] : nil
            if let effect, let mark, EffectMark(effect) == mark { continue }
            throw .diverged(
                Divergence(
                    number: counts.events, at: system.wall(now), event: system.sentence(for: event), effect: place + 1,
                    recorded: mark?.kindName, replayed: effect.map { system.sentence(for: $0) },
                    replayedKind: effect?.kind.name, before: lastEntry.map { system.sentence(for: $0) }))
        }
    }

    // MARK: Segments

    private mutating func enter(_ segment: Segment) throws(RecordingError) {
        counts.segments += 1
        guard let header = segment.header else {
            // The daemon that the checkpoint told of had adopted, or it died and this is another one's.
            isRestartTold = false
            return
        }
        defer { now = Instant(nanoseconds: header.base) }
        let isAnotherBoot = header.boot != boot
        if isAnotherBoot || isFresh(header) {
            notices.append(.newSystem(after: counts.events, isAnotherBoot: isAnotherBoot))
            system = header.system
            boot = header.boot
            counts.systems += 1
        } else if header.start == .gap {
            notices.append(.gap(after: counts.events))
            system = header.system
        } else {
            let path = files.checkpoint(segment.number)
            if let difference = try CanonicalState.difference(header, segment.checkpoint, system, path) {
                throw .checkpointDiffers(file: path, after: counts.events, difference)
            }
            counts.checkpoints += 1
            // Version 1 did not say why a segment begins.
            if header.start == .restarted || header.start == nil {
                tellRestart(after: counts.events)
                isRestartTold = true
            }
        }
    }

    /// Version 1 did not say; there a system without apps behind one with apps is a new one.
    private func isFresh(_ header: SegmentHeader) -> Bool {
        header.start.map { $0 == .fresh } ?? (header.system.allApps.isEmpty && !system.allApps.isEmpty)
    }
}
