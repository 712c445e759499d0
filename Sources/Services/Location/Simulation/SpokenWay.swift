internal import LocationCore
package import LocationModel
package import Model

/// What people and the world do in a scenario: `SpokenWay.forms` lists it.
package enum SpokenWay: Hashable, Sendable {
    package struct Stop: Hashable, Sendable {
        package var place: Coordinate
        package var seconds: Double
    }

    case place(Coordinate)
    case go(Coordinate, speed: Double)
    /// At so many seconds from now it is there.
    case follow([Stop])
    case sky(Bool)
    case radio(Bool)
    case receiver(Bool)
    case permit(AppIdentifier, LocationAuthorization, isReduced: Bool)
    /// A source says so, whatever is true.
    case fix(LocationModel.Fix)

    package static let forms =
        "it understands `at EAST NORTH`, `walk to EAST NORTH`, `ride to EAST NORTH`, `drive to EAST NORTH [SPEED]`, "
        + "`place LATITUDE LONGITUDE`, `follow LATITUDE,LONGITUDE,SECONDS …`, `sky lost`, `sky returns`, `radio lost`, "
        + "`radio returns`, `receiver lost`, `receiver returns`, `allow APP always|in use [roughly]`, `deny APP` and "
        + "`fix LATITUDE LONGITUDE ACCURACY TIME`; EAST and NORTH are metres from 46° north, 14.5° east, SPEED is in "
        + "metres a second"

    private static let speeds = ["walk": 1.4, "ride": 5.0, "drive": 14.0]

    package init?(_ text: String) {
        let words = text.split(separator: " ").map(String.init)
        let numbers = words.compactMap(Double.init)
        func isEvery(_ count: Int) -> Bool {
            numbers.count == count && numbers.allSatisfy { $0.isFinite && abs($0) < 1e7 }
        }
        switch words.first {
        case "at" where words.count == 3 && isEvery(2): self = .place(Ground.at(east: numbers[0], north: numbers[1]))
        case "walk", "ride", "drive":
            guard words.count > 3, words[1] == "to", isEvery(words.count - 2), words.count <= 5 else { return nil }
            let speed = words.count == 5 ? numbers[2] : Self.speeds[words[0]] ?? 1
            guard speed > 0 else { return nil }
            self = .go(Ground.at(east: numbers[0], north: numbers[1]), speed: speed)
        case "place" where words.count == 3 && isEvery(2):
            let place = Coordinate(numbers[0], numbers[1])
            guard place.isValid else { return nil }
            self = .place(place)
        case "follow":
            let stops = words.dropFirst().compactMap(Self.stop)
            guard !stops.isEmpty, stops.count == words.count - 1 else { return nil }
            self = .follow(stops)
        case "sky", "radio", "receiver":
            guard words.count == 2, ["lost", "returns"].contains(words[1]) else { return nil }
            let isThere = words[1] == "returns"
            self = words[0] == "sky" ? .sky(isThere) : words[0] == "radio" ? .radio(isThere) : .receiver(isThere)
        case "allow", "deny":
            guard let permit = Self.permit(words) else { return nil }
            self = permit
        case "fix" where words.count == 5:
            // A source may say anything, also what is no number.
            let given = words.dropFirst().compactMap(Double.init)
            guard given.count == 4 else { return nil }
            self = .fix(Fix(Coordinate(given[0], given[1]), accuracy: given[2], time: given[3], source: .gps))
        default: return nil
        }
    }

    private static func stop(_ word: String) -> Stop? {
        let numbers = word.split(separator: ",").compactMap { Double($0) }
        guard numbers.count == 3, numbers.allSatisfy(\.isFinite), numbers[2] >= 0 else { return nil }
        let place = Coordinate(numbers[0], numbers[1])
        return place.isValid ? Stop(place: place, seconds: numbers[2]) : nil
    }

    private static func permit(_ words: [String]) -> SpokenWay? {
        guard words.count > 1, let app = AppIdentifier(words[1]) else { return nil }
        if words[0] == "deny" { return words.count == 2 ? .permit(app, .denied, isReduced: false) : nil }
        var rest = words.dropFirst(2)
        let isReduced = rest.last == "roughly"
        if isReduced { rest.removeLast() }
        switch Array(rest) {
        case ["always"]: return .permit(app, .always, isReduced: isReduced)
        case ["in", "use"]: return .permit(app, .whenInUse, isReduced: isReduced)
        default: return nil
        }
    }
}
