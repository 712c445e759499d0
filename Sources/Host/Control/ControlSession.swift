internal import AppProtocol
internal import LinuxSystem
internal import Model
internal import PolicyCore
internal import Storage
internal import Wire

/// One tool on the control socket: docs/PROTOCOL.md, section 3.
final class ControlSession {
    unowned let host: Host
    let connection: Connection
    /// Commands that wait; more than so many at once is no tool.
    var waiting = 0
    let presence = Presence()
    private var follows = false
    /// The number of its last message among those of all tools.
    private(set) var lastMessage: UInt64
    private static let waitingLimit = 256
    /// Entries of the log in one answer.
    private static let logLimit = 1_000

    init(_ connection: Connection, _ host: Host) {
        self.host = host
        self.connection = connection
        lastMessage = host.nextToolMessage()
        connection.onMessage = { [unowned self] in receive($0) }
        connection.onClose = { [unowned self] in
            presence.end()
            host.records.unfollow(self)
            host.sessions[ObjectIdentifier(connection)] = nil
        }
    }

    /// Nothing is owed to it: it can connect again when it has something to say.
    var isIdle: Bool { waiting == 0 && !follows }

    private func receive(_ message: RPCMessage) {
        lastMessage = host.nextToolMessage()
        guard case .request(let id, let method, let params) = message else { return }
        do throws(RPCError) {
            guard waiting < Self.waitingLimit else { throw RPCError(.tooMuch, "too many requests wait for answers") }
            guard let known = ControlMethod(rawValue: method) else { throw .methodNotFound(method) }
            try handle(known, params, id)
        } catch {
            connection.send(.failure(id: id, error))
        }
    }

    private func handle(_ method: ControlMethod, _ params: JSONValue, _ id: RPCID) throws(RPCError) {
        switch method {
        case .status: respond(id, host.status.json)
        case .apps: try apps(params, id)
        case .open: try open(params, id)
        case .home: command(.home(wait: try params.waits), id)
        case .lock: command(.lock(wait: try params.waits), id)
        case .unlock: command(.unlock(wait: try params.waits), id)
        case .switcher: try switcher(params, id)
        case .close: try close(params, id)
        case .restart: command(.restart(try app(params), wait: try params.waits), id) { [unowned self] in opened($0) }
        case .exempt: try exempt(params, id)
        case .install: try install(params, id)
        case .uninstall: try uninstall(params, id)
        case .simulate: try simulate(params, id)
        case .log: try log(params, id)
        case .why: try why(params, id)
        case .reports: try reports(params, id)
        case .report: try report(params, id)
        case .output:
            let path = host.home.output(try installation(params).identifier)
            respond(id, ["path": .string(path)])
        case .attach: try attach(params, id)
        case .doctor: throw RPCError(.methodNotFound, "greenroom doctor looks for itself")
        case .down: command(.shutDown, id)
        case .memory: try memory(params, id)
        case .energy: respond(id, host.energyInfo.json)
        case .timeline: try timeline(params, id)
        case .snapshot: try snapshot(params, id)
        case .fetch: respond(id, host.fetches)
        case .refresh: try refresh(params, id)
        case .defaultApp: try chooseDefault(params, id)
        case .services: respond(id, host.services.info)
        case .service: try service(params, id)
        case .shortcuts: try shortcuts(params, id)
        }
    }

    private func service(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        host.services.serve(try params.string("service"), outcome(id))
    }

    func opened(_ app: AppIndex?) -> JSONValue {
        guard let app, let state = host.system.app(app) else { return [:] }
        return [
            "app": .string(state.manifest.identifier.rawValue), "pid": JSONValue(state.pid.map(Int.init)),
            "state": .string(state.state.name),
        ]
    }

    private func app(_ params: JSONValue) throws(RPCError) -> AppIndex {
        let name = try params.string("app")
        guard let identifier = AppIdentifier(name), let index = host.system.index(of: identifier) else {
            throw RPCError(.unknown, "no app \(name.prefix(127)) is installed", data: ["remedy": "listApps"])
        }
        return index
    }

    func installation(_ params: JSONValue) throws(RPCError) -> Installation {
        let index = try app(params)
        guard let host = host.host(index) else { throw RPCError(.unknown, "no such app") }
        return host.installation
    }

    // MARK: Commands

