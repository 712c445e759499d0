internal import Model
internal import PolicyCore

// What apps are woken for: nobody is cut off before its time, nobody goes on after it, nobody is woken who must not be,
// or sooner than it asked for.
extension Checkers.Watch {
    struct Window {
        let id: WindowID
        let kind: WindowKind
        /// What its service declared.
        var time: Span?
        /// Its time counts from here.
        var since: Instant

        var service: WindowService { kind.service }
    }

    /// What is known of an app's wishes, whether it runs or not.
    struct Fetches {
        var interval: Span?
        var last: Instant?
        var isClosed = false
        var isOff = false
        /// Launches for tasks, each with its kind.
        var launches: [(service: WindowService, at: Instant)] = []

        mutating func opened() {
            isClosed = false
            launches = []
        }
    }

    /// Another daemon gives all their time again; who was killed before has had it.
    mutating func restartWindows(at now: Instant) {
        guard killed == nil else { return }
        for number in windows.indices { windows[number].since = now }
    }

    mutating func noteWindows(_ callbacks: [Callback], at now: Instant) {
        for callback in callbacks {
            if let window = callback.window, !windows.contains(where: { $0.id == window.id }) {
                var time: Span?
                if case .service(let wake) = window.kind { time = wake.time }
                windows.append(Window(id: window.id, kind: window.kind, time: time, since: now))
            }
            // On screen it has its time for itself; afterwards all of it again.
            if callback.kind == .willEnterForeground || callback.kind == .didEnterBackground {
                for number in windows.indices { windows[number].since = now }
            }
        }
    }
}

extension Checkers {
    /// What documents and FACTS say, once more.
    private static func limit(_ service: WindowService) -> Span {
        switch service {
        case .fetch, .refresh, .service: .seconds(30)
        case .sessionEvents: .seconds(10)
        case .processing: .seconds(180)
        }
    }

    static func code(of service: WindowService) -> TerminationCode {
        let code: UInt64 =
            switch service {
            case .fetch: 0x2182_bad4
            case .sessionEvents: 0x2182_bad3
            case .refresh, .processing, .service: 0x2182_bad2
            }
        return TerminationCode(namespace: "RUNNINGBOARD", code: code)
    }

    private var isEndedWhenLate: Bool { profile.name == "linux" }

    mutating func noteWindows(_ event: Event, _ device: Device) {
        switch event {
        case .request(let app, _, let request):
            guard let place = device.place(of: app), place < watches.count else { return }
            switch request {
            case .complete(let id, _):
                watches[place].windows.removeAll { $0.id == id }
                // Its tasks have their whole time again.
                watches[place].tasksSince = nil
            case .openURL: noteWindows(.command(CommandID(0), .openURL("", wait: false)), device)
            case .setFetchInterval(let interval):
                if device.apps[place].script.manifest.backgroundModes.contains(.fetch) {
                    watches[place].fetches.interval = interval
                }
            default: return
            }
        case .command(_, .close(let app, _)):
            guard let place = device.place(of: app), place < watches.count,
                device.known(place)?.process != ProcessPhase.none
            else { return }
            watches[place].fetches.isClosed = true
        case .command(_, .open(let app, _, _)), .command(_, .restart(let app, _)):
            if let place = device.place(of: app), place < watches.count { watches[place].fetches.opened() }
        case .command(_, .openURL):
            for place in watches.indices where !device.apps[place].script.manifest.urlSchemes.isEmpty {
                watches[place].fetches.opened()
            }
        case .wishesRestored(let app, let wishes):
            if let place = device.place(of: app), place < watches.count {
                watches[place].fetches.interval = wishes.interval
            }
        case .tracerChecked(let app, _, isTraced: true):
            guard let place = device.place(of: app), place < watches.count else { return }
            for number in watches[place].windows.indices { watches[place].windows[number].since = device.now }
        case .timer:
            // The machine stood still: everybody has the whole time again.
            return
        default: return
        }
    }

    /// What the log says of who is woken, and of what bears on it.
    mutating func noteWake(_ entry: LogEntry, _ place: Int, _ device: Device) {
        let name = device.apps[place].script.name
        switch (entry.event, entry.reason) {
        case (.willEnterForeground, _), (.launched, _): watches[place].fetches.opened()
        case (.windowOverrun, .windowOverrun(let kind, _)):
            if isEndedWhenLate, hasStandardTimes { device.violate("\(name) is suspended for \(kind), and should end") }
            checkTime(place, kind, "cut off", device)
            watches[place].windows.removeAll { $0.kind.isSame(as: kind) }
            watches[place].tasksSince = nil
        case (.wakeRequested, .woken(let kind, let because)):
            watches[place].wasWoken = true
            watches[place].wasWokenNow = device.now
            checkMayWake(place, kind, because, device)
        default: return
        }
    }

