package import ArgumentParser
package import TransferWire
internal import Wire

/// `greenroom transfers`
package struct TransfersCommand: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "transfers", abstract: "List transfers; pause, resume or cancel one; say why one waits.",
        subcommands: [List.self, Pause.self, Resume.self, Cancel.self, Why.self], defaultSubcommand: List.self)

    package init() {}

    struct Name: ParsableArguments {
        @Argument(help: "The transfer's id, as greenroom transfers shows it.")
        var id: String

        var json: JSONValue { TransferName(id: id).json }
    }

    package struct List: Verb {
        package static let configuration = CommandConfiguration(abstract: "List transfers: of apps and of this tool.")

        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            var all: [TransferInfo] = []
            var page: TransferList
            repeat {
                let params = TransferListParameters(after: all.last?.id)
                page = try record(context.askTransfers(.list, params.json), TransferList.self)
                all += page.transfers
            } while page.more && !page.transfers.isEmpty
            guard !format.json else { return context.print(json: TransferInfo.json(of: all)) }
            context.write(TransfersCommand.rendered(all, context.clock, context.style))
        }
    }

    package struct Pause: Verb {
        package static let configuration = CommandConfiguration(abstract: "Stop a transfer; what it has stays.")
        @OptionGroup var name: Name
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            _ = try context.askTransfers(.pause, name.json)
        }
    }

    package struct Resume: Verb {
        package static let configuration = CommandConfiguration(abstract: "Go on with a paused transfer, where it was.")
        @OptionGroup var name: Name
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            _ = try context.askTransfers(.resume, name.json)
        }
    }

    package struct Cancel: Verb {
        package static let configuration = CommandConfiguration(abstract: "End a transfer; what it has goes.")
        @OptionGroup var name: Name
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            _ = try context.askTransfers(.cancel, name.json)
        }
    }

    package struct Why: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Say what a transfer waits for, and when it is looked at next.")
        @OptionGroup var name: Name
        @OptionGroup var format: JSONOption
        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let answer = try context.askTransfers(.why, name.json)
            guard !format.json else { return context.print(json: answer) }
            let why = try record(answer, TransferExplanation.self)
            context.print(Visible.line(why.sentence))
        }
    }

    package static func rendered(_ transfers: [TransferInfo], _ clock: Moment.Clock, _ style: Style) -> String {
        guard !transfers.isEmpty else { return "there are no transfers\n" }
        var table = Table([
            ("ID", .left), ("APP", .left), ("STATE", .left), ("DONE", .right), ("OF", .right), ("RATE", .right),
            ("URL", .left),
        ])
        for transfer in transfers {
            let done = transfer.kind == .upload ? transfer.sent : transfer.received
            var state = transfer.state.rawValue
            if transfer.state == .waiting, let what = transfer.waitingFor { state += " (\(what))" }
            table.add([
                Table.Cell(transfer.id), Table.Cell(transfer.app ?? ""), Table.Cell(state),
                Table.Cell(TransferLine.amount(Double(done))),
                Table.Cell(transfer.expected.map { TransferLine.amount(Double($0)) } ?? ""),
                Table.Cell(transfer.state == .running ? TransferLine.amount(transfer.rate) + "/s" : ""),
                Table.Cell((transfer.kind == .upload ? "↑ " : "") + transfer.url),
            ])
        }
        return table.rendered(style)
    }
}
