import UIKit

/// Lines of an event and the nanoseconds of the monotonic clock, in the app's documents.
@MainActor
final class Log {
    private let file: FileHandle?

    init() {
        let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        let descriptor = unsafe open(folder.path + "/log", O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
        file = descriptor < 0 ? nil : FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    func write(_ event: String, _ more: String = "") {
        let now = monotonic()
        try? file?.write(contentsOf: Data("\(event) \(now) \(more)\n".utf8))
    }

    private func monotonic() -> Int {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}
