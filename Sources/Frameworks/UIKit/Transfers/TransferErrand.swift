internal import Synchronization

/// Keeps the app running while it asks the transfer service for something, as an ordinary background task: an app that
/// begins a download and is suspended, or killed, before the service has heard of it would lose it.
final class TransferErrand: Sendable {
    private let tasks: BackgroundTasks
    private let task = Mutex<Int?>(nil)

    init(_ tasks: BackgroundTasks) { self.tasks = tasks }

    /// - Parameter isOut: that something was asked; or that everything is answered. On any thread.
    func set(_ isOut: Bool) {
        task.withLock { task in
            if isOut, task == nil {
                let begun = tasks.begin(named: "background transfers") { self.set(false) }
                // Nothing is granted once the time is over, or on a device without multitasking.
                task = begun == 0 ? nil : begun
            } else if !isOut, let begun = task {
                tasks.end(begun)
                task = nil
            }
        }
    }
}
