internal import Dispatch

/// What an object offers under one name: methods, properties and signals, with the types of each.
package struct DBusInterface {
    package struct Method {
        package let name: String
        let takes: KeyValuePairs<String, DBusType>
        let returns: KeyValuePairs<String, DBusType>
        let handler: (DBusInvocation) -> Void

        /// The handler has arguments of these types before it, and answers now or later.
        package init(
            _ name: String, takes: KeyValuePairs<String, DBusType> = [:],
            returns: KeyValuePairs<String, DBusType> = [:], _ handler: @escaping (DBusInvocation) -> Void
        ) {
            (self.name, self.takes, self.returns, self.handler) = (name, takes, returns, handler)
        }
    }

    package struct Property {
        /// What peers hear of a change.
        package enum Change: String, Sendable {
            case value = "true"
            /// That it changed, but not to what.
            case invalidation = "invalidates"
            case nothing = "false"
            /// It never changes.
            case constant = "const"
        }

        package let name: String
        let type: DBusType
        let change: Change
        let get: () -> DBusValue
        let set: ((DBusValue) throws(DBusError) -> Void)?

        /// `get` and `set` answer at once; without `set` it is read-only.
        package init(
            _ name: String, _ type: DBusType, change: Change = .value, get: @escaping () -> DBusValue,
            set: ((DBusValue) throws(DBusError) -> Void)? = nil
        ) {
            (self.name, self.type, self.change, self.get, self.set) = (name, type, change, get, set)
        }
    }

    package struct Signal {
        package let name: String
        let carries: KeyValuePairs<String, DBusType>

        package init(_ name: String, carries: KeyValuePairs<String, DBusType> = [:]) {
            (self.name, self.carries) = (name, carries)
        }
    }

    package let name: String
    package var methods: [Method]
    package var properties: [Property]
    package var signals: [Signal]

    package init(_ name: String, methods: [Method] = [], properties: [Property] = [], signals: [Signal] = []) {
        (self.name, self.methods, self.properties, self.signals) = (name, methods, properties, signals)
    }
}

/// A call that came to an object. It is answered once; one that nobody answers fails with its last reference.
package final class DBusInvocation {
    package let arguments: [DBusValue]
    /// The caller's unique name.
    package let sender: String
    private let queue: DispatchQueue
    private var answer: ((Result<[DBusValue], DBusError>) -> Void)?

    init(
        _ call: Incoming, _ arguments: [DBusValue], on queue: DispatchQueue,
        _ answer: @escaping (Result<[DBusValue], DBusError>) -> Void
    ) {
        (self.arguments, self.sender, self.queue, self.answer) = (arguments, call.sender, queue, answer)
    }

    // The last reference may go on any thread.
    deinit {
        guard let answer else { return }
        queue.later { answer(.failure(.refused(name: DBusError.Name.noReply, message: "nobody answered the call"))) }
    }

    package func answer(_ values: [DBusValue] = []) { finish(.success(values)) }

    /// The caller hears an error of this name, such as `org.freedesktop.DBus.Error.Failed`.
    package func fail(_ name: String = DBusError.Name.failed, _ message: String) {
        finish(.failure(.refused(name: name, message: message)))
    }

    private func finish(_ result: Result<[DBusValue], DBusError>) {
        let answer = answer
        self.answer = nil
        answer?(result)
    }
}
