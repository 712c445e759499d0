internal import LinuxSystem
internal import Model
internal import PolicyCore

/// Counts what the processes of an app have open, whenever the app is looked at anyway.
final class DescriptorWatch {
    private unowned let host: Host
    /// Apps that had many descriptors at the last count.
    private var many: [AppIndex: Generation] = [:]

    /// An app of more processes is looked at in part.
    private static let mostProcesses = 64

    init(_ host: Host) { self.host = host }

    func check(_ index: AppIndex, _ process: AppProcess) {
        let (census, generation) = (process.box.census, process.generation)
        host.workers.run(.slow) {
            census().prefix(Self.mostProcesses).compactMap(DescriptorUse.init(of:)).max { $0.share < $1.share }
        } then: { [weak self] found in
            guard let self, let found, host.process(index, generation) != nil else { return }
            // Most apps have few, and the Core need not know.
            let had = many[index] == generation
            let has = found.share >= DescriptorRules.few
            many[index] = has ? generation : nil
            if has || had {
                host.post(.descriptors(.counted(open: found.open, limit: found.limit)), of: index, generation)
            }
        }
    }
}

/// What one process has open, and may have open.
package struct DescriptorUse: Sendable {
    package let open: Int64
    package let limit: Int64

    /// `nil` if the process is gone.
    package init?(of pid: CInt) {
        let folder = "/proc/\(pid)"
        guard let limits = FileSystem.read("\(folder)/limits"), let limit = Self.limit(limits), limit > 0 else {
            return nil
        }
        // Before Linux 6.2 the folder says nothing of its size.
        let size = FileSystem.size(of: "\(folder)/fd")
        open = Int64(size > 0 ? size : FileSystem.names(in: "\(folder)/fd").count)
        self.limit = limit
    }

    /// Of a thousand.
    var share: Int64 { DescriptorRules.share(open, of: limit) }

    /// The soft limit in `/proc/PID/limits`; `nil` if there is none.
    package static func limit(_ text: [UInt8]) -> Int64? {
        let begin = Array("Max open files".utf8)
        guard let line = text.split(separator: UInt8(ascii: "\n")).first(where: { $0.starts(with: begin) }),
            let word = line.dropFirst(begin.count).split(separator: UInt8(ascii: " ")).first
        else { return nil }
        return Int64(String(decoding: word, as: UTF8.self))
    }
}
