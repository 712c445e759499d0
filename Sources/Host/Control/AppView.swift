internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

/// An app with its processes, on the way to being shown.
struct AppView: Sendable {
    private let app: App
    private let isVisible: Bool
    private let isFront: Bool
    private let wallOffset: Int64
    /// `nil`: they are found out where that may take a while.
    private let pids: [CInt]?
    private let census: (@Sendable () -> [CInt])?
    private let memory: Footprint?
    private let marks: [String: String]

    /// More are never looked at for one answer.
    static let mostInList = 2_500
    /// A line is at most 1 MiB, and one app takes no more than a few KB of it.
    private static let longestList = 3 << 18
    private static let toldAssertions = 16

    init(
        app: App, memory: Footprint?, isVisible: Bool, isFront: Bool, process: AppProcess?, wallOffset: Int64,
        marks: [String: String]
    ) {
        self.app = app
        self.memory = memory
        self.isVisible = isVisible
        self.isFront = isFront
        self.wallOffset = wallOffset
        self.marks = marks
        pids = process == nil ? [] : process?.standing
        census = process?.box.census
    }

    /// As JSON. It is written here, since to write it takes as long as to find it out.
    static func list(_ views: [AppView]) -> [UInt8] {
        var list: [UInt8] = [UInt8(ascii: "[")]
        for view in views where list.count < longestList {
            if list.count > 1 { list.append(UInt8(ascii: ",")) }
            list += view.complete().json.encoded
        }
        list.append(UInt8(ascii: "]"))
        return list
    }

    private func wall(_ moment: Instant) -> String { WallTime(nanoseconds: moment.nanoseconds &+ wallOffset).iso8601 }

    private func complete() -> AppInfo {
        let pids = (pids ?? census?() ?? []).sorted()
        var info = info(pids)
        guard !pids.isEmpty else { return info }
        if let pid = info.pid, !pids.contains(CInt(pid)) {
            let procFS = ProcFS()
            // The first process is gone: the oldest of those left stands for the app.
            let oldest = pids.min { (procFS.stat($0)?.startTime ?? .max) < (procFS.stat($1)?.startTime ?? .max) }
            info.pid = oldest.map { Int($0) }
        }
        return info
    }

    private func info(_ pids: [CInt]) -> AppInfo {
        var info = AppInfo(
            app: app.manifest.identifier.rawValue, name: app.manifest.name, state: app.state.name,
            kind: app.manifest.kind == .plain ? "plain" : "application")
        if let had = memory {
            info.memory = AppInfo.Memory(dirty: Int(had.dirty), purgeable: Int(had.purgeable), clean: Int(had.clean))
        }
        info.pid = app.pid.map { Int($0) }
        info.pids = pids.map { Int($0) }
        info.since = app.since.iso8601
        info.visible = isVisible
        info.role = app.role?.name
        info.scenes = app.sceneInfo
        info.exempt = app.isExempt
        info.front = isFront
        info.marks = app.marks(marks)
        info.assertions = app.heldAssertions.prefix(Self.toldAssertions).map {
            AppInfo.Assertion(
                id: Int($0.id.rawValue), kind: $0.kind.name, name: $0.name, reason: $0.reason, since: wall($0.since),
                expires: $0.expires.map { wall($0) })
        }
        return info
    }
}

extension App {
    /// `nil`: it has none.
    fileprivate var sceneInfo: [AppInfo.Scene]? {
        guard let scenes else { return nil }
        return scenes.sessions.filter { !$0.isDiscarded }.map {
            AppInfo.Scene(scene: Int($0.number.rawValue), state: $0.state.name, role: $0.role?.name)
        }
    }

    /// What everybody is to see of it now.
    func marks(_ known: [String: String]) -> [String] {
        known.isEmpty ? [] : Set(heldAssertions.compactMap { known[$0.name] }).sorted()
    }
}
