internal import LocationCore
internal import LocationModel
package import Model
package import Simulation

/// What a simulated app says in a scenario: `SpokenLocation.forms` lists it.
struct SpokenLocation: Hashable {
    let request: LocationRequest

    static let forms =
        "it understands `updates [METRES] [filter METRES] [background] [indicator] [fitness] [keep]`, `stop updates`, `once [METRES]`, "
        + "`significant`, `no significant`, `visits`, `no visits`, `monitor NAME EAST NORTH RADIUS [entry|exit]`, "
        + "`unmonitor NAME`, `state NAME`, `ask in use`, `ask always` and `ask exact`; METRES is an accuracy, the best "
        + "where none is said; EAST and NORTH are metres from 46° north, 14.5° east"

    init?(_ text: String) {
        var words = text.split(separator: " ").map(String.init)[...]
        guard let verb = words.popFirst() else { return nil }
        switch (verb, words.count) {
        case ("updates", _):
            guard let settings = Self.settings(words) else { return nil }
            request = .update(settings)
        case ("stop", 1) where words.first == "updates": request = .stopUpdates
        case ("once", 0): request = .once(UpdateSettings())
        case ("once", 1):
            guard let accuracy = words.first.flatMap(Double.init), accuracy.isFinite else { return nil }
            request = .once(UpdateSettings(accuracy: accuracy))
        case ("significant", 0): request = .significantChanges(true)
        case ("visits", 0): request = .visits(true)
        case ("no", 1) where words.first == "significant": request = .significantChanges(false)
        case ("no", 1) where words.first == "visits": request = .visits(false)
        case ("monitor", 4...5):
            guard let region = Self.region(Array(words)) else { return nil }
            request = .monitor(region)
        case ("unmonitor", 1): request = .unmonitor(words.first ?? "")
        case ("state", 1): request = .state(words.first ?? "")
        case ("ask", _):
            switch Array(words) {
            case ["in", "use"]: request = .authorize(.whenInUse)
            case ["always"]: request = .authorize(.always)
            case ["exact"]: request = .authorize(.fullAccuracy)
            default: return nil
            }
        default: return nil
        }
    }

    private static func settings(_ given: ArraySlice<String>) -> UpdateSettings? {
        var settings = UpdateSettings()
        var words = given
        if let accuracy = words.first.flatMap(Double.init) {
            guard accuracy.isFinite else { return nil }
            settings.accuracy = accuracy
            words.removeFirst()
        }
        while let word = words.popFirst() {
            switch word {
            case "filter":
                guard let metres = words.popFirst().flatMap(Double.init), metres.isFinite else { return nil }
                settings.distanceFilter = metres
            case "background": settings.allowsBackground = true
            case "indicator": settings.showsIndicator = true
            case "fitness": settings.activity = .fitness
            case "keep": settings.pausesAutomatically = false
            default: return nil
            }
        }
        return settings
    }

    private static func region(_ words: [String]) -> Region? {
        let numbers = words[1...3].compactMap(Double.init)
        guard numbers.count == 3, numbers.allSatisfy({ $0.isFinite && abs($0) < 1e7 }) else { return nil }
        var region = Region(words[0], center: Ground.at(east: numbers[0], north: numbers[1]), radius: numbers[2])
        switch words.dropFirst(4).first {
        case "entry": region.notifiesOnExit = false
        case "exit": region.notifiesOnEntry = false
        case nil: break
        default: return nil
        }
        return region
    }
}

extension LocationNews {
    /// As a simulated app hears it.
    var words: String {
        switch self {
        case .significantChange: "change"
        case .entered(let region, _): "entered \(region.identifier)"
        case .exited(let region, _): "left \(region.identifier)"
        case .visit(let visit): visit.departure == nil ? "arrived" : "departed"
        case .paused: "paused"
        case .resumed: "resumed"
        }
    }
}

extension LocationRefusal {
    var word: String {
        switch self {
        case .notGreeted: "notGreeted"
        case .denied: "denied"
        case .needsAlways: "needsAlways"
        case .noCellRadio: "noCellRadio"
        case .noRegions: "noRegions"
        case .tooManyRegions: "tooManyRegions"
        case .invalidRegion: "invalidRegion"
        case .noSuchRegion: "noSuchRegion"
        case .unknown: "unknown"
        case .tooMany: "tooMany"
        case .noSuchApp: "noSuchApp"
        case .noCompass: "noCompass"
        }
    }
}

extension SimulatedLocation {
    /// What an app might say, for storms.
    package static func words(_ random: inout SplitMix64, canBegin: Bool) -> String {
        func metres(_ random: inout SplitMix64) -> Int { Int(random.below(8000)) - 4000 }
        guard canBegin else {
            return switch random.below(5) {
            case 0...1: "stop updates"
            case 2: "no significant"
            case 3: "no visits"
            default: "unmonitor r\(random.below(4))"
            }
        }
        return switch random.below(13) {
        case 0: "ask in use"
        case 1...2: "ask always"
        case 3: "updates"
        case 4: "updates background"
        case 5: "updates 3000 filter 500"
        case 6: "once"
        case 7: "significant"
        case 8: "visits"
        case 9...10:
            "monitor r\(random.below(4)) \(metres(&random)) \(metres(&random)) \(100 + random.below(600))"
        case 11: "stop updates"
        default: "state r\(random.below(4))"
        }
    }

    /// Those who ask where exactly they are when they hear that they are elsewhere.
    package static var habits: [[String: [AppAction]]] {
        [["entered r0": [.ask("location", "once")], "change": [.beginTask("upload")]], [:]]
    }

    /// The person moves.
    package static func wordsFromOutside(_ random: inout SplitMix64, of app: AppIdentifier) -> String? {
        let (east, north) = (Int(random.below(8000)) - 4000, Int(random.below(8000)) - 4000)
        return switch random.below(14) {
        case 0...3: "drive to \(east) \(north)"
        case 4...5: "ride to \(east) \(north)"
        case 6...7: "walk to \(east / 4) \(north / 4)"
        case 8: "sky lost"
        case 9: "sky returns"
        case 10: random.oneIn(2) ? "radio lost" : "radio returns"
        case 11: random.oneIn(2) ? "receiver lost" : "receiver returns"
        case 12: random.oneIn(3) ? "deny \(app)" : "allow \(app) in use"
        default: "allow \(app) always"
        }
    }
}
