import DBus
import Dispatch
import LocationSources
import TestBus

/// A listener's connection to a bus, on its queue.
///
/// Unchecked: used on the listener's queue only.
final class ListenerBus: @unchecked Sendable {
    let connection: DBusConnection
    private let listener: Listener

    init(_ bus: TestBus, _ listener: Listener, isThere: Bool = true) throws {
        self.listener = listener
        let connection = DBusConnection(bus.address, queue: listener.queue)
        self.connection = connection
        let states = Mailbox<DBusConnection.State>()
        listener.on {
            connection.onState = { states.post($0) }
            connection.begin()
        }
        if isThere { while case .waiting = try states.next() {} }
    }

    deinit {
        let connection = connection
        listener.queue.async { connection.close() }
    }
}
