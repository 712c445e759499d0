internal import Model
internal import PolicyCore
package import Simulation

// What `Language` reads, written again.

extension Input {
    var phrase: String {
        switch self {
        case .open(let app, .primary): "open \(app)"
        case .open(let app, let role): "open \(app) as \(role.name)"
        case .openScene(let app, let scene, let role):
            "open \(scene.map { "scene \($0.rawValue)" } ?? "new scene") of \(app)"
                + (role == .primary ? "" : " as \(role.name)")
        case .closeScene(let app, let scene): "close scene \(scene.rawValue) of \(app)"
        case .openURL(let url): "open \(Words.word(url))"
        case .home: "home"
        case .lock: "lock"
        case .unlock: "unlock"
        case .switcher(let isOpen): isOpen ? "switcher" : "switcher close"
        case .close(let app): "close \(app)"
        case .restart(let app): "restart \(app)"
        case .exempt(let app, let isExempt): "exempt \(app)\(off(isExempt))"
        case .install(let app): "install \(app)"
        case .uninstall(let app): "uninstall \(app)"
        case .interrupt(let kind): kind.name
        case .dismiss(let kind): "dismiss \(kind.name)"
        case .accept(let kind): "accept \(kind.name)"
        case .endCall: "end call"
        case .sleep: "sleep"
        case .wake: "wake"
        case .reboot: "reboot"
        case .shutDown: "down"
        case .boot: "up"
        case .memoryWarning: "memory warning"
        case .memoryPressure(.warning): "memory pressure"
        case .memoryPressure(.critical): "memory pressure critical"
        case .memoryPressure(.normal): "memory pressure over"
        case .app(let app, let action): "let \(app) \(action.phrase)"
        case .setClock(let span):
            span < .zero
                ? "clock back \(Span(nanoseconds: -span.nanoseconds).text)"
                : "clock forward \(span.text)"
        case .newDay: "clock midnight"
        case .network(let kind): "network \(kind.name)"
        case .battery(let battery):
            "battery \(battery.percent)\(battery.state == .unplugged ? "" : " " + battery.state.name)"
        case .locale(let identifier): "locale \(Words.quote(identifier))"
        case .timeZone(let identifier, let offset):
            "time zone \(Words.quote(identifier)) \(offset < 0 ? "west" : "east") \(Span.seconds(Double(abs(offset))).text)"
        case .brightness(let percent): "brightness \(percent)"
        case .screens(let count): "screens \(count)"
        case .lowPower(let isOn): "low power\(off(isOn))"
        case .thermalState(let state): "thermal state \(state.name)"
        case .orientation(let orientation): "orientation \(orientation.name)"
        case .screenshot: "screenshot"
        case .changeStore(let name): "change store \(Words.quote(name))"
        case .setting(let app, let key, let value?): "set \(Words.word(key)) of \(app) to \(Words.quote(value))"
        case .setting(let app, let key, nil): "reset \(Words.word(key)) of \(app)"
        case .callMethod(let app): "call method of \(app)"
        case .connect(let app, let span): "connect to \(app) for \(span.text)"
        case .fetch(let app, let launches): launches ? "launch \(app) to fetch" : "fetch \(app)"
        case .allowRefresh(let app, let isAllowed): "refresh \(app)\(off(isAllowed))"
        case .sessionEvents(let app, let session, let authentication):
            "transfers of \(app) \(authentication ? "ask" : "end") in \(Words.quote(session))"
        case .wakeByService(let app, let part): "wake \(app) by \(part.phrase)"
        case .tellService(let service, let words): "tell \(Words.word(service)) \(Words.quote(words))"
        }
    }
}

