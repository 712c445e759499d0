internal import Foundation
internal import LocationModel
internal import LocationSimulation
internal import Model
internal import Simulation

// Where the device is. It comes to the app's code through `CLLocationManager`, as on a device.
extension TestDevice {
    /// Where the device is, and who knows it.
    public var location: Location { Location(device: self) }

    /// What a device knows of where it is, and what people do about that.
    @MainActor
    public struct Location {
        let device: TestDevice

        /// A place of a track, and when the device is there.
        public struct Waypoint: Hashable, Sendable {
            /// Degrees north.
            public let latitude: Double
            /// Degrees east.
            public let longitude: Double
            /// How long after the begin of the track.
            public let time: Duration

            /// Makes one.
            public init(latitude: Double, longitude: Double, at time: Duration) {
                (self.latitude, self.longitude, self.time) = (latitude, longitude, time)
            }
        }

        /// Whether satellites are received now: somebody wants to know exactly where the device is.
        public var receivesSatellites: Bool { answer("satellites") == "on" }

        /// The names of the apps for which they are.
        public var users: [String] {
            let users = answer("users")
            return users == "nobody" ? [] : users.split(separator: " ").map { name(String($0)) }
        }

        /// Why an app gets what it gets, and why a region was told so late: the sentence of `greenroom location why`.
        public func why(_ app: InstalledApp) -> String { answer("why \(device.identifier(app))") }

        // MARK: The way

        /// The device is there from now on, at once.
        ///
        /// - Throws: `TestDeviceError.refused` for a place that is none.
        public func move(toLatitude latitude: Double, longitude: Double) async throws(TestDeviceError) {
            let place = LocationModel.Coordinate(latitude, longitude)
            guard place.isValid else { throw .refused("that is no place on earth") }
            try await tell("place \(latitude) \(longitude)")
        }

        /// The device goes along a track from now on. Time does not pass by that: `advance(by:)` lets it.
        ///
        /// - Throws: `TestDeviceError.refused` for a track without places, or with one that is none.
        public func follow(_ track: [Waypoint]) async throws(TestDeviceError) {
            let stops = track.map { point in
                let time = Double(point.time.components.seconds) + Double(point.time.components.attoseconds) / 1e18
                return "\(point.latitude),\(point.longitude),\(time)"
            }
            guard !track.isEmpty,
                track.allSatisfy({ LocationModel.Coordinate($0.latitude, $0.longitude).isValid && $0.time >= .zero })
            else { throw .refused("a track is a list of places on earth, with times from its begin on") }
            try await tell("follow \(stops.joined(separator: " "))")
        }

        /// The device goes into a region that an app monitors, and stays until that counts; or to the place that a
        /// notification of the app waits for, by the request's identifier.
        ///
        /// - Throws: `TestDeviceError.refused` if there is none of this name.
        public func enter(_ identifier: String, of app: InstalledApp) async throws(TestDeviceError) {
            let region = try region(identifier, app)
            try await know(identifier, app)
            try await settle(at: region.center)
        }

        /// The device leaves for good a region that an app monitors, or a place as for `enter(_:of:)`.
        ///
        /// - Throws: `TestDeviceError.refused` if there is none of this name.
        public func leave(_ identifier: String, of app: InstalledApp) async throws(TestDeviceError) {
            let region = try region(identifier, app)
            try await know(identifier, app)
            try await settle(at: region.center.moved(region.radius + 1000, bearing: 90))
        }

        /// Satellites are seen, or not, as under a roof.
        public func setSky(_ isVisible: Bool) async throws(TestDeviceError) {
            try await tell("sky \(isVisible ? "returns" : "lost")")
        }

        // MARK: Leave

        /// What the user lets an app know.
        public enum Authorization: Hashable, Sendable {
            /// Nothing.
            case denied
            /// Where the device is while the app is used.
            case whenInUse
            /// That at any time; regions, visits and significant changes need it.
            case always
        }

        /// The user says what an app may know.
        ///
        /// - Parameter reduced: only to some kilometres.
        public func allow(
            _ app: InstalledApp, _ authorization: Authorization, reduced: Bool = false
        ) async throws(TestDeviceError) {
            let name = device.identifier(app)
            switch authorization {
            case .denied: try await tell("deny \(name)")
            case .whenInUse: try await tell("allow \(name) in use\(reduced ? " roughly" : "")")
            case .always: try await tell("allow \(name) always\(reduced ? " roughly" : "")")
            }
        }

        // MARK: Asking

        private func answer(_ question: String) -> String {
            device.simulated.answer(of: LocationService.name, to: question) ?? ""
        }

        private func tell(_ words: String) async throws(TestDeviceError) {
            try await device.tell(LocationService.self, words)
        }

        private func region(_ identifier: String, _ app: InstalledApp) throws(TestDeviceError) -> Region {
            let name = device.simulated.apps[app.place].script.manifest.identifier
            let model = device.simulated.logic(LocationService.name, as: SimulatedLocation.self)
            guard let region = (model?.regions(of: name) ?? []).first(where: { $0.identifier == identifier }) else {
                throw .refused(
                    "\(app.name) monitors no region “\(identifier)”, and no notification of it waits for that place")
            }
            return region
        }

        /// On which side the device is before: what it is at first nobody has crossed.
        private func know(_ identifier: String, _ app: InstalledApp) async throws(TestDeviceError) {
            let states = ["regions", "places"].flatMap {
                answer("\($0) \(device.identifier(app))").split(separator: ", ")
            }
            if states.contains("\(identifier) unknown") { try await device.advance(by: .seconds(30)) }
        }

        /// It is seen there for longer than a region needs.
        private func settle(at place: LocationModel.Coordinate) async throws(TestDeviceError) {
            try await move(toLatitude: place.latitude, longitude: place.longitude)
            for _ in 0..<30 {
                try await tell("fix \(place.latitude) \(place.longitude) 5 0")
                try await device.advance(by: .seconds(1))
            }
        }

        private func name(_ identifier: String) -> String {
            let known = device.simulated.apps.first { $0.script.manifest.identifier.rawValue == identifier }
            return known?.script.name ?? identifier
        }
    }
}