    private mutating func checkMayWake(_ place: Int, _ kind: WindowKind, _ because: String, _ device: Device) {
        let (name, fetches) = (device.apps[place].script.name, watches[place].fetches)
        if watches[place].grammar.isForeground, device.apps[place].process?.status == nil,
            device.apps[place].process != nil, device.apps[place].index.map({ device.system.isVisible($0) }) == true
        {
            device.violate("\(name) is woken for \(kind) on screen")
        }
        guard kind.service != .sessionEvents else { return }
        if fetches.isClosed { device.violate("\(name) is woken for \(kind), and the user closed it") }
        checkAllowance(place, kind.service, device)
        guard kind == .fetch, !because.contains("somebody wanted") else { return }
        guard let interval = fetches.interval else {
            return device.violate("\(name) is fetched, and never asked for that")
        }
        if let last = fetches.last, device.now - last < interval {
            device.violate("\(name) is fetched \((device.now - last).twoDigits) s after the last time")
        }
        watches[place].fetches.last = device.now
    }

    /// A quarter of an hour from one to the next, but those of one moment; one that the user was faster than is none.
    private mutating func checkAllowance(_ place: Int, _ service: WindowService, _ device: Device) {
        guard service == .refresh || service == .processing, device.system.profile.allowances == Allowances() else {
            return
        }
        let earlier = watch(place).fetches.launches.filter { $0.service == service }
        if let last = earlier.last, last.at != device.now, device.now - last.at < .seconds(900) {
            device.violate("\(device.apps[place].script.name) is launched for \(service) again at once")
        }
        watches[place].fetches.launches = (watch(place).fetches.launches + [(service, device.now)]).suffix(8)
    }

    /// The system boots: nobody is closed any more.
    mutating func forgetClosings() {
        for place in watches.indices { watches[place].fetches.isClosed = false }
    }

    /// Nobody is frozen who has yet to say that it is done.
    func checkFrozenWindows(_ place: Int, _ device: Device) {
        guard let window = watch(place).windows.first else { return }
        device.violate("\(device.apps[place].script.name) is frozen, and has yet to complete \(window.service)")
    }

    private func checkTime(_ place: Int, _ kind: WindowKind, _ what: String, _ device: Device) {
        guard hasStandardTimes, !watch(place).hasReconnected else { return }
        guard let window = watch(place).windows.first(where: { $0.kind.isSame(as: kind) }) else { return }
        if device.now - window.since < window.time ?? Self.limit(kind.service) {
            device.violate(
                "\(device.apps[place].script.name) is \(what) \((device.now - window.since).twoDigits) s after it was "
                    + "called for \(kind.service)")
        }
    }

    func checkWindowEnd(_ place: Int, _ reason: EndReason, _ device: Device) {
        guard case .windowNotCompleted(let end) = reason, hasStandardTimes, !watch(place).hasReconnected else { return }
        let name = device.apps[place].script.name
        if !isEndedWhenLate { device.violate("\(name) is ended for \(end.kind.phrase), and should be suspended") }
        guard let killed = watch(place).killed,
            let window = watch(place).windows.first(where: { $0.kind.isSame(as: end.kind) })
        else { return device.violate("\(name) is ended for \(end.kind.phrase), and had completed it") }
        if killed.at - window.since < window.time ?? Self.limit(end.kind.service) {
            device.violate("\(name) is ended \((killed.at - window.since).twoDigits) s after it was woken")
        }
    }

    /// What was begun comes to an end.
    mutating func checkWindows(_ place: Int, _ device: Device) {
        guard hasStandardTimes, !watches[place].windows.isEmpty, watches[place].grammar.state == .background,
            watches[place].awaited.isEmpty
        else { return }
        for window in watches[place].windows
        where device.now - window.since > (window.time ?? Self.limit(window.service)) + .seconds(8) {
            watches[place].windows.removeAll { $0.id == window.id }
            device.violate(
                "\(device.apps[place].script.name) does not complete \(window.service), and nobody does anything")
        }
    }
}