extension AppAction {
    package var phrase: String {
        switch self {
        case .beginTask(let name): "begin task \(Words.quote(name))"
        case .endTask(let name): "end task \(Words.quote(name))"
        case .endInvalidTask: "end invalid task"
        case .askBackgroundTime: "ask background time"
        case .openURL(let url): "open \(Words.word(url))"
        case .activateScene(let scene): scene.map { "activate scene \($0.rawValue)" } ?? "activate new scene"
        case .destroyScene(let scene): "destroy scene \(scene.rawValue)"
        case .canOpenURL(let url): "can open \(Words.word(url))"
        case .exit(let status): "exit \(status)"
        case .crash(let signal): "crash\(named(signal))"
        case .block(let span): "block \(span.text)"
        case .fork(let count): "fork \(count)"
        case .work(let span): "work \(span.text)"
        case .transfer(let bytes): "transfer \(ByteCount.text(bytes))"
        case .allocate(let bytes): "allocate \(ByteCount.text(bytes))"
        case .write(let bytes, let isCache): "\(isCache ? "cache" : "write") \(ByteCount.text(bytes))"
        case .lock(let file): "lock \(Words.word(file))"
        case .provideSnapshots(let isOn): "provide snapshots\(off(isOn))"
        case .refreshSnapshot: "refresh snapshot"
        case .unlock(let file): "unlock \(Words.word(file))"
        case .listen(let name): "listen at \(Words.quote(name))"
        case .grabInput(let isOn): "grab input\(off(isOn))"
        case .useGPU: "draw"
        case .complete(let service, let result): "complete \(service.name) \(result.name)"
        case .setFetchInterval(let interval): interval.map { "fetch every \($0.text)" } ?? "fetch never"
        case .submitTask(let kind, let identifier, let span, let need):
            "submit \(kind.name) \(Words.quote(identifier))" + (span.map { " after \($0.text)" } ?? "")
                + (need.map { " with \($0.rawValue)" } ?? "")
        case .cancelTask(let identifier): identifier.map { "cancel task \(Words.quote($0))" } ?? "cancel all tasks"
        case .use(let part): "use \(part.phrase)"
        case .leave(let part): "leave \(part.phrase)"
        case .ask(let service, let words): "ask \(Words.word(service)) \(Words.quote(words))"
        case .after(let span, let action): "after \(span.text) \(action.phrase)"
        }
    }
}

extension Fault {
    var phrase: String {
        switch self {
        case .crash(let app, let signal): "crash \(app)\(named(signal))"
        case .starve(let app): "starve \(app)"
        case .exit(let app, let status): "exit \(app) \(status)"
        case .hang(let app, let callback): "hang \(app) in \(callback.name)"
        case .freezeMainThread(let app): "hang \(app)"
        case .recover(let app): "recover \(app)"
        case .disconnect(let app): "disconnect \(app)"
        case .loseReply(let app): "lose reply of \(app)"
        case .delayReplies(let app, let span): "delay replies of \(app) by \(span.text)"
        case .unfreezable(let app, let isOn): "unfreezable \(app)\(off(isOn))"
        case .ignoreTermination(let app, let isOn): "ignore termination \(app)\(off(isOn))"
        case .leaveOthers(let app, let isOn): "leave others \(app)\(off(isOn))"
        case .endOthers(let app): "end others \(app)"
        case .ignorePeers(let app, let isOn): "ignore peers \(app)\(off(isOn))"
        case .debugger(let app, let isOn): "debugger \(app)\(off(isOn))"
        case .fork(let app, let count): "fork \(app) \(count)"
        case .thaw(let app): "thaw \(app)"
        case .diskFull(let isOn): "disk full\(off(isOn))"
        case .launchFails(let app, let isOn): "launch fails \(app)\(off(isOn))"
        case .networkDown(let isOn): "network down\(off(isOn))"
        case .killService(let name): "kill service \(Words.word(name))"
        case .stallService(let name, let isStalled): "stall service \(Words.word(name))\(off(isStalled))"
        case .killDaemon(let span): "kill daemon for \(span.text)"
        case .killDaemonWithin(let effects, let span):
            "kill daemon within \(effects) effects for \(span.text)"
        }
    }
}

private func off(_ isOn: Bool) -> String { isOn ? "" : " off" }

private func named(_ signal: Int32) -> String { signal == 11 ? "" : " \(Signal.name(signal) ?? String(signal))" }

extension LogPattern {
    var phrase: String {
        let words = [app, event.name, reason.map { "because \(Words.quote($0))" }]
        return words.compactMap { $0 }.joined(separator: " ")
    }
}

