import DBus
import Dispatch
import NotificationsService
import TestBus
import TestPace

/// A presenter with what it tells, used from a test's thread.
final class Stage: Sendable {
    enum Told: Hashable, Sendable {
        case acted(String, ShownAnswer)
        case dismissed(String)
        case displayed(String, ShownHandle)
        case refused(String, DBusError)
    }

    let told = Mailbox<Told>()
    let statuses = Mailbox<PresenterStatus>()
    /// What went from the screen by itself.
    let gone = Mailbox<String>()
    private let queue = DispatchQueue(label: "presenter")
    private let presenter: Presenter
    private let client: Client

    /// - Parameter first: what is asked of the presenter before it has found a daemon.
    init(_ address: DBusAddress, first: (Presenter) -> Void = { _ in }) {
        presenter = Presenter(address, queue: queue, dismissalTime: Pace.seconds(0.5))
        client = Client(told, statuses, gone)
        on {
            $0.begin(client)
            first($0)
        }
    }

    /// One whose daemon has said what it can do.
    convenience init(_ bus: TestBus) throws {
        self.init(bus.address)
        try awaitDaemon()
    }

    deinit {
        let presenter = presenter
        queue.async { presenter.end() }
    }

    func on<Value>(_ body: (Presenter) throws -> Value) rethrows -> Value { try queue.sync { try body(presenter) } }

    func show(_ shown: Shown) { on { $0.show(shown) } }
    func withdraw(_ id: String) { on { $0.withdraw(id) } }
    var status: PresenterStatus { on { $0.status } }
    var isShowing: Bool { on { $0.isShowing } }
    var isNeeded: Bool { on { $0.isNeeded } }

    @discardableResult
    func awaitDaemon() throws -> NotificationDaemon {
        while true {
            if case .ready(let daemon) = try statuses.next() { return daemon }
        }
    }

    func awaitStatus(_ status: PresenterStatus) throws {
        while try statuses.next() != status {}
    }

    /// The number under which it is displayed.
    @discardableResult
    func awaitDisplay(_ id: String) throws -> ShownHandle {
        guard case .displayed(id, let handle) = try told.next() else { throw Unexpected(told: told.rest) }
        return handle
    }

    struct Unexpected: Error {
        var told: [Told]
    }

    private final class Client: Presenter.Client, Sendable {
        private let told: Mailbox<Told>
        private let statuses: Mailbox<PresenterStatus>
        private let goneOnes: Mailbox<String>

        init(_ told: Mailbox<Told>, _ statuses: Mailbox<PresenterStatus>, _ gone: Mailbox<String>) {
            (self.told, self.statuses, goneOnes) = (told, statuses, gone)
        }

        func acted(_ id: String, _ answer: ShownAnswer) { told.post(.acted(id, answer)) }
        func dismissed(_ id: String) { told.post(.dismissed(id)) }
        func gone(_ id: String) { goneOnes.post(id) }
        func displayed(_ id: String, as handle: ShownHandle) { told.post(.displayed(id, handle)) }
        func refused(_ id: String, _ error: DBusError) { told.post(.refused(id, error)) }
        func statusChanged(_ status: PresenterStatus) { statuses.post(status) }
    }
}

extension Shown {
    /// What most tests show.
    static func plain(_ id: String, _ title: String = "Title", sound: Sound = .standard) -> Shown {
        Shown(id: id, app: "Journal", title: title, body: "Body", sound: sound)
    }
}
