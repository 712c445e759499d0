package import Model
package import PolicyCore
package import Wire

// Task completion on the wire: docs/PROTOCOL.md, 2.6.
extension Host {
    func expireTasks(_ index: AppIndex, _ generation: Generation, _ expiration: Expiration) {
        guard let process = process(index, generation) else { return }
        let tasks = expiration.tasks.compactMap { Int64(exactly: $0.rawValue) }
        process.connection?.send(
            .notification(
                method: AppNotification.tasksExpire.rawValue,
                params: [
                    "tasks": .array(tasks.map(JSONValue.int)), "round": .int(Int64(expiration.round)),
                    "remaining": .double(expiration.left.seconds),
                ]))
    }
}

extension JSONValue {
    /// The identifier that the app gave a task; zero is the one that names none.
    package var task: TaskID {
        get throws(RPCError) {
            let number = try int("task")
            guard number >= 0 else { throw .invalidParameter("task", "a task's identifier is not negative") }
            return TaskID(UInt64(number))
        }
    }

    package var beginTask: AppRequest {
        get throws(RPCError) {
            let task = try task
            guard task != .invalid else { throw .invalidParameter("task", "0 names no task: count from 1") }
            let name = try optionalString("name") ?? "background task \(task.rawValue)"
            guard name.utf8.count <= Limits.taskName else {
                throw .invalidParameter("name", "a task's name has at most \(Limits.taskName) bytes")
            }
            return .beginTask(task, name: name)
        }
    }
}
