package import ArgumentParser
package import Wire

/// `greenroom services`
package struct ServicesCommand: Verb {
    package static let configuration = CommandConfiguration(
        commandName: "services", abstract: "Say which services are declared, which run, and what they hold for whom.",
        discussion: """
            A service is a program that does something for apps that are not on screen. It declares itself in a file in \
            the folder services of the home (docs/SERVICES.md).
            """)

    @OptionGroup var format: JSONOption

    package init() {}

    package func perform(in context: CommandContext) throws(CommandFailure) {
        let answer = try context.client().request(.services)
        guard !format.json else { return context.print(json: answer) }
        context.write(Self.rendered(try records(answer), context.style))
    }

    private func records(_ answer: JSONValue) throws(CommandFailure) -> [ServiceInfo] {
        do throws(RPCError) {
            return try answer.array("services").map { json throws(RPCError) in try ServiceInfo(json: json) }
        } catch {
            throw .failed("the daemon's answer cannot be read: \(error.message)")
        }
    }

    package static func rendered(_ services: [ServiceInfo], _ style: Style) -> String {
        guard !services.isEmpty else {
            return "no service is declared: docs/SERVICES.md says how one is\n"
        }
        var table = Table([("SERVICE", .left), ("STATE", .left), ("PID", .right), ("HOLDS", .left)])
        for service in services {
            let first = service.holds.first.map(line) ?? service.trouble ?? ""
            table.add([
                Table.Cell(service.service), Table.Cell(service.state),
                Table.Cell(service.pid.map(String.init) ?? ""), Table.Cell(first),
            ])
            for hold in service.holds.dropFirst() {
                table.add([Table.Cell(""), Table.Cell(""), Table.Cell(""), Table.Cell(line(hold))])
            }
        }
        return table.rendered(style)
    }

    private static func line(_ hold: ServiceInfo.Hold) -> String {
        "\(hold.app): \(hold.because)" + (hold.counts ? "" : " (on screen only)")
    }
}
