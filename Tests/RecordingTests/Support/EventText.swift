import Model
import PolicyCore

// What the golden recordings hold, in words of the tests' own. They name things as they were named when the recordings
// were made, and go on to when the code calls or nests them otherwise.

extension Event {
    var text: String {
        switch self {
        case .clockChanged(let offset): "clockChanged \(offset)"
        case .booted: "booted"
        case .adopted(let found): "adopted" + found.map { " [\($0.text)]" }.joined()
        case .installed(let manifest): "installed \(manifest.text)"
        case .command(let id, let command): "command \(id.rawValue): \(command.text)"
        case .processStarted(let app, let generation, let pid): "processStarted \(app, generation) pid \(pid)"
        case .launchFailed(let app, let generation, let failure):
            "launchFailed \(app, generation) \(failure.stage) \(failure.errorNumber) “\(failure.message)”"
        case .connected(let app, let generation, let executed):
            "connected \(app, generation) executed \(optional: executed?.rawValue)"
        case .disconnected(let app, let generation): "disconnected \(app, generation)"
        case .callbackReturned(let app, let generation, let number):
            "callbackReturned \(app, generation) \(number.rawValue)"
        case .mainThreadAnswered(let app, let generation): "mainThreadAnswered \(app, generation)"
        case .firstProcessEnded(let app, let generation, let status):
            "firstProcessEnded \(app, generation) \(status.text)"
        case .allProcessesEnded(let app, let generation): "allProcessesEnded \(app, generation)"
        case .processesCounted(let app, let generation, let count): "processesCounted \(app, generation) \(count)"
        case .tracerChecked(let app, let generation, let isTraced): "tracerChecked \(app, generation) \(isTraced)"
        case .prepared(let app, let generation): "prepared \(app, generation)"
        case .frozen(let app, let generation): "frozen \(app, generation)"
        case .verified(let app, let generation): "verified \(app, generation)"
        case .mechanism(let incarnation, let event): event.text(incarnation.app, incarnation.generation)
        case .memoryConfigured(let budget, let source): "memoryConfigured \(budget) \(source)"
        case .memorySensed(let available): "memorySensed \(available)"
        case .room(.sensed(let free, let total)): "diskSensed free \(free) total \(total)"
        case .room(.measured(let found)):
            "diskMeasured"
                + found.map { one in
                    " [\(one.incarnation.app, one.incarnation.generation) \(one.bytes) changed \(one.changed)]"
                }.joined()
        case .room(.emptied(let app, let freed)): "cachesEmptied \(app.rawValue) \(freed)"
        case .footprintSampled(let app, let generation, let footprint):
            "footprintSampled \(app, generation) \(footprint.text)"
        case .reclaimed(let app, let generation, let footprint): "reclaimed \(app, generation) \(footprint.text)"
        case .endedForMemory(let ended, let available):
            "endedForMemory" + ended.map { " [\($0.app, $0.generation)]" }.joined() + " \(available)"
        case .mappingsCounted(let app, let generation, let count, let largest):
            "mappingsCounted \(app, generation) \(count) largest \(largest)"
        case .purgeableCounted(let app, let generation, let count): "purgeableCounted \(app, generation) \(count)"
        case .conditionSensed(let condition): "conditionSensed \(condition.text)"
        case .trafficSeen(let app, let purpose, let sent, let received, let from, let to):
            "trafficSeen app \(optional: app?.rawValue) \(purpose) sent \(sent) received \(received) "
                + "\(from.nanoseconds) to \(to.nanoseconds)"
        case .trafficCounted(let app, let purpose, let count):
            "trafficCounted app \(app.rawValue) \(purpose) sent \(count.sent) received \(count.received) "
                + "\(count.from.nanoseconds) to \(count.to.nanoseconds)"
                + (count.processor == .zero ? "" : " processor \(count.processor.nanoseconds)")
        case .sessionEvents(let app, let session, let authentication):
            "transferEvents app \(app.rawValue) \(session) authentication \(authentication)"
        case .wishesRestored(let app, let wishes):
            "wishesRestored app \(app.rawValue) every \(optional: wishes.interval?.nanoseconds)"
                + wishes.tasks.map { " [\($0.text)]" }.joined()
        case .habitsRestored(let memory): "habitsRestored \(memory.text)"
        case .request(let app, let id, let request): "request \(id.rawValue) of app \(app.rawValue): \(request.text)"
        case .timer: "timer"
        case .retired(let event): event.text
        case .service(let event): "service \(event.text)"
        }
    }
}

