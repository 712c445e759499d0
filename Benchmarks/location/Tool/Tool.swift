import ArgumentParser
import LinuxSystem
import LocationModel
import LocationSimulation
import LocationSources

@main
struct Tool: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "greenroom-bench-location", abstract: "What location costs, and how late it is.",
        subcommands: [Routes.self, Crowd.self])
}

/// Real tracks: crossings of regions, significant changes, and what both cost beside what others cost.
struct Routes: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Carry a device along every track of a folder.")

    @Argument(help: "A folder with GPX files.") var folder: String
    @Option(help: "Draw a map of each track into this folder, as SVG.") var pictures: String?

    @Flag(help: "Say each crossing.") var verbose = false

    func run() throws {
        let names = FileSystem.names(in: folder).filter { $0.hasSuffix(".gpx") }.sorted()
        guard !names.isEmpty else { throw ValidationError("\(folder) has no GPX file") }
        print(
            "Regions: satellites received for \"regions\" as a part of \"always on\"; delay from when a crossing is sure by the "
                + "rule. Significant changes beside it.\n")
        print(
            "| track | km | min | crossings | missed | false | delay p50, max | regions | changes | apart, every | cost | GeoClue, 30 s |"
        )
        print("|---|---|---|---|---|---|---|---|---|---|---|---|")
        for name in names { try study(name) }
    }

    private func study(_ name: String) throws {
        let track: Track
        do {
            track = try Track(file: "\(folder)/\(name)")
        } catch {
            print("| \(name) | \(error) |")
            return
        }
        let stops = track.points.map { RouteStudy.Stop($0.coordinate, time: $0.time) }
        var setup = RouteStudy.Setup()
        setup.regions = StudyRegions.along(stops)
        guard var study = RouteStudy(stops, setup) else { return }
        let regions = study.run()
        setup.regions = []
        setup.significantChanges = true
        guard var second = RouteStudy(stops, setup) else { return }
        let changes = second.run()
        print(row(name, regions, changes))
        for crossing in regions.crossings where verbose {
            let told = crossing.told.map { "told at \(Int($0)) s" } ?? "never told"
            print(
                "  \(crossing.isEntry ? "entered" : "left") \(crossing.region) at \(Int(crossing.decided)) s, \(told)")
        }
        if let pictures {
            let map = RouteMap(stops, StudyRegions.along(stops), regions, changes)
            try FileSystem.makeDirectory(pictures)
            try FileSystem.replace("\(pictures)/\(name.dropLast(4)).svg", with: Array(map.svg.utf8))
        }
    }

    private func row(_ name: String, _ regions: RouteStudy.Report, _ changes: RouteStudy.Report) -> String {
        let delays = regions.delays
        let delay = delays.isEmpty ? "" : "\(Int(delays[delays.count / 2])) s, \(Int(delays[delays.count - 1])) s"
        let apart = zip(changes.changes, changes.changes.dropFirst()).map { $0.place.roughDistance(to: $1.place) }
        let every = zip(changes.changes, changes.changes.dropFirst()).map { $1.time - $0.time }
        func mean(_ values: [Double]) -> Double { values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count) }
        return "| \(name.dropLast(4)) | \(tenths(regions.metres / 1000)) | \(regions.seconds / 60) "
            + "| \(regions.crossings.count) | \(regions.missed) | \(regions.falseOnes) | \(delay) "
            + "| \(tenths(regions.share * 100)) % | \(changes.changes.count) "
            + "| \(Int(mean(apart))) m, \(Int(mean(every))) s | \(tenths(changes.share * 100)) % "
            + "| \(tenths(Asking.share(seconds: regions.seconds) * 100)) % |"
    }

    private func tenths(_ value: Double) -> String {
        let rounded = (value * 10).rounded() / 10
        return "\(rounded)"
    }
}

/// Regions of three sizes where the track comes by, and some beside it.
enum StudyRegions {
    static func along(_ stops: [RouteStudy.Stop]) -> [Region] {
        var regions: [Region] = []
        for (number, share) in [0.0, 0.25, 0.5, 0.75, 1.0].enumerated() {
            let place = stops[min(stops.count - 1, Int(Double(stops.count) * share))].place
            let radius = [100.0, 150, 300][number % 3]
            regions.append(Region("on\(number)", center: place, radius: radius))
            // Whoever goes by must not be told.
            regions.append(Region("beside\(number)", center: place.moved(radius + 400, bearing: 45), radius: radius))
        }
        return regions
    }
}
