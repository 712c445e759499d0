internal import Synchronization

/// Keeps the app running while it asks a service for something, as an ordinary background task.
final class ErrandTasks: Sendable {
    private let tasks: BackgroundTasks
    private let begun = Mutex<[String: Int]>([:])

    init(_ tasks: BackgroundTasks) { self.tasks = tasks }

    /// - Parameter isOut: that something was asked; or that everything is answered. On any thread.
    func set(_ name: String, isOut: Bool) {
        begun.withLock { begun in
            if isOut, begun[name] == nil {
                let task = tasks.begin(named: name) { self.set(name, isOut: false) }
                // Nothing is granted once the time is over, or on a device without multitasking.
                begun[name] = task == 0 ? nil : task
            } else if !isOut, let task = begun.removeValue(forKey: name) {
                tasks.end(task)
            }
        }
    }
}
