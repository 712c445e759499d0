internal import Commands
internal import Model
internal import PolicyCore
internal import Simulation
internal import Wire

/// What came of a person's days, for people and as JSON.
struct UsageReport {
    let trace: String
    let result: UsageResult

    private static let appsShown = 12

    // MARK: For people

    func text(_ style: Style) -> String {
        var text = style(.bold, Visible.line(trace)) + ": \(Self.length(result.virtualTime)) of virtual time, "
        text += "\(result.events) events\n\n"
        text += "switches      \(result.switches), of \(result.opens) opens\n"
        text += "warm starts   \(result.warmStarts)\(share(result.warmStarts))\n"
        text += "cold starts   \(result.coldStarts)\(share(result.coldStarts))\n"
        text += "launches      \(result.launches)\n"
        text +=
            "terminations  \(result.terminations); \(result.endedByShutdown) more apps ended because the device went "
        text += "down\n"
        text += "memory        at most \(result.peakMegabytes) MB resident\n"
        if let memory = result.memoryMegabytes, let policy = result.policy {
            text += "              of \(memory) MB; \(policy.rawValue) chooses who ends\n"
        }
        text += "notifications \(result.notifications), each taken for \(UsageRun.notificationBytes) bytes over 3G\n"
        text += energy
        text += "\n" + policies(style) + states(style) + "\n" + callbacks(style) + "\n" + apps(style)
        return text
    }

    private func share(_ count: Int) -> String {
        guard result.switches > 0 else { return "" }
        return " (\(Self.decimal((count * 2000 + result.switches) / (result.switches * 2))) %)"
    }

    private var energy: String {
        var text = "energy        "
        let parts = EnergyPart.allCases.filter { result.energy.total(of: $0) > .zero }
        text += parts.map { part in
            let wakeups = part == .cellular ? " (woken \(result.radioWakeups) times)" : ""
            return "\(part.name) \(Self.joules(result.energy.total(of: part)))\(wakeups)"
        }.joined(separator: ", ")
        return text + "\n"
    }

    private func policies(_ style: Style) -> String {
        guard !result.residencies.isEmpty else { return "" }
        var table = Table([
            ("POLICY", .left), ("WARM", .right), ("COLD", .right), ("TERMINATIONS", .right), ("PEAK", .right),
            ("A VICTIM", .right), ("A CANDIDATE", .right), ("OF LRU TO BOUND", .right),
        ])
        for residency in result.residencies {
            let closed = result.closedDistance(by: residency).map { Self.decimal(Int(($0 * 1000).rounded())) + " %" }
            table.add([
                Table.Cell(residency.policy), Table.Cell(String(residency.warmStarts)),
                Table.Cell(String(residency.coldStarts)), Table.Cell(String(residency.terminations)),
                Table.Cell("\(residency.peakMegabytes) MB"), Table.Cell(Self.average(residency.averageVictimMegabytes)),
                Table.Cell(Self.average(residency.averageCandidateMegabytes)), Table.Cell(closed ?? "-"),
            ])
        }
        return table.rendered(style) + "\n"
    }

    private static func average(_ megabytes: Double) -> String { "\(Int(megabytes.rounded())) MB" }

    private func states(_ style: Style) -> String {
        var table = Table([("STATE", .left), ("ALL APPS TOGETHER", .right)])
        for state in LifecycleState.allCases {
            table.add([Table.Cell(state.name), Table.Cell(Self.length(result.inState[state]))])
        }
        return table.rendered(style)
    }

    private func callbacks(_ style: Style) -> String {
        var table = Table([("CALLBACK", .left), ("CALLED", .right)])
        for kind in CallbackKind.allCases where result.count(of: kind) > 0 {
            table.add([Table.Cell(kind.name), Table.Cell(String(result.count(of: kind)))])
        }
        return table.rendered(style)
    }

