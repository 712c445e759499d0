internal import LinuxSystem
internal import LocationCore
internal import LocationModel
internal import LocationSources
internal import LocationTranslation
internal import LocationWire
internal import Model
internal import ServiceCore
internal import ServiceKit
internal import Wire

/// The receivers, and what a tool pretends in their place.
final class LocationWorld: ServiceWorld {
    typealias Policy = LocationSystem
    typealias Translation = LocationOnWire

    static let mode = "location"

    private let receivers: Receivers
    private weak var host: ServiceHost<LocationWorld>?

    init(_ receivers: Receivers) { self.receivers = receivers }

    func begin(_ host: isolated ServiceHost<LocationWorld>) {
        self.host = host
        receivers.begin(self)
    }

    func end() { receivers.end() }

    func perform(_ effect: LocationWords.Effect, _ host: isolated ServiceHost<LocationWorld>) {
        switch effect {
        case .power(let source, let isOn): receivers.power(source, isOn)
        case .compass(let isOn): receivers.powerCompass(isOn)
        case .users(let apps):
            host.broker?.tell(.satellites, ["apps": .array(apps.map { .string($0.rawValue) })])
        }
    }

    // MARK: Tools

    func answer(
        _ name: String, _ params: JSONValue, _ host: isolated ServiceHost<LocationWorld>
    ) throws(RPCError) -> ToolAnswer<LocationWords> {
        guard let method = LocationToolMethod(rawValue: name) else { throw .methodNotFound(name) }
        switch method {
        // The host answers it.
        case .hello: throw .methodNotFound(name)
        case .permit:
            let permit = try LocationToolPermit(json: params)
            return .command(.permit(try app(permit.app), permit.authorization, isReduced: permit.reduced))
        case .why:
            let app = try app(try params.string("app"))
            return .value(["sentence": .string(host.policy.why(app, at: ServiceHost<LocationWorld>.now))])
        case .status: return .value(host.policy.statusInfo)
        case .fix:
            let fix = params["latitude"] == nil ? nil : try LocationToolFix(json: params)
            receivers.pretend(fix?.coordinate, accuracy: fix?.accuracy ?? 0)
            return .value([:])
        case .cell:
            let cell = try LocationToolCell(json: params)
            receivers.pretend(cell.name.map { CellTower($0, coordinate: cell.coordinate, reach: cell.reach) })
            return .value([:])
        case .route: return .value(try follow(try LocationToolRoute(json: params)))
        }
    }

    private func app(_ name: String) throws(RPCError) -> AppIdentifier {
        guard let app = AppIdentifier(name) else {
            throw .invalidParameter(
                "app", "the parameter app must be 1 to 127 letters, digits, dots, hyphens and underscores")
        }
        return app
    }

    private func follow(_ route: LocationToolRoute) throws(RPCError) -> JSONValue {
        guard let path = route.path else {
            receivers.stopFollowing()
            return [:]
        }
        let track: Track
        do throws(TrackError) {
            track = try Track(file: path)
        } catch {
            throw .invalidParameter("path", "\(path): \(error)")
        }
        receivers.follow(track, pace: route.pace)
        return [
            "points": .int(Int64(track.points.count)), "metres": .double(track.length),
            "seconds": .double(track.duration / route.pace),
        ]
    }
}

extension LocationSystem {
    fileprivate var statusInfo: JSONValue {
        let offset = Double(Clock.wall() - Clock.boot()) / 1e9
        return LocationStatusInfo(status(at: ServiceHost<LocationWorld>.now)) {
            offset + Double($0.nanoseconds) / 1e9
        }.json
    }
}

// What the receivers say, on the host's queue.
extension LocationWorld: LocationSourceClient {
    private func post(_ event: LocationWords.Event) { host?.assumeIsolated { $0.post(.own(event)) } }

    func source(_ source: FixSource, is state: SourceState) { post(.source(source, state)) }
    func found(_ fix: Fix) { post(.fix(fix)) }
    func moved(to tower: CellTower?) { post(.tower(tower)) }
    func turned(to heading: Heading) { post(.heading(heading)) }
    func compass(is state: SourceState) { post(.compass(isThere: state.isPresent)) }
}
