internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Wire

// Snapshots on the wire: docs/PROTOCOL.md, 2.8. The app writes its picture into its container, and the daemon takes it
// from there; a freeze waits a moment for it. Apps with a screen of their own will be asked in the same place.
extension Host {
    /// Then the suspension goes on, and the picture that there was stays.
    private static func patience(_ profile: DeviceProfile) -> Int64 { profile.freezeLimit.nanoseconds / 2 }

    /// Each has a place of its own: the one before may not have been read yet.
    private func snapshotFile(_ app: AppHost, _ number: Int64) -> String {
        home.container(app.installation.identifier) + "/.snapshot-\(number)"
    }

    func takeSnapshot(_ index: AppIndex, _ generation: Generation) {
        guard let app = host(index), let process = process(index, generation), let connection = process.connection
        else { return }
        process.snapshot.begin()
        let number = process.snapshot.number
        connection.send(
            .notification(
                method: AppNotification.takeSnapshot.rawValue,
                params: [
                    "number": .int(number), "path": .string(snapshotFile(app, number)),
                    "most": .int(Int64(SnapshotStore.limit)),
                ]))
        loop.after(nanoseconds: Self.patience(system.profile)) { [weak self] in
            guard let process = self?.process(index, generation), process.snapshot.number == number else { return }
            process.snapshot.isAsked = false
            process.snapshot.goOn()
        }
    }

    /// The steps before a freeze.
    func prepare(_ index: AppIndex, _ generation: Generation) {
        guard let process = process(index, generation) else { return }
        process.snapshot.wait { [unowned self] in post(.prepared(index, generation)) }
    }

    /// The app says that its picture is there, or that it shows none.
    func snapshotMade(_ params: JSONValue, id: RPCID, _ index: AppIndex, _ process: AppProcess) throws(RPCError) {
        guard let app = host(index) else { return }
        let number = try params.int("number")
        let kind = try params.string("kind")
        guard Int64(number) == process.snapshot.number, process.snapshot.isAsked else {
            throw RPCError(.outOfOrder, "no snapshot \(number) is waited for any more")
        }
        let picture = PictureHeader.Kind(rawValue: kind)
        guard picture != nil || kind == "none" || kind == "kept" else {
            throw .invalidParameter("kind", "a snapshot is png, svg, none (the old one goes) or kept (it stays)")
        }
        process.snapshot.isAsked = false
        let (store, name, source) = (SnapshotStore(home), app.installation.identifier, snapshotFile(app, Int64(number)))
        let owner = app.installation.uid
        workers.run(.slow) { () -> RPCError? in
            defer { FileSystem.remove(source) }
            do throws(RPCError) {
                if let picture {
                    try store.take(source, picture, of: name, owner: owner)
                } else if kind == "none" {
                    store.remove(name)
                }
                return nil
            } catch {
                return error
            }
        } then: { [weak process] failure in
            process?.connection?.send(failure.map { .failure(id: id, $0) } ?? .response(id: id, result: [:]))
        }
        process.snapshot.goOn()
    }

    func ignoreSnapshot(id: RPCID, _ index: AppIndex, _ process: AppProcess) {
        guard let app = host(index) else { return }
        let (store, name) = (SnapshotStore(home), app.installation.identifier)
        workers.run(.slow) {
            store.ignore(name)
        } then: { [weak process] in
            process?.connection?.send(.response(id: id, result: [:]))
        }
    }
}

/// What is under way about a process's picture.
final class SnapshotStep {
    private(set) var number: Int64 = 0
    /// It may still give this one.
    var isAsked = false
    /// What waits for the picture, or for the time to be over.
    private var waiting: (() -> Void)?
    private var isWaitedFor = false

    func begin() {
        number += 1
        isAsked = true
        isWaitedFor = true
    }

    /// Calls when nothing is to be waited for.
    func wait(_ body: @escaping () -> Void) {
        if isWaitedFor { waiting = body } else { body() }
    }

    func goOn() {
        isWaitedFor = false
        let body = waiting
        waiting = nil
        body?()
    }

    /// It runs again: whoever waited waits no more.
    func forget() { waiting = nil }
}
