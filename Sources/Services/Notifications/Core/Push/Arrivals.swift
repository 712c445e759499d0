internal import Model
internal import PushPayload

/// What became of a message, for the tool that sent it.
enum PushOutcome: Hashable, Sendable {
    case shown, left, told, held, given
    case dropped(PushDrop)
}

/// Providers' messages.
extension NotificationSystem {
    mutating func pushArrived(_ message: PushMessage, _ sequence: UInt64?) {
        if sequence != nil { linkWasUsed() }
        if let app = message.app, entries[app] != nil {
            _ = arrived(message, app, isFromTool: sequence == nil)
        } else {
            report(.pushDropped(app: message.topic, message.id, .unknownApp))
            // Otherwise it would go on for ever.
            if sequence != nil { effects.append(.unregister(topic: message.topic)) }
        }
        if let sequence {
            effects.append(.acknowledge(sequence: sequence))
            adviseGateway()
        }
    }

    mutating func arrived(_ message: PushMessage, _ app: AppIdentifier, isFromTool: Bool) -> PushOutcome {
        guard let entry = entries[app] else { return .dropped(.unknownApp) }
        let seen = SeenPush(slot: nextSeen, id: message.id, digest: message.digest)
        if self.seen.contains(seen) { return drop(message, app, .duplicate) }
        // Another message under an identifier that is taken is shown beside the first.
        let ownName = self.seen.contains(message.id) ? "\(message.id)-\(message.digest)" : message.id.description
        remember(seen)
        if !isFromTool, !entry.record.isRegistered {
            effects.append(.unregister(topic: app.rawValue))
            return drop(message, app, .notRegistered)
        }
        if let expires = message.expires, expires <= wall { return drop(message, app, .expired) }
        guard message.payload.utf8.count <= rules.longestPayload else {
            return drop(message, app, .unreadable("it is longer than \(rules.longestPayload) bytes"))
        }
        let needsAps = message.type == .alert || message.type == .background
        let payload: ProviderPayload
        do throws(ProviderPayload.Unusable) {
            payload = try ProviderPayload(Array(message.payload.utf8), needsAps: needsAps)
        } catch {
            return drop(message, app, .unreadable(error.reason))
        }
        if !payload.remarks.isEmpty { report(.pushOdd(app: app.rawValue, message.id, payload.remarks)) }
        var message = message
        if let text = payload.rewritten { message.payload = text }
        if payload.isForeign { return give(message, app, isSilent: message.type != .voip) }
        let content = NotificationContent(payload, userInfo: message.payload)
        var isShown = false
        if let content {
            isShown = show(content, message, message.collapse ?? ownName, app, isMutable: payload.isMutable)
            // An alert has woken the device: what is held for any app goes with it, unless this message takes its
            // place.
            if isShown {
                begin(.alert)
                for other in held.keys.inOrder where other != app || !payload.isContentAvailable {
                    release(other, .alert)
                }
            }
        }
        if message.type == .voip { return give(message, app, isSilent: false) }
        if payload.isContentAvailable {
            return silentPart(message, app, isShown ? .alert : isFromTool ? .time : opening(for: app))
        }
        if content != nil { return isShown ? .shown : .left }
        // Apps on the screen get what asks for nothing as well.
        if entry.isOnScreen { return give(message, app, isSilent: true) }
        return drop(message, app, .unreadable("its aps asks for nothing"))
    }

    private mutating func drop(_ message: PushMessage, _ app: AppIdentifier, _ why: PushDrop) -> PushOutcome {
        report(.pushDropped(app: app.rawValue, message.id, why))
        return .dropped(why)
    }

    private var nextSeen: UInt32 { UInt32(counters.pushes % UInt64(max(rules.mostSeen, 1))) }

    private mutating func remember(_ push: SeenPush) {
        counters.pushes += 1
        changes.counters = true
        seen.set(push)
        store(.seen(push))
    }

