import Model

// What contracts are written with.
extension ContractDevice {
    // MARK: Commands

    @discardableResult
    package func begin(_ command: UserCommand) throws(Breach) -> Ticket { try begin(command, waits: true) }

    /// Gives a command that must be done, and returns when it is.
    package func `do`(_ command: UserCommand) throws(Breach) { try expectDone(begin(command), "\(command)") }

    func expectDone(_ ticket: Ticket, _ what: String) throws(Breach) {
        let reply = try awaitReply(ticket, what)
        guard reply == .done else { throw Breach("\(what) should be done; it is \(reply)") }
    }

    /// Gives a command that must be refused, with a sentence that contains this.
    func expectRefusal(of command: UserCommand, saying text: String) throws(Breach) {
        let reply = try awaitReply(begin(command), "\(command)")
        guard case .refused(let sentence) = reply, sentence.contains(text) else {
            throw Breach("\(command) should be refused with “\(text)”; it is \(reply)")
        }
    }

    func expectOvertaken(_ ticket: Ticket, saying text: String) throws(Breach) {
        let reply = try awaitReply(ticket, "the answer")
        guard case .overtaken(let sentence) = reply, sentence.contains(text) else {
            throw Breach("a command should be overtaken with “\(text)”; it is \(reply)")
        }
    }

    package func awaitReply(_ ticket: Ticket, _ what: String) throws(Breach) -> Reply {
        var found: Reply?
        try wait(for: "the answer to \(what)") { () throws(Breach) in
            found = try reply(to: ticket)
            return found != nil
        }
        guard let found else { throw Breach("\(what) is not answered") }
        return found
    }

    func expectNoReply(to ticket: Ticket, _ what: String) throws(Breach) {
        if let reply = try reply(to: ticket) { throw Breach("\(what) should wait; it is \(reply)") }
    }

    // MARK: Usual beginnings

    func install(_ apps: [TestApp]) throws(Breach) {
        for app in apps { try install(app) }
    }

    /// Installs an app and brings it to the screen.
    func start(_ app: TestApp) throws(Breach) {
        try install(app)
        try self.do(.open(app.name))
        if app.kind == .plain { try awaitReadiness(of: app.name) }
    }

    /// Installs an app, brings it to the screen, leaves it and waits until it is suspended; its process.
    @discardableResult
    func suspend(_ app: TestApp) throws(Breach) -> Int32? {
        try start(app)
        try self.do(.home)
        try awaitSuspension(of: app.name)
        return try look(at: app.name).pid
    }

    // MARK: Waiting

    func awaitEvent(_ event: LogEvent, of app: String?, times: Int = 1) throws(Breach) {
        try wait(for: "\(event.name) of \(app ?? "the device")") { () throws(Breach) in
            try count(event, of: app) >= times
        }
    }

    func awaitSuspension(of app: String) throws(Breach) {
        try wait(for: "the suspension of \(app)") { () throws(Breach) in try look(at: app).state == .suspended }
        try expect(app, .suspended)
    }

    /// The delegate method has been called, and need not have returned.
    func awaitCall(_ kind: CallbackKind, of app: String, times: Int = 1) throws(Breach) {
        try wait(for: "the call of \(kind.name) of \(app)") { () throws(Breach) in
            try heard(by: app).filter { $0.kind == kind }.count >= times
        }
    }

    func awaitEnd(of app: String) throws(Breach) {
        try awaitEvent(.terminated, of: app)
        try expect(app, .notRunning)
    }

    func awaitReadiness(of app: String) throws(Breach) {
        try wait(for: "\(app) to be past its start") { () throws(Breach) in try look(at: app).isReady }
    }

    // MARK: What must be

    /// The app is in this state, and screen and kernel agree.
    func expect(_ app: String, _ state: LifecycleState, isVisible: Bool? = nil) throws(Breach) {
        let found = try look(at: app)
        guard found.state == state else {
            throw Breach("\(app) should be \(state.name) and is \(found.state.name)")
        }
        let isVisible = isVisible ?? state.isForeground
        guard found.isVisible == isVisible else {
            throw Breach("\(app), which is \(state.name), should\(isVisible ? "" : " not") be visible")
        }
        guard found.isFrozen == (state == .suspended) else {
            throw Breach(
                "the kernel says that \(app), which is \(state.name), is \(found.isFrozen ? "" : "not ")frozen")
        }
        guard (found.processes == 0) == (state == .notRunning) else {
            throw Breach("\(app), which is \(state.name), has \(found.processes) processes")
        }
        guard (found.pid == nil) == (state == .notRunning) else {
            throw Breach("\(app), which is \(state.name), has \(found.pid == nil ? "no" : "a") process")
        }
    }

    /// Everything that the app's delegates were called with so far.
    func expectHeard(_ app: String, _ kinds: [CallbackKind]) throws(Breach) {
        let found = try heard(by: app).map(\.kind)
        guard found == kinds else {
            throw Breach("\(app) should have heard \(list(kinds)) and heard \(list(found))")
        }
    }

