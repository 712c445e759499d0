internal import Dispatch
internal import LinuxSystem
internal import LocationSources
internal import ServiceKit

/// The program `greenroom-locationd`: where the device is, and whom that concerns.
package enum LocationProgram {
    /// Serves until it is told to end or nobody needs it, then ends the process: 0 after an orderly end, or when
    /// another serves this folder already; 1 when it cannot serve, 2 for wrong arguments.
    package static func run(_ arguments: [String]) -> Never {
        ServiceProcess.run("greenroom-locationd") {
            var idleExit = 30.0
            try ServiceProcess.readSeconds(arguments) { option, seconds in
                guard option == "--idle-exit" else { return false }
                idleExit = seconds
                return true
            }
            let queue = DispatchQueue(label: "greenroom.location", qos: .userInitiated)
            let process = try ServiceProcess("greenroom-locationd", queue: queue)
            let store = try LocationStore(folder: process.folder)
            let world = LocationWorld(Receivers(queue))
            let host = try ServiceHost(
                "location", on: queue, broker: process.broker, store, world: world, idleExit: idleExit
            ) {
                process.finish(isDone: $0)
            }
            try process.serve(host)
        }
    }
}
