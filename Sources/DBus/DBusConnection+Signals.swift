internal import Dispatch

/// One subscription to signals.
struct Subscription {
    let match: DBusMatch
    weak var registration: DBusRegistration?
    let handler: (DBusSignal) -> Void
}

/// What is known of a name.
struct NameRecord {
    var owner: String?
    /// Whether the bus has said who owns it.
    var isKnown = false
    /// Subscriptions and watches that want to know.
    var users = 0
    var watches: [UInt64: Watch] = [:]

    struct Watch {
        weak var registration: DBusRegistration?
        let handler: (String?) -> Void
    }
}

extension DBusConnection {
    /// Hears signals, from when the bus has heard of it, as long as the registration is kept.
    package func subscribe(_ match: DBusMatch, _ handler: @escaping (DBusSignal) -> Void) -> DBusRegistration {
        dispatchPrecondition(condition: .onQueue(queue))
        let number = nextNumber()
        let registration = registration { $0.unsubscribe(number) }
        subscriptions[number] = Subscription(match: match, registration: registration, handler: handler)
        if let name = match.trackedName { use(name) }
        add(match.rule)
        return registration
    }

    /// Hears who owns a name: the owner's unique name, or `nil` where there is none. It is called once the bus has
    /// said so and at every change; with `nil` also when the bus goes away.
    package func watch(_ name: String, _ handler: @escaping (String?) -> Void) -> DBusRegistration {
        dispatchPrecondition(condition: .onQueue(queue))
        let number = nextNumber()
        let registration = registration { $0.unwatch(name, number) }
        use(name)
        names[name]?.watches[number] = NameRecord.Watch(registration: registration, handler: handler)
        if let record = names[name], record.isKnown {
            queue.later { [weak self, weak registration] in
                guard registration != nil, let record = self?.names[name], record.isKnown else { return }
                handler(record.owner)
            }
        }
        return registration
    }

    /// Takes itself back on the queue with its last reference.
    func registration(_ remove: @escaping @Sendable (DBusConnection) -> Void) -> DBusRegistration {
        DBusRegistration { [weak self] in
            guard let self else { return }
            queue.async { remove(self) }
        }
    }

    private func unsubscribe(_ number: UInt64) {
        guard let subscription = subscriptions.removeValue(forKey: number) else { return }
        remove(subscription.match.rule)
        if let name = subscription.match.trackedName { leave(name) }
    }

    private func unwatch(_ name: String, _ number: UInt64) {
        guard names[name]?.watches.removeValue(forKey: number) != nil else { return }
        leave(name)
    }

    // MARK: Rules

    private func add(_ rule: String) {
        rules[rule, default: 0] += 1
        if rules[rule] == 1 { callBus("AddMatch", [.string(rule)]) }
    }

    private func remove(_ rule: String) {
        guard let count = rules[rule] else { return }
        rules[rule] = count > 1 ? count - 1 : nil
        if count == 1 { callBus("RemoveMatch", [.string(rule)]) }
    }

    // MARK: Owners

    private static func ownerChanges(_ name: String) -> String {
        DBusMatch(sender: Bus.name, interface: Bus.interface, member: "NameOwnerChanged", argument: name).rule
    }

    private func use(_ name: String) {
        names[name, default: NameRecord()].users += 1
        guard names[name]?.users == 1 else { return }
        add(Self.ownerChanges(name))
        askForOwner(name)
    }

    private func leave(_ name: String) {
        names[name]?.users -= 1
        guard names[name]?.users == 0 else { return }
        names[name] = nil
        remove(Self.ownerChanges(name))
    }

    /// Asked behind the rule: changes that the answer does not know of come after it.
    func askForOwner(_ name: String) {
        callBus("GetNameOwner", [.string(name)]) { [weak self] result in
            switch result {
            case .success(let values): self?.setOwner(of: name, to: values.first?.string)
            case .failure(.noOwner): self?.setOwner(of: name, to: nil)
            case .failure: break
            }
        }
    }

    private func setOwner(of name: String, to owner: String?) {
        guard let record = names[name], !record.isKnown || record.owner != owner else { return }
        names[name]?.owner = owner
        names[name]?.isKnown = true
        tell(record, owner)
    }

    private func tell(_ record: NameRecord, _ owner: String?) {
        for (_, watch) in record.watches.sorted(by: { $0.key < $1.key }) where watch.registration != nil {
            watch.handler(owner)
        }
    }

    /// Nothing is known without a bus.
    func forget() {
        for (name, record) in names where record.isKnown {
            names[name]?.isKnown = false
            names[name]?.owner = nil
            if record.owner != nil { tell(record, nil) }
        }
        for name in claims.keys { setClaim(name, .none) }
    }

    // MARK: What comes

    func link(_ link: Link, heard signal: Incoming) {
        guard link === self.link else { return }
        if signal.sender == Bus.name, signal.interface == Bus.interface { heardFromBus(signal) }
        let listeners = subscriptions.sorted { $0.key < $1.key }
        guard !listeners.isEmpty, case .success(let arguments) = signal.body else { return }
        for (_, subscription) in listeners where subscription.registration != nil {
            let match = subscription.match
            guard match.matches(signal, owner: match.trackedName.flatMap { names[$0]?.owner }) else { continue }
            subscription.handler(
                DBusSignal(
                    sender: signal.sender, path: signal.path, interface: signal.interface, member: signal.member,
                    arguments: arguments))
        }
    }

    private func heardFromBus(_ signal: Incoming) {
        guard let arguments = try? signal.body.get(), let name = arguments.first?.string else { return }
        switch signal.member {
        case "NameOwnerChanged":
            guard arguments.count == 3, let owner = arguments[2].string, names[name] != nil else { return }
            setOwner(of: name, to: owner.isEmpty ? nil : owner)
        case "NameAcquired": setClaim(name, .owned)
        case "NameLost": lostClaim(name)
        default: break
        }
    }
}

extension DBusMatch {
    /// A sender's name whose owner changes; what the bus gave means one connection for ever.
    fileprivate var trackedName: String? {
        sender.flatMap { DBusNames.isUnique($0) || $0 == Bus.name ? nil : $0 }
    }
}
