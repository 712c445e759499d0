import LocationModel
import LocationSimulation

/// A track with its regions, where satellites were asked, and where the app was woken.
struct RouteMap {
    private let stops: [RouteStudy.Stop]
    private let regions: [Region]
    private let report: RouteStudy.Report
    private let changes: RouteStudy.Report
    private let (west, north): (Double, Double)
    /// Pixels in a degree, each way.
    private let (across, down): (Double, Double)
    private let height: Double

    private static let width = 900.0
    private static let margin = 30.0

    init(_ stops: [RouteStudy.Stop], _ regions: [Region], _ report: RouteStudy.Report, _ changes: RouteStudy.Report) {
        (self.stops, self.regions, self.report, self.changes) = (stops, regions, report, changes)
        var edges = stops.map(\.place)
        for region in regions {
            for bearing in [0.0, 90, 180, 270] { edges.append(region.center.moved(region.radius, bearing: bearing)) }
        }
        let (latitudes, longitudes) = (edges.map(\.latitude), edges.map(\.longitude))
        west = longitudes.min() ?? 0
        north = latitudes.max() ?? 0
        let middle = Coordinate(north, west)
        let degree = (
            middle.nearDistance(to: Coordinate(north, west + 0.01)) * 100,
            middle.nearDistance(to: Coordinate(north - 0.01, west)) * 100
        )
        let east = max(longitudes.max() ?? 0, west + 1e-6)
        let scale = (Self.width - 2 * Self.margin) / ((east - west) * degree.0)
        (across, down) = (degree.0 * scale, degree.1 * scale)
        height = max(120, (north - (latitudes.min() ?? 0)) * down + 2 * Self.margin)
    }

    private func point(_ place: Coordinate) -> (x: Int, y: Int) {
        (
            Int(((place.longitude - west) * across + Self.margin).rounded()),
            Int(((north - place.latitude) * down + Self.margin).rounded())
        )
    }

    private func dots(_ stops: [RouteStudy.Stop], _ radius: Int, _ style: String) -> String {
        var seen: Set<String> = []
        return stops.compactMap { stop in
            let (x, y) = point(stop.place)
            guard seen.insert("\(x) \(y)").inserted else { return nil }
            return "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(radius)\" \(style)/>"
        }.joined(separator: "\n")
    }

    var svg: String {
        let line = stops.map { stop -> String in
            let (x, y) = point(stop.place)
            return "\(x),\(y)"
        }.joined(separator: " ")
        let circles = regions.map { region -> String in
            let (x, y) = point(region.center)
            let radius = Int((region.radius / 111_195 * down).rounded())
            return
                "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"\(max(radius, 2))\" fill=\"#7aa\" fill-opacity=\"0.3\" stroke=\"#366\"/>"
        }.joined(separator: "\n")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(Self.width))" height="\(Int(height) + 30)" font-family="sans-serif" font-size="13">
            <rect width="100%" height="100%" fill="#fff"/>
            \(circles)
            <polyline points="\(line)" fill="none" stroke="#999" stroke-width="2"/>
            \(dots(report.looks, 3, "fill=\"#e80\""))
            \(dots(changes.changes, 5, "fill=\"none\" stroke=\"#06c\" stroke-width=\"2\""))
            \(dots(report.wakes, 6, "fill=\"#c03\""))
            <text x="30" y="\(Int(height) + 18)">orange: a fix by satellites, for regions; red: the app was woken for a region; blue: a significant change</text>
            </svg>
            """ + "\n"
    }
}