    private func apps(_ style: Style) -> String {
        var table = Table([
            ("APP", .left), ("SWITCHES", .right), ("WARM", .right), ("LAUNCHES", .right), ("ACTIVE", .right),
            ("SUSPENDED", .right), ("PROCESSOR", .right), ("ENERGY", .right),
        ])
        let shown = result.apps.enumerated().sorted {
            ($1.element.switches, $0.offset) < ($0.element.switches, $1.offset)
        }
        for (_, app) in shown.prefix(Self.appsShown) {
            table.add([
                Table.Cell(app.name), Table.Cell(String(app.switches)), Table.Cell(String(app.warmStarts)),
                Table.Cell(String(app.launches)), Table.Cell(Self.length(app.inState[.active])),
                Table.Cell(Self.length(app.inState[.suspended])), Table.Cell("\(app.processorTime.twoDigits) s"),
                Table.Cell(Self.joules(app.energy)),
            ])
        }
        let more = shown.count - Self.appsShown
        return table.rendered(style) + (more > 0 ? "and \(more) more apps (--json has them)\n" : "")
    }

    /// Tenths, as a decimal number.
    private static func decimal(_ tenths: Int) -> String {
        "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    private static func joules(_ energy: Energy) -> String {
        let tenths = Int((energy.picojoules + 50_000_000_000) / 100_000_000_000)
        return tenths < 10_000 ? "\(decimal(tenths)) J" : "\(decimal((tenths + 500) / 1000)) kJ"
    }

    private static func length(_ span: Span) -> String {
        let seconds = span.nanoseconds / 1_000_000_000
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        if seconds < 172_800 { return "\(seconds / 3600) h \(seconds % 3600 / 60) min" }
        return "\(seconds / 86_400) d \(seconds % 86_400 / 3600) h"
    }

    // MARK: As JSON

    var json: JSONValue {
        [
            "switches": number(result.switches), "warmStarts": number(result.warmStarts),
            "coldStarts": number(result.coldStarts), "terminations": number(result.terminations),
            "virtualSeconds": .double(result.virtualTime.seconds), "events": number(result.events),
            "opens": number(result.opens), "launches": number(result.launches),
            "notifications": number(result.notifications), "endedByShutdown": number(result.endedByShutdown),
            "peakMB": .int(result.peakMegabytes), "memoryMB": result.memoryMegabytes.map { .int($0) } ?? .null,
            "memoryEnforced": .bool(result.memoryEnforced),
            "policy": result.policy.map { .string($0.rawValue) } ?? .null,
            "policies": .array(result.residencies.map(json)),
            "callbacks": object(CallbackKind.allCases.map { ($0.name, number(result.count(of: $0))) }),
            "secondsInState": seconds(result.inState), "processorSeconds": .double(result.processorTime.seconds),
            "energyJoules": object(
                EnergyPart.allCases.map { ($0.name, .double(result.energy.total(of: $0).joules)) }),
            "radioWakeups": number(result.radioWakeups),
            "apps": .array(result.apps.map(json)),
            "violations": .array(result.violations.map { .string($0) }),
        ]
    }

    private func json(_ residency: Residency) -> JSONValue {
        [
            "name": .string(residency.policy), "warmStarts": number(residency.warmStarts),
            "coldStarts": number(residency.coldStarts), "terminations": number(residency.terminations),
            "peakMegabytes": .int(residency.peakMegabytes),
            "averageVictimMegabytes": .double(residency.averageVictimMegabytes),
            "averageCandidateMegabytes": .double(residency.averageCandidateMegabytes),
        ]
    }

    private func json(_ app: UsageResult.App) -> JSONValue {
        [
            "app": .string(app.name), "switches": number(app.switches), "warmStarts": number(app.warmStarts),
            "launches": number(app.launches), "callbacks": number(app.callbacks),
            "secondsInState": seconds(app.inState), "processorSeconds": .double(app.processorTime.seconds),
            "energyJoules": .double(app.energy.joules),
        ]
    }

    private func number(_ value: Int) -> JSONValue { .int(Int64(value)) }

    private func seconds(_ times: UsageResult.StateTimes) -> JSONValue {
        object(LifecycleState.allCases.map { ($0.name, .double(times[$0].seconds)) })
    }

    private func object(_ members: [(String, JSONValue)]) -> JSONValue {
        var object = JSONObject()
        for (key, value) in members { object[key] = value }
        return .object(object)
    }
}
