package import ArgumentParser
internal import Model
package import Wire

/// `greenroom doctor`
package struct DoctorCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Try what this machine offers; say what stands in for the rest.",
        discussion: "For each mechanism that is missing it names the replacement and its cost. Needs no daemon.")

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let home = try context.home
        let own = Doctor(home: home, environment: context.environment).findings()
        let isUp = Leftovers(home: home).accepts(home.controlSocket)
        let told = isUp ? fromDaemon(home) : []
        let notifications = NotificationProbe(context: context).finding(isUp: isUp)
        let sound = SoundProbe(context: context).finding(isUp: isUp)
        let location = LocationProbe().finding()
        let findings = Doctor.merged(own + [notifications, sound, location], daemon: told)
        guard !format.json else { return context.print(json: DoctorFinding.json(of: findings)) }
        context.write(DoctorPage(style: context.style).rendered(findings))
    }

    /// Empty when it does not know either.
    private func fromDaemon(_ home: GreenroomHome) -> [DoctorFinding] {
        guard let answer = try? ControlClient(home: home, patience: .zero).request(.doctor) else { return [] }
        return (try? DoctorFinding.list(json: answer)) ?? []
    }
}

/// The findings for people.
package struct DoctorPage {
    private let style: Style

    package init(style: Style) { self.style = style }

    package func rendered(_ findings: [DoctorFinding]) -> String {
        let width = findings.map { Table.width(Visible.line($0.mechanism)) }.max() ?? 0
        let indent = String(repeating: " ", count: width + 4)
        var text = ""
        for finding in findings {
            let (symbol, ink) = Self.look(finding.status)
            let name = LogPrinter.padded(Visible.line(finding.mechanism), width)
            text += "\(style(ink, symbol)) \(name)  \(Visible.line(finding.detail))\n"
            if let instead = finding.instead { text += "\(indent)instead: \(Visible.line(instead))\n" }
            if let cost = finding.cost { text += "\(indent)cost: \(Visible.line(cost))\n" }
        }
        return text + Self.summary(findings)
    }

    private static func look(_ status: DoctorFinding.Status) -> (String, Style.Ink) {
        switch status {
        case .ok: ("✓", .green)
        case .replaced: ("~", .yellow)
        case .missing: ("✗", .red)
        }
    }

    private static func summary(_ findings: [DoctorFinding]) -> String {
        let counts = DoctorFinding.Status.allCases.map { status in findings.count { $0.status == status } }
        return "mechanisms: \(counts[0]) ok, \(counts[1]) replaced, \(counts[2]) missing\n"
    }
}
