internal import Dispatch
internal import LinuxSystem
internal import NotificationsWire

/// An app's sound file for a notification.
struct SoundSource: Hashable, Sendable {
    var app: String
    /// `nil` means this process's user.
    var user: UInt32?
    var folder: String
    var name: String

    var path: String { "\(folder)/\(name)" }
}

/// Provides apps' sounds in formats that desktops play. iOS apps have sounds in CAF and AIFF, which desktops do not
/// play. A separate process converts such a file once, and the result is cached.
///
/// Unchecked: used on the service's queue only.
final class Sounds: @unchecked Sendable {
    typealias Answer = (Shown.Sound) -> Void

    private struct Work {
        let source: SoundSource
        let file: Descriptor
        var answers: [Answer]
    }

    private let queue: DispatchQueue
    private let worker = DispatchQueue(label: "greenroom.notifications.sounds")
    private let folder: String
    private let program: String
    /// The pending conversions by the name of the result. The first one is running.
    private var work: [(name: String, work: Work)] = []
    private var refused: Set<String> = []
    private var converter: Converter?
    private var isEnding = false
    /// Receives a sentence for the log.
    var onTrouble: (String) -> Void = { _ in }
    /// Called when no conversion is pending any longer.
    var onIdle: () -> Void = {}

    static let mostKept = 100
    private static let mostRefused = 1000
    private static let unfinished = ".part"

    /// - Parameter folder: the service's.
    init(_ queue: DispatchQueue, folder: String) {
        self.queue = queue
        self.folder = folder + "/sounds"
        let own = CurrentProcess.executablePath ?? ""
        program = own.prefix(through: own.lastIndex(of: "/") ?? own.startIndex) + "greenroom-sound"
        for name in FileSystem.names(in: self.folder) where name.hasSuffix(Self.unfinished) { remove(name) }
    }

    var isIdle: Bool { work.isEmpty }

    private func remove(_ name: String) { FileSystem.remove("\(folder)/\(name)") }

    // MARK: Asking

    /// - Parameter answer: called once, and immediately if no conversion is needed. It is not called after `end`, or if
    ///   the app is forgotten first.
    func playable(_ source: SoundSource, _ answer: @escaping Answer) {
        guard !isEnding else { return }
        guard let file = try? Directory(opening: source.folder).open(source.name, .read),
            let identity = try? file.identity(), identity.isRegular
        else { return answer(.standard) }
        var start = [UInt8](repeating: 0, count: SoundFormat.startLength)
        let count = (try? file.readAt(0, into: &start)) ?? 0
        if SoundFormat.isPlayed(Array(start.prefix(count))) { return answer(.file(source.path)) }
        // Identifiers of apps have no plus sign. A changed file gets a new name.
        let name = "\(source.app)+\(identity.device)-\(identity.inode)-\(identity.size)-\(identity.modified).wav"
        if refused.contains(name) { return answer(.standard) }
        if FileSystem.exists("\(folder)/\(name)") { return answer(.file("\(folder)/\(name)")) }
        if let place = work.firstIndex(where: { $0.name == name }) {
            work[place].work.answers.append(answer)
        } else {
            work.append((name, Work(source: source, file: file, answers: [answer])))
            convert()
        }
    }

    private func convert() {
        guard converter == nil, let (name, first) = work.first else { return }
        let converter = Converter(program, on: queue, worker: worker)
        self.converter = converter
        converter.onEnd = { [weak self] in self?.ended(name, $0) }
        converter.run(first.file, to: "\(folder)/\(name)\(Self.unfinished)", as: first.source.user)
    }

    private func ended(_ name: String, _ result: Result<NotificationSoundOutcome, Converter.Trouble>) {
        converter = nil
        guard !isEnding else { return }
        if work.first?.name == name {
            let ended = work.removeFirst().work
            let sound = made(name, ended.source, result)
            for answer in ended.answers { answer(sound) }
        } else {
            // Its app was removed in the meantime.
            remove(name + Self.unfinished)
        }
        convert()
        if isIdle { onIdle() }
    }

    private func made(
        _ name: String, _ source: SoundSource, _ result: Result<NotificationSoundOutcome, Converter.Trouble>
    ) -> Shown.Sound {
        let draft = "\(folder)/\(name)\(Self.unfinished)"
        do {
            let outcome = try result.get()
            if outcome == .converted {
                try FileSystem.rename(draft, to: "\(folder)/\(name)")
                tidy(keeping: name)
                return .file("\(folder)/\(name)")
            }
            onTrouble("\(source.app): \(source.name) \(outcome.sentence): the standard sound is played")
        } catch {
            onTrouble("\(source.app): \(source.name) cannot be converted for desktops: \(error)")
        }
        FileSystem.remove(draft)
        if refused.count >= Self.mostRefused { refused = [] }
        refused.insert(name)
        return .standard
    }

    // MARK: What is kept

    /// Removes the oldest files. The next notification of an app creates its file again.
    private func tidy(keeping newest: String) {
        let names = FileSystem.names(in: folder).filter { $0 != newest && !$0.hasSuffix(Self.unfinished) }
        guard names.count >= Self.mostKept else { return }
        let byAge = names.map { (FileSystem.modified("\(folder)/\($0)") ?? 0, $0) }.sorted { $0 < $1 }
        for (_, name) in byAge.prefix(names.count + 1 - Self.mostKept) { remove(name) }
    }

    /// The app was removed.
    func forget(_ app: String) {
        let isRunning = work.first?.work.source.app == app
        work.removeAll { $0.work.source.app == app }
        if isRunning { converter?.stop() }
        for name in FileSystem.names(in: folder) where name.hasPrefix(app + "+") { remove(name) }
    }

    func end() {
        isEnding = true
        converter?.stop()
    }
}