    private func open(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let wait = try params.waits
        if try params.optionalString("url") != nil {
            let url = try params.url
            command(.openURL(url, wait: wait), id) { [unowned self] in opened($0) }
            return
        }
        if let invitation = try params.invitation { return try invite(invitation, params, id) }
        let names: [String: ScreenRole] = ["primary": .primary, "secondary": .secondary, "pip": .pip]
        guard let role = names[try params.optionalString("as") ?? "primary"] else {
            throw .invalidParameter("as", "as must be primary, secondary or pip")
        }
        let app = try app(params)
        let happening: Command =
            try params.bool("newScene", default: false)
            ? .openScene(app, nil, role: role, wait: wait)
            : try params.optionalScene.map { .openScene(app, $0, role: role, wait: wait) }
                ?? .open(app, role: role, wait: wait)
        command(happening, id) { [unowned self] in opened($0) }
    }

    private func switcher(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let isOpen: Bool
        switch try params.optionalString("action") ?? "toggle" {
        case "open": isOpen = true
        case "close": isOpen = false
        case "toggle": isOpen = !host.system.isSwitcherOpen
        default: throw .invalidParameter("action", "action must be open, close or toggle")
        }
        command(.switcher(isOpen: isOpen, wait: try params.waits), id) { _ in ["open": .bool(isOpen)] }
    }

    private func close(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let index = try app(params)
        // A tool repeats what it could not hear the answer to: by then the app may be gone.
        if try params.isRepetition, host.system.app(index)?.state == .notRunning { return respond(id, [:]) }
        if let scene = try params.optionalScene {
            if try params.isRepetition, host.system.sceneSessions(index).allSatisfy({ $0.number != scene }) {
                return respond(id, [:])
            }
            return command(.closeScene(index, scene, wait: try params.waits), id)
        }
        command(.close(index, wait: try params.waits), id)
    }

    private func exempt(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let isExempt = try params.bool("exempt", default: true)
        let (index, name, store) = (try app(params), try installation(params).identifier, host.store)
        keep(.exempt(index, isExempt), id) { _ = try store.setExempt(name, isExempt) }
    }

    private func refresh(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let isAllowed = try params.bool("allowed", default: true)
        let (index, name, store) = (try app(params), try installation(params).identifier, host.store)
        keep(.allowRefresh(index, isAllowed), id) { try store.set(Host.refreshKey(name), to: isAllowed ? nil : "off") }
    }

    private func install(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let path = try params.string("path")
        guard path.hasPrefix("/") else { throw .invalidParameter("path", "path must be absolute") }
        let end = outcome(id)
        host.install(path, host.installOrder.next()) { outcome in
            end(
                outcome.map { app, warnings in
                    [
                        "app": .string(app.identifier), "name": .string(app.name), "kind": .string(app.kind),
                        "warnings": .array(warnings.map(JSONValue.string)),
                    ]
                }.mapError { RPCError(.refused, $0.sentence) })
        }
    }

    private func uninstall(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        // The daemon before this one had forgotten it; what is left of it on the disk goes without being asked for.
        if try params.isRepetition, try !host.hasApp(params) { return respond(id, [:]) }
        let index = try app(params)
        let installation = try installation(params)
        let keepsData = try params.bool("keepData", default: false)
        let end = outcome(id)
        let number = host.installOrder.beginRemoval(of: installation.identifier)
        // A tool that leaves has said what it wants all the same.
        _ = host.command(.uninstall(index)) { [host] answer in
            guard case .done = answer else {
                host.installOrder.endRemoval(of: installation.identifier, number)
                return end(.failure(RPCError(.refused, "\(installation.name) could not be ended")))
            }
            host.services.forget(installation.identifier)
            host.remove(installation, keepsData: keepsData, number) { failure in
                end(failure.map { .failure(RPCError(.refused, $0.sentence)) } ?? .success([:]))
            }
        }
    }

    private func simulate(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let wait = try params.waits
        let happening: Command
        let event = try params.word("event", of: SimulatedEvent.self)
        switch event {
        case .call: happening = .interrupt(.call, wait: wait)
        case .callAccept: happening = .accept(.call, wait: wait)
        case .callDecline: happening = .dismiss(.call, wait: wait)
        case .callEnd: happening = .endCall(wait: wait)
        case .sms: happening = .interrupt(.sms, wait: wait)
        case .smsDismiss: happening = .dismiss(.sms, wait: wait)
        case .smsOpen: happening = .accept(.sms, wait: wait)
        case .alert: happening = .interrupt(.alert, wait: wait)
        case .alertDismiss: happening = .dismiss(.alert, wait: wait)
        case .sleep: happening = .sleep(wait: wait)
        case .wake: happening = .wake(wait: wait)
        case .reboot: happening = .reboot
        case .memoryWarning: happening = .warnMemory
        case .memoryPressure: happening = .pressMemory(.warning)
        case .memoryPressureCritical: happening = .pressMemory(.critical)
        case .memoryPressureOver: happening = .pressMemory(.normal)
        case .network, .battery, .locale, .timezone, .screen, .lowPower, .thermal, .orientation,
            .screenshot, .clock, .store:
            happening = try params.condition(of: event, in: host.system.conditions)
        case .settings: happening = try params.setting(of: try app(params))
        case .fetch:
            let launches = try params.bool("launch", default: false)
            happening = .simulateFetch(try app(params), launches: launches, wait: wait)
        }
        command(happening, id, forgivesRepetition: try params.isRepetition)
    }