extension Expectation {
    /// A phrase or a mapping, as YAML.
    var yaml: String {
        switch self {
        case .state(let app, let state): YAML.text("\(app) \(state.name)")
        case .scene(let app, let scene, let state): YAML.text("scene \(scene.rawValue) of \(app) \(state.name)")
        case .visible(let app, let isVisible): YAML.text("\(app) \(isVisible ? "visible" : "hidden")")
        case .accepted: "accepted"
        case .refused(let text): YAML.text(text.isEmpty ? "refused" : "refused \(Words.quote(text))")
        case .unanswered: "unanswered"
        case .noReports: "no reports"
        case .atRest: "at rest"
        case .order(let entries): YAML.mapping([("order", YAML.list(entries.map { YAML.text($0.phrase) }))])
        case .never(let entry): YAML.mapping([("never", YAML.text(entry.phrase))])
        case .count(let entry, let count): YAML.mapping([("count", YAML.text(entry.phrase)), ("is", "\(count)")])
        case .within(let from, let to, let atLeast, let atMost):
            YAML.mapping(
                [("from", YAML.text(from.phrase)), ("to", YAML.text(to.phrase))]
                    + (atLeast == .zero ? [] : [("atLeast", atLeast.text)])
                    + [("atMost", atMost.text)])
        case .callbacks(let app, let kinds): are("callbacks", app, kinds.map(\.name))
        case .reports(let app, let codes): are("reports", app, codes.map { "0x" + String($0, radix: 16) })
        case .reportSays(let app, let text): YAML.mapping([("report", app), ("says", YAML.text(text))])
        case .why(let app, let events):
            YAML.mapping([("why", app), ("through", YAML.list(events.map(\.name)))])
        case .assertions(let app, let kinds): are("assertions", app, kinds.map(\.name))
        case .requestRefused(let app, let text): YAML.mapping([("request", app), ("refused", YAML.text(text))])
        case .expirations(let app, let tasks): are("expirations", app, tasks.map(YAML.text))
        case .heard(let app, let words): are("heard", app, words.map(YAML.text))
        case .payload(let app, let text): YAML.mapping([("payload", app), ("says", YAML.text(text))])
        case .serviceAnswer(let service, let question, let text):
            YAML.mapping([
                ("asked", YAML.text(service)), ("question", YAML.text(question)), ("says", YAML.text(text)),
            ])
        case .snapshots(let app, let count): YAML.mapping([("snapshots", app), ("are", "\(count)")])
        case .changes(let app, let changes): are("changes", app, changes.map(\.name))
        case .priority(let app, let priority): YAML.mapping([("priority", app), ("is", priority.name)])
        case .launches(let app, let count): YAML.mapping([("launches", app), ("are", "\(count)")])
        case .energy(let share, let least, let most): YAML.mapping(share.yaml(least, most))
        case .launchOptions(let app, let options): YAML.mapping([("launchOptions", app)] + options.yaml)
        case .opened(let app, let url, let source):
            YAML.mapping(
                [("opened", app), ("url", YAML.text(url))] + (source.map { [("source", YAML.text($0))] } ?? []))
        }
    }

    private func are(_ key: String, _ app: String, _ values: [String]) -> String {
        YAML.mapping([(key, app), ("are", YAML.list(values))])
    }
}

extension EnergyShare {
    fileprivate func yaml(_ least: Energy, _ most: Energy?) -> [(String, String)] {
        let name: String =
            switch owner {
            case .app(let app): app
            case .system: Self.system
            case .device: Self.device
            }
        let isSaid = least > .zero || most == nil
        let values = [
            ("energy", name), ("for", purpose?.name), ("by", part?.name), ("atLeast", isSaid ? least.text : nil),
            ("atMost", most?.text),
        ]
        return values.compactMap { key, value in value.map { (key, $0) } }
    }

    // No app has a name with a space.
    static let system = "the system"
    static let device = "the device"
}

extension LaunchOptions {
    fileprivate var yaml: [(String, String)] {
        let modes = service.keys
        let values =
            [
                ("url", url.map(YAML.text)), ("source", sourceApplication.map(YAML.text)),
                ("service", modes.isEmpty ? nil : modes.count == 1 ? modes[0] : YAML.list(modes)),
            ] + [notification.map { ($0.key, YAML.text($0.payload)) } ?? ("", nil)]
        return values.compactMap { key, value in value.map { (key, $0) } }
    }
}

extension ServicePart {
    fileprivate var phrase: String { Words.word("\(service).\(part)") }
}
