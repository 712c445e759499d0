package import ArgumentParser
package import Wire

/// `greenroom energy`
package struct EnergyCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "energy", abstract: "Say what the network has cost in energy, for each app and service.",
        discussion: """
            Joules are those of a model: the radio's promotions, high power and tails, as they were measured on \
            phones, applied to what apps and Greenroom's services moved. A radio that several keep awake is shared by \
            them; the sum of all shares is the whole. The bytes of each app are those of its own connections, by what \
            it was doing: browsing is what it moved on screen. What stays on the machine is not counted. A background \
            fetch also pays for its processor time. greenroom \
            doctor says how bytes are counted here.
            """)

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.energy)
        guard !format.json else { return context.print(json: answer) }
        context.write(Self.rendered(try record(answer, EnergyInfo.self), context.style))
    }

    package static func rendered(_ info: EnergyInfo, _ style: Style) -> String {
        var text = "\(joules(info.joules)) in all, \(info.sent.bytes) sent, \(info.received.bytes) received"
        text += "; the cellular radio was woken \(info.wakeups) times"
        if let radio = info.radio {
            text += "\nradio \(radio): \(info.state)"
            if info.awakeFor > 0 { text += ", awake for \(tenths(info.awakeFor)) s more" }
        } else {
            text += "\nno network"
        }
        text = Visible.lines(text) + "\n"
        if !info.shares.isEmpty { text += shares(info).rendered(style) }
        if !info.traffic.isEmpty { text += traffic(info).rendered(style) }
        return text
    }

    private static func traffic(_ info: EnergyInfo) -> Table {
        var table = Table([("APP", .left), ("SERVICE", .left), ("SENT", .right), ("RECEIVED", .right)])
        for one in info.traffic.sorted(by: { ($0.sent + $0.received) > ($1.sent + $1.received) }) {
            table.add([
                Table.Cell(one.app ?? "apps that are gone"), Table.Cell(one.service), Table.Cell(one.sent.bytes),
                Table.Cell(one.received.bytes),
            ])
        }
        return table
    }

    private static func shares(_ info: EnergyInfo) -> Table {
        var table = Table([("APP", .left), ("SERVICE", .left), ("BY", .left), ("J", .right), ("SHARE", .right)])
        for share in info.shares.sorted(by: { $0.joules > $1.joules }) {
            let part = info.joules > 0 ? share.joules / info.joules * 100 : 0
            table.add([
                Table.Cell(share.app ?? "the system"), Table.Cell(share.service), Table.Cell(share.part),
                Table.Cell(tenths(share.joules)), Table.Cell("\(tenths(part)) %"),
            ])
        }
        return table
    }

    private static func joules(_ value: Double) -> String { "\(tenths(value)) J" }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int64((min(max(value, 0), 1e15) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}

extension Int64 {
    fileprivate var bytes: String {
        switch self {
        case ..<10_000: "\(self) B"
        case ..<10_000_000: "\(self / 1000) kB"
        default: "\(self / 1_000_000) MB"
        }
    }
}
