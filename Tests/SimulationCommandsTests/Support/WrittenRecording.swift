import Foundation
import Model
import PolicyCore
import Simulation
import Testing

/// A recording written event by event, at moments that a test chooses.
final class WrittenRecording {
    let folder: String
    private(set) var system: System
    private var now: Instant
    private var number = 0
    private var records: [UInt8] = []
    private var writer = RecordWriter()
    private var last = Instant.zero
    private var command: UInt64 = 0

    static let radio = AppIndex(0)
    static let notes = AppIndex(1)

    init(
        _ folder: String, profile: DeviceProfile = .linux, at start: Instant = Instant(nanoseconds: 10_000_000_000)
    ) throws {
        self.folder = folder
        system = System(profile: profile)
        now = start
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try begin(.fresh)
    }

    /// A clock, two apps, and the first of them in front of a frozen second.
    func playMorning() {
        // 2026-11-21 09:00:00 UTC at the first event.
        post(.clockChanged(wallOffset: 1_795_251_600_000_000_000 - now.nanoseconds))
        post(.booted)
        install("org.example.radio", "Radio", modes: "audio")
        install("org.example.notes", "Notes")
        open(Self.notes, callbacks: 3)
        pass(.seconds(1))
        open(Self.radio, callbacks: 3)
        leave(Self.notes, callbacks: 4...5)
    }

    func install(_ identifier: String, _ name: String, modes: BackgroundModes = []) {
        // The identifiers are literals of the tests.
        guard let identifier = AppIdentifier(identifier) else { preconditionFailure("\(identifier) is none") }
        post(.installed(AppManifest(identifier: identifier, name: name, backgroundModes: modes)))
    }

    /// Opens an app and lets it return so many callbacks, each after 2 ms.
    func open(_ app: AppIndex, callbacks: UInt64) {
        perform(.open(app, role: .primary, wait: true))
        let generation = system.app(app)?.generation ?? Generation(0)
        if system.app(app)?.process == .starting {
            post(.processStarted(app, generation, pid: 4_700 + Int32(app.rawValue)))
            post(.connected(app, generation, executed: nil))
        }
        for callback in 1...callbacks { returned(app, callback) }
    }

    func leave(_ app: AppIndex, callbacks: ClosedRange<UInt64>) {
        for callback in callbacks { returned(app, callback) }
        let generation = system.app(app)?.generation ?? Generation(0)
        post(.prepared(app, generation))
        post(.frozen(app, generation))
        post(.verified(app, generation))
    }

    func returned(_ app: AppIndex, _ callback: UInt64) {
        pass(.milliseconds(2))
        post(.callbackReturned(app, system.app(app)?.generation ?? Generation(0), CallbackNumber(callback)))
    }

    func perform(_ command: Command) {
        self.command += 1
        post(.command(CommandID(self.command), command))
    }

    func pass(_ span: Span) { now = now + span }

    func post(_ event: Event, changing effects: ([Effect]) -> [Effect] = { $0 }) {
        writer.write(event, after: now - last)
        last = now
        records += writer.bytes
        writer.write(effects(system.handle(event, at: now)))
        records += writer.bytes
    }

    /// What happens on a simulated device, from now on.
    func follow(_ device: Device) {
        var isDown = false
        device.observer = { [unowned self, unowned device] event, effects in
            if isDown, case .clockChanged = event {
                // Another system begins, with the numbers that come next.
                isDown = false
                system = System(profile: system.profile, firstSequence: system.nextSequence)
                if (try? begin(.fresh)) == nil { Issue.record("\(folder) cannot be written") }
            }
            now = device.now
            post(event)
            if effects.contains(where: { $0.kind == EffectKind(.halt) }) { isDown = true }
        }
    }

    // MARK: Files

    func begin(_ start: SegmentHeader.Start) throws {
        if number > 0 { try save() }
        number += 1
        records = []
        last = now
        let header = SegmentHeader(boot: "a boot", base: now, start: start, system: system)
        try JSONEncoder().encode(header).write(to: URL(fileURLWithPath: "\(folder)/\(number).checkpoint"))
    }

    /// As `MappedLog` lays it out.
    func save(cutting cut: Int = 0) throws {
        var bytes = Array("1rgmlog1".utf8)
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: records.count >> shift)) }
        bytes += records.dropLast(cut)
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/\(number).events"))
    }
}
