package import AudioModel

/// What a control asks an app's player for, in the words of MPRIS.
package enum Control: Hashable {
    case play, pause, playPause, stop, next, previous
    /// By so many microseconds.
    case seek(Int64)
    /// To so many microseconds after the beginning.
    case move(Int64)
    case rate(Double)
    case shuffle(Bool)
    case loop(AudioRepeat)

    var name: String {
        switch self {
        case .play: "Play"
        case .pause: "Pause"
        case .playPause: "PlayPause"
        case .stop: "Stop"
        case .next: "Next"
        case .previous: "Previous"
        case .seek: "Seek"
        case .move: "SetPosition"
        case .rate: "Rate"
        case .shuffle: "Shuffle"
        case .loop: "LoopStatus"
        }
    }
}

extension PublishedState {
    package enum Translation: Hashable {
        case command(AudioCommand)
        /// It is so already, or cannot be so.
        case nothing
        /// The player obeys no command that does this.
        case refused
    }

    var canPlay: Bool { obeys(.play) || obeys(.toggle) }
    var canPause: Bool { obeys(.pause) || obeys(.toggle) }
    var canSeek: Bool { obeys(.seek) || obeys(.skipForward) || obeys(.skipBackward) }

    func obeys(_ kind: AudioCommandKind) -> Bool { commands.contains(kind) }

    /// An app that obeys only some of the commands gets the one of them that does the same.
    package func translate(_ control: Control, at now: Int64) -> Translation {
        let plays = status == .playing
        switch control {
        case .play: return command(.play) ?? (plays ? canPlay ? .nothing : .refused : command(.toggle) ?? .refused)
        case .pause: return command(.pause) ?? (plays ? command(.toggle) ?? .refused : canPause ? .nothing : .refused)
        case .playPause: return command(.toggle) ?? command(plays ? .pause : .play) ?? .refused
        // What matters to the one that asks is silence.
        case .stop: return command(.stop) ?? translate(.pause, at: now)
        case .next: return command(.next) ?? .refused
        case .previous: return command(.previous) ?? .refused
        case .seek(let offset): return seek(by: Microseconds.bounded(offset), at: now)
        case .move(let position): return move(to: position, at: now)
        case .rate(0): return translate(.pause, at: now)
        case .rate(let rate):
            guard rate.isFinite else { return .nothing }
            return command(.rate(min(max(rate, rateRange.lowerBound), rateRange.upperBound))) ?? .refused
        case .shuffle(let value): return command(.shuffle(value)) ?? .refused
        case .loop(let value): return command(.repeats(value)) ?? .refused
        }
    }

    private func command(_ command: AudioCommand) -> Translation? { obeys(command.kind) ? .command(command) : nil }

    private func seek(by offset: Int64, at now: Int64) -> Translation {
        guard canSeek else { return .refused }
        guard offset != 0 else { return .nothing }
        let seconds = Microseconds.seconds(abs(offset))
        let target = max(0, position(at: now) + offset)
        // MPRIS: past the end it acts like a call to Next.
        if let length, target > length, let next = command(.next) { return next }
        if let skip = command(offset > 0 ? .skipForward(seconds) : .skipBackward(seconds)) { return skip }
        return command(.seek(Microseconds.seconds(min(target, length ?? .max)))) ?? .refused
    }

    /// MPRIS wants a position outside of the track to have no effect.
    private func move(to target: Int64, at now: Int64) -> Translation {
        guard canSeek else { return .refused }
        guard target >= 0, target <= length ?? .max else { return .nothing }
        if let seek = command(.seek(Microseconds.seconds(target))) { return seek }
        let offset = Microseconds.bounded(target) - position(at: now)
        guard offset != 0 else { return .nothing }
        let seconds = Microseconds.seconds(abs(offset))
        return command(offset > 0 ? .skipForward(seconds) : .skipBackward(seconds)) ?? .refused
    }
}
