import ContractSuite
import Model
import Wire

extension UserCommand {
    /// As the tool asks for it.
    var request: (ControlMethod, JSONObject) {
        switch self {
        case .open(let app, let role): (.open, ["app": .string(app), "as": .string(role.name)])
        case .openScene(let app, let scene, let role):
            (
                .open,
                [
                    "app": .string(app), "as": .string(role.name), "scene": JSONValue(scene),
                    "newScene": .bool(scene == nil),
                ]
            )
        case .closeScene(let app, let scene): (.close, ["app": .string(app), "scene": .int(Int64(scene))])
        case .memoryPressure(.normal): (.simulate, ["event": "memory-pressure-over"])
        case .memoryPressure(.warning): (.simulate, ["event": "memory-pressure"])
        case .memoryPressure(.critical): (.simulate, ["event": "memory-pressure-critical"])
        case .openURL(let url): (.open, ["url": .string(url)])
        case .home: (.home, [:])
        case .lock: (.lock, [:])
        case .unlock: (.unlock, [:])
        case .switcher(let isOpen): (.switcher, ["action": .string(isOpen ? "open" : "close")])
        case .close(let app): (.close, ["app": .string(app)])
        case .restart(let app): (.restart, ["app": .string(app)])
        case .exempt(let app, let isExempt): (.exempt, ["app": .string(app), "exempt": .bool(isExempt)])
        case .uninstall(let app): (.uninstall, ["app": .string(app)])
        case .interrupt(let kind): (.simulate, ["event": .string(kind.name)])
        case .dismiss(.call): (.simulate, ["event": "call-decline"])
        case .dismiss(let kind): (.simulate, ["event": .string("\(kind.name)-dismiss")])
        case .accept(.sms): (.simulate, ["event": "sms-open"])
        case .accept(let kind): (.simulate, ["event": .string("\(kind.name)-accept")])
        case .memoryWarning: (.simulate, ["event": "memory-warning"])
        case .screenshot: (.simulate, ["event": "screenshot"])
        case .endCall: (.simulate, ["event": "call-end"])
        case .sleep: (.simulate, ["event": "sleep"])
        case .wake: (.simulate, ["event": "wake"])
        case .reboot: (.simulate, ["event": "reboot"])
        case .fetch(let app, let launches):
            (.simulate, ["event": "fetch", "app": .string(app), "launch": .bool(launches)])
        case .allowRefresh(let app, let isAllowed): (.refresh, ["app": .string(app), "allowed": .bool(isAllowed)])
        }
    }
}
