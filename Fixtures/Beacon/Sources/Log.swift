import Synchronization
import UIKit

/// What the app hears, a line of JSON each, which is on the disk when `write` returns: whoever kills the app finds all
/// that it had heard.
final class Log: Sendable {
    private let file: Mutex<FileHandle?>

    init(_ path: String) {
        let descriptor = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        file = Mutex(descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    func write(_ event: String, _ members: [String: Any] = [:]) {
        var line = members
        line["event"] = event
        line["pid"] = Int(getpid())
        line["at"] = Date().timeIntervalSince1970
        guard var data = try? JSONSerialization.data(withJSONObject: line, options: .sortedKeys) else { return }
        data.append(UInt8(ascii: "\n"))
        file.withLock { [data] file in
            try? file?.write(contentsOf: data)
            try? file?.synchronize()
        }
    }
}

extension [AnyHashable: Any] {
    /// As JSON has it.
    var plain: [String: Any] { self as? [String: Any] ?? [:] }
}
