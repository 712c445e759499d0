package import ArgumentParser
internal import Wire

/// `greenroom reports`
package struct ReportsCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "reports", abstract: "List the reports on apps that ended badly, or print one.",
        subcommands: [ReportsList.self, ReportsShow.self], defaultSubcommand: ReportsList.self)

    package init() {}
}

struct ReportsList: Verb {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the reports, or print the one that is named (the default).")

    @Argument(help: "Print the report of this ID.") var id: String?

    @Option(help: "Only reports on this app.", completion: .custom { _, _, _ in Completions.apps() })
    var app: String?

    @OptionGroup var format: JSONOption

    func validate() throws {
        if id != nil, app != nil { throw ValidationError("--app takes no ID") }
    }

    func perform(in context: CommandContext) throws(CommandFailure) {
        if let id { return try ReportsShow.print(id, format, in: context) }
        let client = try context.client()
        var params: JSONObject = [:]
        if let app { params["app"] = .string(try client.filter(app)) }
        let answer = try client.request(.reports, params)
        guard !format.json else { return context.print(json: answer) }
        let reports = try records(answer, ReportSummary.self)
        guard !reports.isEmpty else { return context.print("there are no reports") }
        var table = Table([
            ("ID", .left), ("WHEN", .left), ("APP", .left), ("NAMESPACE", .left), ("CODE", .left), ("REASON", .left),
        ])
        for report in reports {
            table.add([
                Table.Cell(report.id), Table.Cell(Moment(report.at)?.local(context.clock) ?? report.at),
                Table.Cell(report.app), Table.Cell(report.namespace),
                Table.Cell(Self.hexadecimal(report.code), .red),
                Table.Cell(report.reason.split(separator: "\n").first.map(String.init) ?? ""),
            ])
        }
        context.write(table.rendered(context.style))
    }

    /// As Apple writes them: 0x8badf00d. Signals and the like are small and read better as they are.
    static func hexadecimal(_ code: Int) -> String {
        code < 256 ? String(code) : "0x" + String(code, radix: 16)
    }
}

struct ReportsShow: Verb {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a whole report in the .ips form: a line of JSON, then the report.")

    @Argument(help: "The report's ID, from `greenroom reports`.") var id: String
    @OptionGroup var format: JSONOption

    func perform(in context: CommandContext) throws(CommandFailure) { try Self.print(id, format, in: context) }

    static func print(_ id: String, _ format: JSONOption, in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.report, ["id": .string(id)])
        guard !format.json else { return context.print(json: answer) }
        guard let header = answer["header"], let report = answer["report"] else {
            throw .failed("the daemon's answer has no header and report. Is it of another version?")
        }
        context.print(JSONText.line(header))
        context.print(JSONText.pretty(report))
    }
}