    private func list(_ kinds: [CallbackKind]) -> String {
        kinds.isEmpty ? "nothing" : kinds.map(\.name).joined(separator: ", ")
    }

    func expectProcess(_ pid: Int32?, of app: String) throws(Breach) {
        let found = try look(at: app).pid
        guard found == pid else {
            throw Breach("\(app) should still be process \(Self.text(pid)) and is \(Self.text(found))")
        }
    }

    private static func text(_ pid: Int32?) -> String { pid.map { "\($0)" } ?? "none" }

    // MARK: The log

    /// The end of the log, for whoever waits in vain.
    package var lastEntries: String {
        get throws(Breach) {
            try log().suffix(8).map { "\($0.app ?? "-") \($0.event.name) (\($0.reason))" }.joined(separator: ", ")
        }
    }

    func entries(of app: String?, _ event: LogEvent) throws(Breach) -> [Entry] {
        try log().filter { $0.app == app && $0.event == event }
    }

    func count(_ event: LogEvent, of app: String?) throws(Breach) -> Int { try entries(of: app, event).count }

    /// The app's last entry of this event.
    func last(_ event: LogEvent, of app: String?) throws(Breach) -> Entry {
        guard let found = try entries(of: app, event).last else {
            throw Breach("the log should hold \(event.name) of \(app ?? "the device")")
        }
        return found
    }

    func expectCount(_ event: LogEvent, of app: String?, _ expected: Int) throws(Breach) {
        let found = try count(event, of: app)
        guard found == expected else {
            throw Breach(
                "\(event.name) of \(app ?? "the device") should come \(expected) times and came \(found) times")
        }
    }

    /// The app's log holds exactly these, oldest first.
    func expectLog(of app: String, _ events: [LogEvent]) throws(Breach) {
        let found = try log().filter { $0.app == app }.map(\.event)
        guard found == events else {
            let words = found.map(\.name).joined(separator: ", ")
            throw Breach("the log of \(app) should be \(events.map(\.name).joined(separator: ", ")) and is \(words)")
        }
    }

    /// Following causes from the app's last entry of this event, one comes to what the user or the device did.
    func expectCause(of event: LogEvent, of app: String, _ first: LogEvent) throws(Breach) {
        let log = try log()
        var entry = try last(event, of: app)
        while let cause = entry.cause {
            guard cause < entry.number, let before = log.first(where: { $0.number == cause }) else {
                throw Breach("the cause of entry \(entry.number) is not in the log")
            }
            entry = before
        }
        guard entry.event == first, entry.app == nil else {
            throw Breach("\(event.name) of \(app) should come from \(first.name) and comes from \(entry.event.name)")
        }
    }

    // MARK: Reports

    func expectNoReport(about app: String) throws(Breach) {
        if let report = try reports(about: app).first {
            throw Breach("there should be no report about \(app): \(report.reason)")
        }
    }

    /// There is one report about the app, with this code and these words.
    func expectReport(about app: String, _ code: TerminationCode, saying words: [String]) throws(Breach) {
        let found = try reports(about: app)
        guard let report = found.first, found.count == 1 else {
            throw Breach("there should be one report about \(app), and there are \(found.count)")
        }
        guard report.code == code else {
            throw Breach("the report about \(app) should be \(code) and is \(report.code): \(report.reason)")
        }
        for word in words where !report.reason.contains(word) {
            throw Breach("the report about \(app) should say “\(word)” and says: \(report.reason)")
        }
    }

    // MARK: Times

    /// `end` came at least the time after `begin`. The log counts in microseconds.
    func expectNotEarly(_ end: WallTime, _ begin: WallTime, _ limit: Span, _ what: String) throws(Breach) {
        let span = end.nanoseconds - begin.nanoseconds
        guard span >= limit.nanoseconds - 1_000 else {
            throw Breach("\(what) came \(limit.nanoseconds - span) ns too early")
        }
    }

    func expectNotLate(_ end: WallTime, _ begin: WallTime, _ limit: Span, _ what: String) throws(Breach) {
        let span = end.nanoseconds - begin.nanoseconds
        guard span <= (limit + latency).nanoseconds else {
            throw Breach("\(what) came \(span - limit.nanoseconds) ns too late")
        }
    }
}

extension [CallbackKind] {
    static let launch: Self = [.willFinishLaunching, .didFinishLaunching, .didBecomeActive]
    static let leave: Self = [.willResignActive, .didEnterBackground]
    static let comeBack: Self = [.willEnterForeground, .didBecomeActive]
}

extension DeviceProfile {
    /// A device of today whose limits are long, but for what the contract is about.
    static func modern(_ change: (inout DeviceProfile) -> Void) -> DeviceProfile {
        var profile = linux
        profile.name = "contract"
        change(&profile)
        return profile
    }

    /// Of what never returns. What returns has limits that a busy machine honours.
    static let shortLimit = Span.milliseconds(300)
}
