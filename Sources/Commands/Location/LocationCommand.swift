package import ArgumentParser
internal import LocationModel
internal import LocationWire
internal import Wire

/// `greenroom location`
package struct LocationVerb: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "location",
        abstract: "Show who knows where the device is, and what is received for that; let an app know it, or not.",
        subcommands: [Status.self, Allow.self, Deny.self, Why.self], defaultSubcommand: Status.self)

    package init() {}

    package struct Status: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Show the sources, what is powered and for whom, and the apps.")

        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let answer = try context.ask(.location, LocationToolMethod.status.rawValue)
            guard !format.json else { return context.print(json: answer) }
            context.write(LocationVerb.rendered(try record(answer, LocationStatusInfo.self), context.style))
        }
    }

    package enum Leave: String, EnumerableFlag {
        case always, inUse

        package static func name(for value: Leave) -> NameSpecification {
            .customLong(value == .always ? "always" : "in-use")
        }

        package static func help(for value: Leave) -> ArgumentHelp? {
            switch value {
            case .always: "Whenever it likes: also regions, visits and significant changes."
            case .inUse: "While it is used."
            }
        }
    }

    package struct Allow: Verb {
        package static let configuration = CommandConfiguration(abstract: "Let an app know where the device is.")
        @OptionGroup var target: AppArgument
        @Flag var leave = Leave.always
        @Flag(help: "Only to some kilometres.") var roughly = false
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.permit(target.app, leave == .always ? .always : .whenInUse, roughly, format)
        }
    }

    package struct Deny: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Keep from an app where the device is.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            try context.permit(target.app, .denied, false, format)
        }
    }

    package struct Why: Verb {
        package static let configuration = CommandConfiguration(
            abstract: "Say what an app gets, and why a region was told so late, or not at all.")
        @OptionGroup var target: AppArgument
        @OptionGroup var format: JSONOption

        package init() {}

        package func perform(in context: CommandContext) throws(CommandFailure) {
            let app = try context.notificationApp(target.app)
            let answer = try context.ask(.location, LocationToolMethod.why.rawValue, ["app": .string(app)])
            guard !format.json else { return context.print(json: answer) }
            context.print(Visible.line(answer["sentence"]?.string ?? ""))
        }
    }
}

extension CommandContext {
    fileprivate func permit(
        _ name: String, _ authorization: LocationAuthorization, _ isReduced: Bool, _ format: JSONOption
    ) throws(CommandFailure) {
        let permit = LocationToolPermit(
            app: try notificationApp(name), authorization: authorization, reduced: isReduced)
        let answer = try ask(.location, LocationToolMethod.permit.rawValue, permit.json)
        if format.json { print(json: answer) }
    }
}

// MARK: For people

extension LocationVerb {
    static func rendered(_ status: LocationStatusInfo, _ style: Style) -> String {
        var text = ""
        var sources = Table([("SOURCE", .left), ("STATE", .left), ("FOR", .left)])
        for source in status.sources {
            let state =
                source.on
                ? Table.Cell("on", .green)
                : source.there ? Table.Cell("off", .dim) : Table.Cell(source.problem ?? "not there", .dim)
            sources.add([
                Table.Cell(source.source.name), state, Table.Cell(source.users.joined(separator: ", ")),
            ])
        }
        text += sources.rendered(style)
        if let fix = status.fix {
            text += "Last fix: \(fix.coordinate.latitude), \(fix.coordinate.longitude), "
            text += "give or take \(Int(min(fix.accuracy, 1e9).rounded())) m\n"
        }
        if !status.look.isEmpty { text += "Regions: " + Visible.line(status.look) + "\n" }
        guard !status.apps.isEmpty else { return text + "No app has used location.\n" }
        var apps = Table([("APP", .left), ("LEAVE", .left), ("UPDATES", .left), ("REGISTERED FOR", .left)])
        for app in status.apps {
            apps.add([
                Table.Cell(app.name.isEmpty ? app.app : app.name), Table.Cell(app.leave), app.cell,
                Table.Cell(app.registrations),
            ])
        }
        text += apps.rendered(style)
        let indicated = status.apps.filter { $0.indicator }.map { Visible.line($0.name.isEmpty ? $0.app : $0.name) }
        if !indicated.isEmpty { text += "Indicator, out of sight: " + indicated.joined(separator: ", ") + "\n" }
        return text
    }
}

extension FixSource {
    fileprivate var name: String {
        switch self {
        case .cell: "cell"
        case .network: "network"
        case .gps: "satellites"
        }
    }
}

extension LocationAppInfo {
    fileprivate var leave: String {
        let word =
            switch authorization {
            case .notDetermined: "not asked"
            case .denied: "denied"
            case .whenInUse: "in use"
            case .always: "always"
            }
        return reduced ? word + ", roughly" : word
    }

    fileprivate var cell: Table.Cell {
        guard let updates else { return Table.Cell("", .dim) }
        if paused { return Table.Cell("paused", .dim) }
        return Table.Cell(updates.accuracy > 0 ? "within \(Int(min(updates.accuracy, 1e9))) m" : "the best", .green)
    }

    fileprivate var registrations: String {
        var all = regions.map { "\($0.region.identifier) (\($0.state.rawValue))" }
        all += places.map { "\($0.region.identifier) (\($0.state.rawValue), for a notification)" }
        if significant { all.append("significant changes") }
        if visits { all.append("visits") }
        return all.joined(separator: ", ")
    }
}
