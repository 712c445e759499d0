internal import ArgumentParser
internal import AudioModel
internal import AudioWire
internal import LocationModel
internal import LocationWire
internal import SystemPackage
internal import Wire

struct SimulateLocation: Verb {
    static let configuration = CommandConfiguration(
        commandName: "location", abstract: "The device is there, whatever its sources say; or they count again.",
        usage: """
            greenroom simulate location LATITUDE LONGITUDE [--accuracy METRES]
            greenroom simulate location off
            """)

    @Argument(parsing: .allUnrecognized, help: "Degrees north and east, or off.") var place: [String]
    @Option(help: "Metres.") var accuracy = 5.0
    @Flag(help: ArgumentHelp(visibility: .hidden)) var json = false

    private var coordinate: Coordinate? {
        let numbers = place.compactMap(Double.init)
        guard place.count == 2, numbers.count == 2 else { return nil }
        let coordinate = Coordinate(numbers[0], numbers[1])
        return coordinate.isValid ? coordinate : nil
    }

    func validate() throws {
        guard place == ["off"] || coordinate != nil else {
            throw ValidationError("a place is a latitude from -90 to 90 and a longitude from -180 to 180, or off")
        }
        guard accuracy.isFinite, accuracy >= 0 else { throw ValidationError("--accuracy is a number of metres") }
    }

    func perform(in context: CommandContext) throws(CommandFailure) {
        let params = coordinate.map { LocationToolFix(coordinate: $0, accuracy: accuracy).json } ?? [:]
        let answer = try context.ask(.location, LocationToolMethod.fix.rawValue, params)
        if json { context.print(json: answer) }
    }
}

struct SimulateCell: Verb {
    static let configuration = CommandConfiguration(
        commandName: "cell", abstract: "The telephone is in this cell, whatever its modem says; or that counts again.",
        discussion: "With --latitude and --longitude it is known where the cell's tower stands.")

    @Argument(help: "A name that tells the cell from others, or off.") var name: String
    @Option(help: "Degrees north.") var latitude: Double?
    @Option(help: "Degrees east.") var longitude: Double?
    @Option(help: "Metres that the tower reaches.") var reach: Double?
    @OptionGroup var format: JSONOption

    private var coordinate: Coordinate? {
        guard let latitude, let longitude else { return nil }
        return Coordinate(latitude, longitude)
    }

    func validate() throws {
        guard (latitude == nil) == (longitude == nil), coordinate?.isValid ?? true else {
            throw ValidationError("a latitude is from -90 to 90, a longitude from -180 to 180, and both are needed")
        }
        guard reach.map({ $0.isFinite && $0 > 0 }) ?? true else { throw ValidationError("--reach is in metres") }
    }

    func perform(in context: CommandContext) throws(CommandFailure) {
        let cell = LocationToolCell(name: name == "off" ? nil : name, coordinate: coordinate, reach: reach)
        let answer = try context.ask(.location, LocationToolMethod.cell.rawValue, cell.json)
        if format.json { context.print(json: answer) }
    }
}

/// Two things have routes: sound, and whoever is under way.
struct SimulateRoute: Verb {
    static let configuration = CommandConfiguration(
        commandName: "route", abstract: "A device for sound comes, or goes; or the device goes along a track.",
        usage: """
            greenroom simulate route KIND [--away]
            greenroom simulate route FILE [--speed TIMES]
            greenroom simulate route off
            """)

    @Argument(
        help: ArgumentHelp(
            "A kind of device: receiver, speaker, headphones, bluetooth, usb, hdmi, line, microphone or "
                + "headsetMicrophone; a file with a track, GPX or NMEA; or off: the track ends."))
    var what: String
    @Flag(help: "The device for sound goes.") var away = false
    @Option(help: "How often as fast as it was the device goes along the track.") var speed = 1.0
    @OptionGroup var format: JSONOption

    func validate() throws {
        guard speed.isFinite, speed > 0, speed <= 1000 else {
            throw ValidationError("--speed is more than 0 and at most 1000")
        }
    }

    private func absolute(_ context: CommandContext) -> String {
        let given = FilePath(what)
        return (given.isAbsolute ? given : FilePath(context.workingDirectory).pushing(given)).string
    }

    func perform(in context: CommandContext) throws(CommandFailure) {
        if let kind = AudioPortKind(rawValue: what) {
            return try context.order(away ? .unplug : .plug, ["kind": .string(kind.rawValue)], format)
        }
        let path = what == "off" ? nil : absolute(context)
        if let path, !Files.exists(path) {
            throw .misuse("\(what) is no kind of device for sound, and there is no such file")
        }
        let route = LocationToolRoute(path: path, pace: speed)
        let answer = try context.ask(.location, LocationToolMethod.route.rawValue, route.json)
        if format.json { return context.print(json: answer) }
        guard let metres = answer["metres"]?.number, let seconds = answer["seconds"]?.number else { return }
        context.print("The device goes \(Int(metres)) m in \(Int(seconds)) s.")
    }
}
