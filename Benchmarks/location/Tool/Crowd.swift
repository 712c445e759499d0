import ArgumentParser
import LinuxSystem
import LocationCore
import LocationModel
import Model
import ServiceCore

/// A thousand apps with twenty regions each.
struct Crowd: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Measure a fix, where many apps monitor many regions.")

    @Option(help: "Apps.") var apps = 1000
    @Option(help: "Regions of each.") var regions = 20
    @Option(help: "Fixes.") var fixes = 5000

    func run() throws {
        var system = LocationSystem()
        var now = Instant(nanoseconds: 1_000_000_000)
        let home = Coordinate(46, 14.5)
        var random: UInt64 = 1
        func metres(_ most: Double) -> Double {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(random >> 33) / Double(1 << 31) * most
        }
        // Whoever is told of something has heard it at once.
        func send(_ event: LocationEvent) {
            for effect in system.handle(event, at: now) {
                switch effect {
                case .tell(let connection, let number, _): send(.answered(connection, number, Nothing()))
                case .wake(let app, let number, _, _, _):
                    send(.woken(app, number, .allowed))
                    send(.windowEnded(app, .moved, .done))
                default: break
                }
            }
        }
        let before = ProcFS().memory(CurrentProcess.pid)?.dirty ?? 0
        send(.clock(.seconds(1_700_000_000)))
        send(.systemAttached)
        send(.own(.source(.gps, .present)))
        for number in 0..<apps {
            guard let app = AppIdentifier("app\(number)") else { continue }
            let connection = ConnectionID(UInt64(number + 1))
            send(.attached(connection, AppDescription(app, process: Int64(number + 1), name: "", hasKey: false)))
            send(.app(connection, RequestID(1), .hello(updates: nil, heading: false, running: [])))
            send(.app(connection, RequestID(2), .authorize(.always)))
            for place in 0..<regions {
                // All over a country.
                let center = home.moved(metres(300_000), bearing: metres(360))
                let region = Region("r\(place)", center: center, radius: 100 + metres(400))
                send(.app(connection, RequestID(3), .monitor(region)))
            }
            send(.appState(app, AppStanding(.suspended, process: Int64(number + 1), isVisible: false)))
        }
        let after = ProcFS().memory(CurrentProcess.pid)?.dirty ?? 0
        var times: [Int64] = []
        var place = home
        for number in 0..<fixes {
            now = now + .seconds(1)
            place = place.moved(25, bearing: Double(number / 500 * 40))
            let fix = Fix(place, accuracy: 8, time: 1_700_000_000 + Double(number), source: .gps, speed: 25)
            let began = Clock.monotonic()
            let effects = system.handle(.own(.fix(fix)), at: now)
            times.append(Clock.monotonic() - began)
            for case .tell(let connection, let number, _) in effects {
                send(.answered(connection, number, Nothing()))
            }
            for case .wake(let app, let number, _, _, _) in effects {
                send(.woken(app, number, .allowed))
                send(.windowEnded(app, .moved, .done))
            }
        }
        times.sort()
        func micro(_ part: Double) -> Double { Double(times[Int(Double(times.count - 1) * part)]) / 1000 }
        let mean = Double(times.reduce(0, +)) / Double(times.count) / 1000
        print("\(apps) apps with \(regions) regions each, \(fixes) fixes on a drive:")
        print(
            "a fix: mean \(mean) µs, p50 \(micro(0.5)) µs, p99 \(micro(0.99)) µs, longest \(micro(1)) µs (mean at most 100)"
        )
        let kilobytes = (after - before) / 1024
        print("memory: \(kilobytes) KiB, \(Double(kilobytes) * 1024 / Double(apps * regions)) bytes a region")
        print("the next timer: \(system.nextDeadline == nil ? "none" : "planned")")
    }
}