extension RetiredEvent {
    var text: String {
        switch self {
        case .beginService(let app, let id, _), .endService(let app, let id, _):
            "request \(id.rawValue) of app \(app.rawValue): \(request ?? "")"
        case .openCovering(let id, _, _):
            "command \(id.rawValue): \(command ?? "")"
        }
    }

    var request: String? {
        switch self {
        case .beginService(_, _, let service): "beginService \(service)"
        case .endService(_, _, let service): "endService \(service)"
        case .openCovering: nil
        }
    }

    var command: String? {
        switch self {
        case .openCovering(_, let app, let wait): "open app \(app.rawValue) covering wait \(wait)"
        case .beginService, .endService: nil
        }
    }
}

extension ServiceEvent {
    var text: String {
        switch self {
        case .declared(let declarations): return "declared([\(declarations.map(\.text).joined(separator: ", "))])"
        default: return "\(self)"
        }
    }
}

extension ServiceDeclaration {
    fileprivate var text: String {
        "\(name) holds \(holds) windows \(windows) mode \(mode.keys.joined(separator: ",")) "
            + "foreground \(worksInForeground) boot \(launchesAtBoot) again \(relaunches)"
    }
}

extension MechanismEvent {
    func text(_ app: AppIndex, _ generation: Generation) -> String {
        switch self {
        case .locks(.found(let path, let blocks)): "lockFound \(app, generation) \(path) blocks \(blocks)"
        case .locks(.inputGrabbed(let display)): "inputGrabbed \(app, generation) \(display)"
        case .sockets(.called(let method, let isUnread)):
            "methodCalled \(app, generation) \(method) unread \(isUnread)"
        case .sockets(.found(let listeners, let connections)):
            "socketsFound \(app, generation)" + listeners.map { " [\($0.name) peers \($0.peers)]" }.joined()
                + " connections \(connections)"
        case .sockets(.peerCame(let name)): "peerCame \(app, generation) \(name)"
        case .sockets(.refused(let name, let count)): "peersRefused \(app, generation) \(name) \(count)"
        case .sockets(.seen(let use)):
            "socketsSeen \(app, generation) \(use.connections) waiting \(use.waiting) work \(use.work.nanoseconds)"
        case .gpu(.used(let use)): "gpuUsed \(app, generation) \(use.kind) \(use.driver)"
        case .descriptors(.nearLimit(let open, let limit)):
            "descriptorsNearLimit \(app, generation) open \(open) limit \(limit)"
        case .descriptors(.counted(let open, let limit)):
            "descriptorsCounted \(app, generation) open \(open) limit \(limit)"
        case .inversions(.seen(let inversion, let lock)):
            "inversionSeen \(app, generation) \(inversion.thread) [\(inversion.app)] \(inversion.rank) \(inversion.nice) "
                + "lock \(lock)"
        case .inversions(.found(let inversion)):
            "inversionFound \(app, generation) \(inversion.thread) [\(inversion.app)] \(inversion.rank) \(inversion.nice)"
        case .disk(.filled(let use)): "diskFilled \(app, generation) written \(use.written) free \(use.free)"
        }
    }
}

extension Command {
    var text: String {
        switch self {
        case .open(let app, let role, let wait): "open app \(app.rawValue) \(role) wait \(wait)"
        case .openURL(let url, let wait): "openURL \(url) wait \(wait)"
        case .home(let wait): "home wait \(wait)"
        case .lock(let wait): "lock wait \(wait)"
        case .unlock(let wait): "unlock wait \(wait)"
        case .switcher(let isOpen, let wait): "switcher \(isOpen) wait \(wait)"
        case .close(let app, let wait): "close app \(app.rawValue) wait \(wait)"
        case .restart(let app, let wait): "restart app \(app.rawValue) wait \(wait)"
        case .exempt(let app, let isExempt): "exempt app \(app.rawValue) \(isExempt)"
        case .uninstall(let app): "uninstall app \(app.rawValue)"
        case .interrupt(let kind, let wait): "interrupt \(kind) wait \(wait)"
        case .dismiss(let kind, let wait): "dismiss \(kind) wait \(wait)"
        case .accept(let kind, let wait): "accept \(kind) wait \(wait)"
        case .endCall(let wait): "endCall wait \(wait)"
        case .sleep(let wait): "sleep wait \(wait)"
        case .wake(let wait): "wake wait \(wait)"
        case .reboot: "reboot"
        case .shutDown: "shutDown"
        case .warnMemory: "warnMemory"
        case .pressMemory(let level): "pressMemory \(level)"
        case .simulate(let condition): "simulate \(condition.text)"
        case .endSimulation(let kind): "endSimulation \(kind)"
        case .changeSetting(let app, let key, let value):
            "changeSetting app \(app.rawValue) \(key) \(optional: value)"
        case .simulateFetch(let app, let launches, let wait):
            "simulateFetch app \(app.rawValue) launches \(launches) wait \(wait)"
        case .openScene(let app, let scene, let role, let wait):
            "openScene app \(app.rawValue) \(optional: scene?.rawValue) \(role) wait \(wait)"
        case .closeScene(let app, let scene, let wait):
            "closeScene app \(app.rawValue) \(scene.rawValue) wait \(wait)"
        case .allowRefresh(let app, let isAllowed): "allowRefresh app \(app.rawValue) \(isAllowed)"
        }
    }
}