    // MARK: Reads

    /// All that have room in an answer; a tool that wants the others asks again with the last one.
    private func apps(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        if let last = try last(params) {
            host.listApps(after: last, written(id))
        } else {
            host.appList.ask(written(id))
        }
    }

    private func memory(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        if let last = try last(params) {
            host.tellMemory(after: last, written(id))
        } else {
            host.memoryList.ask(written(id))
        }
    }

    private func last(_ params: JSONValue) throws(RPCError) -> AppIndex? {
        guard let name = try params.optionalString("after") else { return nil }
        // It may have been uninstalled since; it keeps its place.
        guard let last = AppIdentifier(name).flatMap({ host.system.known($0) }) else {
            throw .invalidParameter("after", "after must be the last app of the answer before")
        }
        return last
    }

    private func log(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let filter = try params.optionalString("app")
        let after = try params.optionalInt("after").map { Int64($0) }
        // An answer is one line; a tool that wants more asks again with `after`.
        let limit = min(Self.logLimit, max(0, try params.optionalInt("limit") ?? Self.logLimit))
        let store = host.store
        let isFollowing = try params.bool("follow", default: false)
        host.records.flush()
        if isFollowing {
            follows = true
            host.records.follow(self, app: filter) { [weak self] entry in
                self?.connection.send(.notification(method: logEntryNotification, params: entry.json))
            }
        }
        read(.storage, id) {
            .array(try store.log(app: filter, after: after, limit: limit).map { Wire.LogEntry($0).json })
        }
    }

    private func why(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        guard let app = host.system.app(try app(params)) else { return }
        let store = host.store
        let (manifest, state, last) = (app.manifest, app.state.name, app.lastEntry)
        let wishes = host.wishes(of: app.index)
        host.records.flush()
        read(.storage, id) {
            let chain = try last.map { try store.chain(from: Int64($0.rawValue)) } ?? []
            let steps = chain.map(Wire.LogEntry.init).map {
                WhyAnswer.Step(seq: $0.seq, at: $0.at, event: $0.event, reason: $0.reason)
            }
            return WhyAnswer(
                app: manifest.identifier.rawValue, name: manifest.name, state: state, because: steps, waits: wishes
            ).json
        }
    }

    private func reports(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let filter = try params.optionalString("app")
        let store = host.store
        read(.storage, id) { .array(try store.reports(app: filter).map { Wire.ReportSummary($0).json }) }
    }

    private func report(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let name = try params.string("id")
        let store = host.store
        read(.storage, id) {
            guard let report = try store.report(name) else {
                throw RPCError(.unknown, "no report \(name.prefix(80)): greenroom reports lists them")
            }
            return ["header": try JSONValue(parsing: report.header), "report": try JSONValue(parsing: report.body)]
        }
    }

    private func timeline(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let app = try params.optionalString("app")
        let since = try params.optionalString("since").map { text throws(RPCError) in
            guard let time = WallTime(iso8601: text) else {
                throw .invalidParameter("since", "since must be a time like 2026-11-21T10:00:00Z")
            }
            return time
        }
        let position = try params.optionalInt("after")
        guard let answer = host.timeline?.answer(after: position, since: since, app: app) else {
            throw RPCError(.internalError, "no timeline is kept")
        }
        read(.storage, id, answer)
    }

    private func snapshot(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        let installation = try installation(params)
        let store = SnapshotStore(host.home)
        read(.slow, id) {
            guard let info = store.info(installation.identifier) else {
                throw RPCError(
                    .refused,
                    "there is no snapshot of \(installation.name): one is taken when an app that provides them leaves the "
                        + "screen (greenroom open \(installation.identifier), then greenroom home)")
            }
            return info.json
        }
    }

    private func attach(_ params: JSONValue, _ id: RPCID) throws(RPCError) {
        respond(id, ["path": .string(try host.terminal(of: installation(params), try app(params)))])
    }
}
