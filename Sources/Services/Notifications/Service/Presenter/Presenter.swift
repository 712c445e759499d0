package import DBus
package import Dispatch

/// Shows notifications by the desktop's notification daemon (`org.freedesktop.Notifications`), which may come and go.
///
/// What was to be shown while there was none, or was on the screen of one that went, is shown once when one is there:
/// without a sound if it was on a screen before. A notification that a person has answered or dismissed, that was
/// withdrawn, or that has gone by itself is not shown again.
///
/// Unchecked: used on its queue only; its client is called there.
package final class Presenter: @unchecked Sendable {
    package protocol Client: AnyObject {
        /// A person tapped it or chose an action. It is gone from the screen.
        func acted(_ id: String, _ answer: ShownAnswer)
        /// A person dismissed it.
        func dismissed(_ id: String)
        /// It has gone from the screen by itself.
        func gone(_ id: String)
        /// It is on the screen; by the handle it is found there by the next process of this program.
        func displayed(_ id: String, as handle: ShownHandle)
        /// The daemon does not take it, and is not asked again.
        func refused(_ id: String, _ error: DBusError)
        func statusChanged(_ status: PresenterStatus)
    }

    /// Notifications that are shown or wait for it: another one takes the place of the oldest.
    package static let most = 1024
    /// Those that the daemon is asked for at the same time.
    private static let mostAsked = 16
    /// Daemons that went away over a notification, before it is given up.
    private static let mostUnanswered = 2

    let connection: DBusConnection
    let queue: DispatchQueue
    /// Seconds in which an action may follow the end of its notification, which is no dismissal then.
    let dismissalTime: Double
    weak var client: (any Client)?
    var entries: [String: Entry] = [:]
    /// What the daemon's numbers mean.
    var numbers: [UInt32: String] = [:]
    /// What its numbers meant that were closed.
    var closed: [UInt32: Closed] = [:]
    /// Those of them that are dismissed unless an action follows soon.
    var settling: Set<UInt32> = []
    /// Which may be asked for, in their order. Some may be gone by now.
    private var line: [String] = []
    private var asked = 0
    private var lastNumber: UInt64 = 0
    /// Displayed ones that were withdrawn while the daemon could not be told.
    private var leftovers: [ShownHandle] = []
    private var registrations: [DBusRegistration] = []

    /// The daemon's unique name, and how many were there before.
    private(set) var owner: String?
    private(set) var epoch: UInt64 = 0
    /// In which of them the daemon was asked what it is.
    private var introduced: UInt64?
    private var isStarting = false

    package private(set) var status = PresenterStatus.noBus(nil) {
        didSet { if status != oldValue { client?.statusChanged(status) } }
    }

    package init(_ address: DBusAddress = .user, queue: DispatchQueue, dismissalTime: Double = 2) {
        self.queue = queue
        self.dismissalTime = dismissalTime
        connection = DBusConnection(address, queue: queue)
    }

    package func begin(_ client: any Client) {
        self.client = client
        registrations = listen() + [connection.watch(Daemon.name) { [weak self] in self?.ownerChanged($0) }]
        connection.onState = { [weak self] in self?.busChanged($0) }
        connection.begin()
    }

    /// What is on the screen stays there.
    package func end() {
        connection.onState = { _ in }
        registrations = []
        connection.close()
    }

    /// Whether something is on the screen that a person may act on.
    package var isShowing: Bool { !numbers.isEmpty || !settling.isEmpty || asked > 0 }
    /// Whether something is, or waits for a screen.
    package var isNeeded: Bool { isShowing || !entries.isEmpty }

    // MARK: What is to be shown

    /// Shows it, now or when there is a daemon.
    package func show(_ shown: Shown) {
        dispatchPrecondition(condition: .onQueue(queue))
        if var entry = entries[shown.id] {
            (entry.shown, entry.isSilent) = (shown, false)
            entry.isOutdated = entry.phase == .asked
            if entry.phase != .asked { entry.phase = .waiting }
            entries[shown.id] = entry
        } else {
            if entries.count >= Self.most { withdrawOldest() }
            add(Entry(shown: shown, order: nextNumber(), isSilent: false))
        }
        proceed(shown.id)
    }

    /// Takes charge of one that an earlier process of this program has shown, or was to show: it is shown again in the
    /// same place, without a sound unless that is still to be heard.
    package func recover(_ shown: Shown, as handle: ShownHandle?, isSilent: Bool = true) {
        dispatchPrecondition(condition: .onQueue(queue))
        guard entries[shown.id] == nil, entries.count < Self.most else { return }
        var entry = Entry(shown: shown, order: nextNumber(), isSilent: isSilent)
        entry.handle = handle
        add(entry)
        proceed(shown.id)
    }

    /// Takes it from the screen; one that is not there is none of the daemon's affairs.
    package func withdraw(_ id: String) {
        dispatchPrecondition(condition: .onQueue(queue))
        // The answer to one that was asked for comes later, and finds that it is gone.
        guard let entry = entries.removeValue(forKey: id) else { return }
        if entry.isInLine { line.removeAll { $0 == id } }
        guard let handle = entry.handle else { return }
        if isCurrent(handle) {
            numbers[handle.number] = nil
            if entry.phase != .asked { close(handle.number) }
        } else if leftovers.count < Self.most {
            leftovers.append(handle)
        }
    }

    private func withdrawOldest() {
        guard let oldest = entries.min(by: { $0.value.order < $1.value.order }) else { return }
        withdraw(oldest.key)
        client?.gone(oldest.key)
    }

    private func add(_ entry: Entry) { entries[entry.shown.id] = entry }

    func nextNumber() -> UInt64 {
        lastNumber += 1
        return lastNumber
    }

    private func proceed(_ id: String) {
        if case .ready = status {
            enqueue(id)
            ask()
        } else {
            findDaemon()
        }
    }

    // MARK: The daemon comes and goes

    private func busChanged(_ state: DBusConnection.State) {
        switch state {
        case .connected: status = .asking
        case .waiting(let error):
            lose()
            status = .noBus(error)
        case .closed: break
        }
    }

    private func ownerChanged(_ owner: String?) {
        guard case .connected = connection.state else { return }
        let hadOne = self.owner != nil
        lose()
        self.owner = owner
        if owner == nil { status = .noDaemon(nil) }
        // One that went away is not started again: it may have gone over what it would be asked for again.
        if owner != nil || !hadOne { findDaemon() }
    }

    /// Nothing is on a screen any more. What waits, waits for the next daemon.
    private func lose() {
        epoch += 1
        (owner, asked, numbers, closed, line) = (nil, 0, [:], [:], [])
        let unanswered = entries.filter { $0.value.phase == .asked }.sorted { $0.value.order < $1.value.order }
        for id in entries.keys { entries[id]?.wait() }
        for (id, _) in unanswered { failed(id, .disconnected) }
    }

    /// Asks the daemon what it can do, or has the bus start one if something is to be shown.
    private func findDaemon() {
        guard case .connected = connection.state else {
            // A call that finds no bus looks for it.
            if !entries.isEmpty { connection.call(Daemon.start) }
            return
        }
        if let owner {
            guard introduced != epoch else { return }
            (introduced, status) = (epoch, .asking)
            introduce(owner)
        } else if !isStarting, case .noDaemon = status, !entries.isEmpty {
            isStarting = true
            connection.call(Daemon.start) { [weak self] result in
                guard let self else { return }
                isStarting = false
                guard case .noDaemon = status, case .failure(let error) = result else { return }
                if case .noOwner = error { status = .noDaemon(nil) } else { status = .noDaemon(error) }
            }
        }
    }

    private func introduce(_ owner: String) {
        let epoch = epoch
        connection.call(Daemon.call("GetServerInformation", of: owner, returns: Daemon.information)) {
            [weak self] information in
            guard let self, self.epoch == epoch else { return }
            connection.call(Daemon.call("GetCapabilities", of: owner, returns: [.array(.string)])) {
                [weak self] capabilities in
                guard let self, self.epoch == epoch else { return }
                switch capabilities {
                case .success(let values): met(Daemon.describe(information, capabilities: values.first?.strings ?? []))
                case .failure(let error):
                    // The next notification asks again.
                    (introduced, status) = (nil, .noDaemon(error))
                }
            }
        }
    }

    private func met(_ daemon: NotificationDaemon) {
        status = .ready(daemon)
        for handle in leftovers where isCurrent(handle) { close(handle.number) }
        leftovers = []
        for (id, _) in entries.sorted(by: { $0.value.order < $1.value.order }) { enqueue(id) }
        ask()
    }

    private func enqueue(_ id: String) {
        guard let entry = entries[id], entry.phase == .waiting, !entry.isInLine else { return }
        entries[id]?.isInLine = true
        line.append(id)
    }

    // MARK: The daemon is asked

    private func ask() {
        while case .ready(let daemon) = status, let owner, asked < Self.mostAsked, !line.isEmpty {
            let id = line.removeFirst()
            guard var entry = entries[id], entry.isInLine, entry.phase == .waiting else { continue }
            let replaced = entry.handle.flatMap { isCurrent($0) ? $0.number : nil }
            let message = NotifyMessage(
                shown: entry.shown, replaced: replaced ?? 0, isSilent: entry.isSilent, daemon: daemon)
            (entry.phase, entry.isInLine, entry.isOutdated, entry.ask) = (.asked, false, false, nextNumber())
            entries[id] = entry
            asked += 1
            let (epoch, number, shown) = (epoch, entry.ask, entry.shown)
            connection.call(Daemon.call("Notify", of: owner, message.arguments, returns: [.uint32])) {
                [weak self] result in
                guard let self, self.epoch == epoch else { return }
                asked -= 1
                answered(shown, number, result)
                ask()
            }
        }
    }

    private func answered(_ shown: Shown, _ ask: UInt64, _ result: Result<[DBusValue], DBusError>) {
        let id = shown.id
        let isWanted = entries[id]?.ask == ask && entries[id]?.phase == .asked
        switch result {
        case .success(let values):
            guard case .uint32(let number)? = values.first, let owner else { return }
            // By 0 no notification can be found again.
            guard number > 0 else { return isWanted ? failed(id, .unexpected(types: "u")) : () }
            guard isWanted, var entry = entries[id] else { return numbers[number] == nil ? close(number) : () }
            if let old = entry.handle, isCurrent(old), old.number != number { replaced(old.number) }
            if let other = numbers[number], other != id { tookPlace(of: other) }
            let handle = ShownHandle(bus: connection.busIdentifier ?? "", owner: owner, number: number)
            numbers[number] = id
            closed[number] = nil
            entry.isDisplayed(shown, as: handle)
            entries[id] = entry
            enqueue(id)
            client?.displayed(id, as: handle)
        case .failure(let error): if isWanted { failed(id, error) }
        }
    }

    /// The daemon gave it another number than that of the one whose place it was to take.
    private func replaced(_ number: UInt32) {
        numbers[number] = nil
        close(number)
    }

    /// The daemon shows another one in its place: some make one of two that look alike. One that it has been asked for
    /// again takes the place back.
    private func tookPlace(of id: String) {
        guard entries[id]?.phase == .displayed else { return }
        entries[id] = nil
        client?.gone(id)
    }

    /// One that was asked for, and is not shown.
    private func failed(_ id: String, _ error: DBusError) {
        guard var entry = entries[id] else { return }
        let isOver: Bool
        switch error {
        case .disconnected, .notConnected, .noOwner, .timedOut, .refused(DBusError.Name.noReply, _):
            entry.unanswered += 1
            isOver = entry.unanswered >= Self.mostUnanswered
        case .refused, .invalid, .unexpected, .tooLarge, .tooMany, .system: isOver = true
        }
        entry.wait()
        entries[id] = isOver ? nil : entry
        guard isOver else { return }
        // What it was to replace is out of date.
        if let handle = entry.handle, isCurrent(handle), numbers.removeValue(forKey: handle.number) != nil {
            close(handle.number)
        }
        client?.refused(id, error)
    }

    func close(_ number: UInt32) {
        guard let owner else { return }
        connection.call(Daemon.call("CloseNotification", of: owner, [.uint32(number)]))
    }

    private func isCurrent(_ handle: ShownHandle) -> Bool {
        handle.owner == owner && handle.bus == connection.busIdentifier
    }
}