extension AppRequest {
    var text: String {
        switch self {
        case .openURL(let url): "openURL \(url)"
        case .canOpenURL(let url): "canOpenURL \(url)"
        case .beginTask(let task, let name): "beginTask \(task.rawValue) “\(name)”"
        case .endTask(let task): "endTask \(task.rawValue)"
        case .backgroundTime: "backgroundTime"
        case .mechanism(.snapshots(.provide(let provides))): "provideSnapshots \(provides)"
        case .mechanism(.snapshots(.refresh)): "refreshSnapshot"
        case .complete(let window, let result): "complete \(window.rawValue) \(result)"
        case .setFetchInterval(let interval): "setFetchInterval \(optional: interval?.nanoseconds)"
        case .submitTask(let request): "submitTask \(request.text)"
        case .cancelTask(let identifier): "cancelTask \(optional: identifier)"
        case .pendingTasks: "pendingTasks"
        case .scene(.activate(let scene, let wish)): "activateScene \(optional: scene?.rawValue) wish \(wish)"
        case .scene(.destroy(let scene)): "destroyScene \(scene.rawValue)"
        case .keepScreenOn(let keeps): "keepScreenOn \(keeps)"
        }
    }
}

extension DefaultStringInterpolation {
    fileprivate mutating func appendInterpolation(_ app: AppIndex, _ generation: Generation) {
        appendInterpolation("app \(app.rawValue)/\(generation.rawValue)")
    }

    fileprivate mutating func appendInterpolation(optional value: (some Any)?) {
        appendInterpolation(value.map { "\($0)" } ?? "none")
    }
}

extension AdoptedApp {
    fileprivate var text: String {
        "app \(app.rawValue) pid \(optional: pid) frozen \(isFrozen) status \(optional: status?.text)"
    }
}

extension AppManifest {
    fileprivate var text: String {
        "\(identifier.rawValue) “\(name)” \(kind) modes \(backgroundModes.text) exits \(exitsOnSuspend) schemes "
            + "\(urlSchemes.joined(separator: ",")) freezable \(isFreezable) tasks "
            + taskIdentifiers.joined(separator: ",")
    }
}

extension BackgroundModes {
    /// A number, as before there were others than those that Greenroom knows.
    fileprivate var text: String { otherKeys.isEmpty ? "\(mask)" : keys.joined(separator: ",") }
}

extension Model.ExitStatus {
    fileprivate var text: String {
        switch self {
        case .exited(let code): "exited \(code)"
        case .signaled(let signal): "signaled \(signal)"
        case .unknown: "unknown"
        case .outOfMemory: "out of memory"
        }
    }
}

extension Footprint {
    fileprivate var text: String { "dirty \(dirty) purgeable \(purgeable) clean \(clean)" }
}

extension Condition {
    fileprivate var text: String {
        switch self {
        case .locale(let identifier): "locale \(identifier)"
        case .timeZone(let zone):
            "timeZone \(zone.identifier) \(zone.offset)" + zone.transitions.map { " [\($0.at) \($0.offset)]" }.joined()
        case .screen(let screen): "screen \(screen.brightness) external \(screen.external)"
        case .battery(let battery): "battery \(battery.state) \(battery.percent)"
        case .network(let network): "network \(network)"
        case .lowPower(let isOn): "lowPower \(isOn)"
        case .thermalState(let state): "thermalState \(state)"
        case .orientation(let orientation): "orientation \(orientation)"
        case .store(let store): "store \(store.name) \(store.stamp)"
        case .clock(let seconds): "clock \(seconds)"
        case .screenshot: "screenshot"
        }
    }
}

extension BackgroundTaskRequest {
    fileprivate var text: String {
        "\(identifier) \(kind) earliest \(optional: earliest?.nanoseconds) network \(needsNetwork) power \(needsPower)"
    }
}

extension FetchMemory {
    /// Hundreds of numbers: their stable form has to do.
    fileprivate var text: String {
        var writer = ByteWriter()
        encode(into: &writer)
        return "\(apps.count) apps, \(writer.bytes.count) bytes, \(Digest(of: writer.bytes))"
    }
}