    private mutating func show(
        _ content: NotificationContent, _ message: PushMessage, _ name: String, _ app: AppIdentifier, isMutable: Bool
    ) -> Bool {
        let request = NotificationRequest(identifier: name, content: content, trigger: .push)
        let notification = ArrivedNotification(request: request, date: message.received)
        guard isMutable, content.hasAlert, let entry = entries[app], entry.record.settings.status.shows,
            entry.mutations < rules.mostMutations
        else { return deliver(notification, to: app) }
        beginMutation(notification, app)
        return true
    }

    /// The app gets it now, without regard to any budget.
    mutating func give(_ message: PushMessage, _ app: AppIdentifier, isSilent: Bool) -> PushOutcome {
        guard let entry = entries[app] else { return .dropped(.unknownApp) }
        if entry.record.isClosedByUser, !entry.isOnScreen { return drop(message, app, .closedByUser) }
        let delivery = PushDelivery(
            push: message.id, type: message.type, payload: message.payload, isSilent: isSilent,
            received: message.received)
        tell(app, .push(delivery), .wake)
        return entry.isOnScreen ? .told : .given
    }

    private mutating func silentPart(
        _ message: PushMessage, _ app: AppIdentifier, _ way: PushRelease
    ) -> PushOutcome {
        guard let entry = entries[app] else { return .dropped(.unknownApp) }
        count(app, passed: false)
        if !entry.isOnScreen {
            if entry.record.isClosedByUser { return drop(message, app, .closedByUser) }
            if entry.record.receivesPushes == false { return drop(message, app, .missingMode) }
        }
        hold(message, app)
        release(app, way)
        guard held[app] == nil else { return .held }
        return entry.isOnScreen ? .told : .given
    }

    // MARK: Helpers that change the content

    private mutating func beginMutation(_ notification: ArrivedNotification, _ app: AppIdentifier) {
        let record = MutationRecord(id: MutationID(counters.nextMutation), app: app, notification: notification)
        counters.nextMutation += 1
        changes.counters = true
        mutations[record.id] = record
        entries[app]?.mutations += 1
        store(.mutation(record))
        ask(for: record)
    }

    mutating func ask(for record: MutationRecord) {
        due.set(.mutation(record.id), now + rules.mutationTime)
        effects.append(
            .mutate(MutationOrder(id: record.id, app: record.app, request: record.notification.request)))
    }

    /// - Parameter content: `nil`: the original is shown.
    mutating func mutated(_ id: MutationID, _ content: NotificationContent?) {
        guard let record = mutations[id] else { return }
        endMutation(id)
        var notification = record.notification
        // What was to be seen stays so: a helper changes it, and does not hide it.
        if let content, content.hasAlert, content.fault(rules) == nil { notification.request.content = content }
        deliver(notification, to: record.app)
    }

    mutating func endMutation(_ id: MutationID) {
        guard let record = mutations.removeValue(forKey: id) else { return }
        entries[record.app]?.mutations -= 1
        due.set(.mutation(id), nil)
        erase(.mutation(id))
    }
}

extension PushOutcome {
    var isDropped: Bool { if case .dropped = self { true } else { false } }

    var sentence: String {
        switch self {
        case .shown: "it is shown, or the app on the screen decides"
        case .left: "it is not shown: notifications of the app are not allowed"
        case .told: "the app on the screen gets it"
        case .given: "the app is woken for it"
        case .held: "it waits: `greenroom push status` says for what"
        case .dropped(let why): why.sentence
        }
    }
}

extension PushDrop {
    package var sentence: String {
        switch self {
        case .duplicate: "this message has come before"
        case .unknownApp: "no app of this topic ever connected"
        case .notRegistered: "the app has not registered for remote notifications"
        case .unreadable(let reason): "its payload cannot be used: \(reason)"
        case .closedByUser: "the user closed the app: no push wakes it until it is opened"
        case .missingMode: "add remote-notification to UIBackgroundModes in Info.plist to be woken by pushes"
        case .superseded: "a newer one took its place"
        case .expired: "it came after its expiration"
        case .notWoken: "the system does not wake the app"
        }
    }
}
