internal import DBus
internal import Dispatch

/// One notification of the presenter.
struct Entry {
    enum Phase { case waiting, asked, displayed }

    var shown: Shown
    let order: UInt64
    /// It was on a screen before, or is not to be heard.
    var isSilent: Bool
    var phase = Phase.waiting
    /// Which question to the daemon is about it.
    var ask: UInt64 = 0
    /// It waits in the line of those that the daemon will be asked for.
    var isInLine = false
    /// It has changed since the daemon was asked.
    var isOutdated = false
    /// Where it is, or was, displayed, and as what.
    var handle: ShownHandle?
    var displayed: Shown?
    var token: String?
    var unanswered = 0

    init(shown: Shown, order: UInt64, isSilent: Bool) {
        self.shown = shown
        self.order = order
        self.isSilent = isSilent
    }

    mutating func isDisplayed(_ shown: Shown, as handle: ShownHandle) {
        (displayed, self.handle, unanswered) = (shown, handle, 0)
        phase = isOutdated ? .waiting : .displayed
        isSilent = !isOutdated
    }

    /// The daemon is gone, or has not answered.
    mutating func wait() { (phase, isInLine, isOutdated, token) = (.waiting, false, false, nil) }
}

/// One that is not on the screen any more.
struct Closed {
    let id: String
    let shown: Shown
    var token: String?
    let order: UInt64
}

extension Presenter {
    func listen() -> [DBusRegistration] {
        let heard: [(String, (Presenter) -> (UInt32, DBusValue) -> Void)] = [
            ("NotificationClosed", { presenter in { presenter.closed($0, reason: $1) } }),
            ("ActionInvoked", { presenter in { presenter.invoked($0, key: $1) } }),
            ("ActivationToken", { presenter in { presenter.heardToken($0, $1) } }),
            ("NotificationReplied", { presenter in { presenter.replied($0, $1) } }),
        ]
        return heard.map { member, handle in
            let match = DBusMatch(
                sender: Daemon.name, path: Daemon.path, interface: Daemon.interface, member: member)
            return connection.subscribe(match) { [weak self] signal in
                guard let self, signal.arguments.count == 2, case .uint32(let number) = signal.arguments[0] else {
                    return
                }
                handle(self)(number, signal.arguments[1])
            }
        }
    }

    private func closed(_ number: UInt32, reason: DBusValue) {
        guard let id = numbers.removeValue(forKey: number), let entry = entries[id] else { return }
        guard entry.phase == .displayed else {
            // Another one takes its place, and is on its way.
            entries[id]?.handle = nil
            return
        }
        entries[id] = nil
        remember(number, id, entry)
        guard reason == .uint32(Daemon.dismissedByUser) else {
            client?.gone(id)
            return
        }
        // Some daemons say of a tap that it closed the notification, and then which action it was. Nothing tells when
        // they have said all of it.
        settling.insert(number)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(dismissalTime * 1e9))) { [weak self] in
            self?.settle(number, id)
        }
    }

    /// It was dismissed, unless an action came with that.
    private func settle(_ number: UInt32, _ id: String) {
        settling.remove(number)
        if closed[number]?.id == id, entries[id] == nil { client?.dismissed(id) }
    }

    /// A person may still act on it: in the daemon's list of what was shown, for example.
    private func remember(_ number: UInt32, _ id: String, _ entry: Entry) {
        guard let shown = entry.displayed else { return }
        if closed.count >= Self.most, let oldest = closed.min(by: { $0.value.order < $1.value.order })?.key {
            closed[oldest] = nil
        }
        closed[number] = Closed(id: id, shown: shown, token: entry.token, order: nextNumber())
    }

    private func invoked(_ number: UInt32, key: DBusValue) {
        guard let key = key.string, let shown = displayed(number) ?? closed[number]?.shown,
            let answer = NotifyMessage.answer(key, to: shown)
        else { return }
        acted(number, answer)
    }

    private func replied(_ number: UInt32, _ text: DBusValue) {
        guard let text = text.string, let shown = displayed(number) ?? closed[number]?.shown,
            let answer = NotifyMessage.answer(text: text, to: shown)
        else { return }
        acted(number, answer)
    }

    private func heardToken(_ number: UInt32, _ token: DBusValue) {
        guard let token = token.string, token.utf8.count < 1024 else { return }
        if let id = numbers[number] { entries[id]?.token = token } else { closed[number]?.token = token }
    }

    private func displayed(_ number: UInt32) -> Shown? { numbers[number].flatMap { entries[$0]?.displayed } }

    /// It is answered, whether or not the daemon takes it from the screen itself.
    private func acted(_ number: UInt32, _ answer: ShownAnswer) {
        settling.remove(number)
        if let past = closed.removeValue(forKey: number) {
            // Another one may have its place by now: what a person saw is what is answered.
            var answer = answer
            answer.token = past.token
            client?.acted(past.id, answer)
            return
        }
        guard let id = numbers.removeValue(forKey: number), let entry = entries.removeValue(forKey: id) else { return }
        // One that takes its place and is on its way is closed when it has come.
        if entry.phase != .asked { close(number) }
        var answer = answer
        answer.token = entry.token
        client?.acted(id, answer)
    }
}
