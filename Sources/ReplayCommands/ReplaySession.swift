package import Commands
internal import Foundation
internal import Model
internal import PolicyCore
internal import Recording
internal import Wire

/// One replay, up to its end or to a moment, and what was seen on the way.
struct ReplaySession {
    private(set) var replay: Replay
    /// The log of the present system, oldest first.
    private(set) var entries: [Model.LogEntry] = []
    private(set) var lastSequence: LogSequence?
    private var systems = 1

    init(_ path: String, in context: CommandContext) throws(CommandFailure) {
        do throws(RecordingError) {
            replay = try Replay(RecordingFiles(context.absolute(path)))
        } catch {
            throw .failed(error.description)
        }
    }

    /// Replays; what came out differently, if anything did.
    mutating func run(until: UInt64?, keepingHistory: Bool) throws(CommandFailure) -> Divergence? {
        if let until, until < replay.firstSequence.rawValue {
            throw .failed(
                "the recording begins with entry \(replay.firstSequence.rawValue) of the log: entry \(until) is older")
        }
        do throws(RecordingError) {
            while let event = try replay.next() {
                note(event, keepingHistory)
                if let until, let lastSequence, lastSequence.rawValue >= until { return nil }
            }
        } catch {
            guard case .diverged(let divergence) = error else { throw .failed(error.description) }
            return divergence
        }
        if let until {
            throw .failed(
                "the recording ends with entry \(lastSequence?.rawValue ?? 0) of the log: there is no entry \(until)")
        }
        return nil
    }

    private mutating func note(_ event: ReplayedEvent, _ keepsHistory: Bool) {
        if replay.counts.systems > systems {
            // Causes do not reach beyond the beginning of a system, and its apps have numbers of their own.
            systems = replay.counts.systems
            entries = []
        }
        for case .log(let entry) in event.effects.lazy.map(\.action) {
            lastSequence = entry.sequence
            if keepsHistory { entries.append(entry) }
        }
    }

    /// Where the clock stood.
    var moment: WallTime { replay.system.wall(replay.now) }
}

// The result of a whole replay.
extension ReplaySession {
    func text(_ context: CommandContext) -> String {
        let counts = replay.counts
        let clock = context.clock
        var lines = [
            "\(context.style(.green, "every effect is equal")): \(count(counts.effects, "effect")) of "
                + "\(count(counts.events, "event"))"
        ]
        if counts.checkpoints > 0 { lines.append("\(count(counts.checkpoints, "checkpoint")) on the way, all equal") }
        if let begin = replay.begin {
            let end = moment
            let span = Span(nanoseconds: end.nanoseconds - begin.nanoseconds)
            lines.append("from \(clock.text(begin)) to \(clock.text(end)), \(Self.duration(span))")
        }
        if let lastSequence {
            lines.append("entries \(replay.firstSequence.rawValue) to \(lastSequence.rawValue) of the log")
        }
        lines += replay.notices.map(Self.sentence)
        if counts.uncompared > 0 {
            lines.append(
                "the effects of \(count(counts.uncompared, "event")) were not recorded: a daemon died before, or it was "
                    + "of version 1")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

    private static func duration(_ span: Span) -> String {
        let seconds = span.nanoseconds / 1_000_000_000
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    private static func sentence(_ notice: Replay.Notice) -> String {
        switch notice {
        case .newSystem(let after, let isAnotherBoot):
            "after event \(after) another system begins\(isAnotherBoot ? ": the machine was started anew" : "")"
        case .daemonRestarted(let after): "after event \(after) a daemon took over from one that died"
        case .gap(let after): "after event \(after) some are missing: they could not be written down"
        case .cut(let file, let after): "cut after event \(after): \(Visible.line(file)) ends within a record"
        }
    }

    func json(_ divergence: Divergence?) -> JSONValue {
        let counts = replay.counts
        return [
            "equal": .bool(divergence == nil), "events": .int(Int64(counts.events)),
            "effects": .int(Int64(counts.effects)), "uncompared": .int(Int64(counts.uncompared)),
            "segments": .int(Int64(counts.segments)), "checkpoints": .int(Int64(counts.checkpoints)),
            "systems": .int(Int64(counts.systems)), "restarts": .int(Int64(counts.restarts)),
            "from": JSONValue(replay.begin?.iso8601), "to": .string(moment.iso8601),
            "firstEntry": .int(Int64(clamping: replay.firstSequence.rawValue)),
            "lastEntry": JSONValue(lastSequence.map { Int(clamping: $0.rawValue) }),
            "notices": .array(replay.notices.map { .string(Self.sentence($0)) }),
            "divergence": divergence.map(Self.json) ?? .null,
        ]
    }

    private static func json(_ divergence: Divergence) -> JSONValue {
        [
            "event": .int(Int64(divergence.number)), "at": .string(divergence.at.iso8601),
            "what": .string(divergence.event), "effect": .int(Int64(divergence.effect)),
            "recorded": JSONValue(divergence.recorded), "replayed": JSONValue(divergence.replayed),
            "before": JSONValue(divergence.before),
        ]
    }
}

extension Moment.Clock {
    /// Local date and time.
    func text(_ time: WallTime) -> String {
        let shifted = WallTime(nanoseconds: time.nanoseconds + offset(time) * 1_000_000_000).iso8601
        return "\(shifted.prefix(10)) \(shifted.dropFirst(11).prefix(12))"
    }
}

extension CommandContext {
    /// A recording's path, from where the command was given.
    package func absolute(_ path: String) -> String {
        let base = URL(fileURLWithPath: workingDirectory, isDirectory: true)
        return path.hasPrefix("/") ? path : base.appendingPathComponent(path).path
    }
}
