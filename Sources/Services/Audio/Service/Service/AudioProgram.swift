internal import Dispatch
internal import ServiceKit

/// The program `greenroom-audiod`: who sounds, how loud, and whom controls belong to.
package enum AudioProgram {
    /// Serves until it is told to end or nobody needs it, then ends the process: 0 after an orderly end, or when
    /// another serves this folder already; 1 when it cannot serve, 2 for wrong arguments.
    package static func run(_ arguments: [String]) -> Never {
        ServiceProcess.run("greenroom-audiod") {
            let options = try Options(arguments)
            let queue = DispatchQueue(label: "greenroom.audio", qos: .userInteractive)
            let process = try ServiceProcess("greenroom-audiod", queue: queue)
            let store = try AudioStore(folder: process.folder)
            let world = AudioWorld(queue, silence: options.silence)
            let host = try ServiceHost(
                "audio", on: queue, broker: process.broker, store, world: world, idleExit: options.idleExit
            ) {
                process.finish(isDone: $0)
            }
            try process.serve(host)
        }
    }

    struct Options {
        /// Seconds without anything to do after which the process ends.
        var idleExit = 30.0
        /// Seconds of silence out of sight that count as playing; `nil`: as the device's profile has it.
        var silence: Double?

        init(_ arguments: [String]) throws(ServiceUsageError) {
            var (idleExit, silence) = (self.idleExit, self.silence)
            try ServiceProcess.readSeconds(arguments) { option, seconds in
                switch option {
                case "--idle-exit": idleExit = seconds
                case "--silence": silence = seconds
                default: return false
                }
                return true
            }
            (self.idleExit, self.silence) = (idleExit, silence)
        }
    }
}
