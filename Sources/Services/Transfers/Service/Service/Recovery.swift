internal import LinuxSystem
internal import TransferCore

/// What a killed service had written but not told of.
///
/// What is in a file stays there when its writer is killed, only not when the machine is: in the same run of the
/// machine the file's own length counts, so that nothing that was written is fetched again.
enum Recovery {
    /// Takes over the records of an earlier version, whose folder was another.
    static func adopt(_ former: String, in home: String) {
        guard !FileSystem.exists(home + "/transfers.sqlite"), let old = try? Directory(opening: former),
            // Whoever has the lock serves it still.
            let lock = try? old.open("lock", .readWrite), (try? lock.lock()) == true
        else { return }
        let names = FileSystem.names(in: former).filter { !["lock", "pid", "control", "log"].contains($0) }
        // Its records come last: after a death in between the rest is taken over by the next.
        for name in names.filter({ $0 != "transfers.sqlite" }) + names.filter({ $0 == "transfers.sqlite" }) {
            do throws(SystemError) {
                try FileSystem.rename("\(former)/\(name)", to: "\(home)/\(name)")
            } catch {
                Diagnostics.write("\(former)/\(name) cannot be taken over: \(error)")
            }
        }
    }

    static func recover(
        _ contents: inout TransferStore.Contents, _ store: TransferStore, _ files: TransferFiles
    ) throws {
        let boot = bootName
        guard let boot, contents.boot == boot else {
            if let boot { try store.commit([.boot(boot)]) }
            return
        }
        var offsets: [TransferID: Int64] = [:]
        for case .offset(let id, let offset) in contents.records { offsets[id] = offset }
        var raised: [TransferStore.Change] = []
        for case .task(let task) in contents.records {
            guard let file = task.file, task.kind == .download, task.outcome == nil, !task.isErrorBody,
                task.digestFailures == 0, let length = files.recovered(file, attempt: task.attempts),
                length > (offsets[task.id] ?? task.durable), length <= task.expected ?? .max
            else { continue }
            raised.append(.store(.offset(task.id, length)))
            offsets[task.id] = length
        }
        guard !raised.isEmpty else { return }
        try store.commit(raised)
        contents.records.removeAll { if case .offset = $0 { true } else { false } }
        contents.records += offsets.map { .offset($0.key, $0.value) }
    }

    private static var bootName: String? {
        FileSystem.read("/proc/sys/kernel/random/boot_id", limit: 64).map {
            String(decoding: $0.filter { $0 > 32 }, as: UTF8.self)
        }
    }
}
