import Glibc

/// The program `greenroom-bundle`: the one place where files of strangers are parsed, in a process of its own that
/// may cost little and dies alone.
package enum Helper {
    /// Runs the command line and says with which status to exit: 0 a manifest was printed, 1 a refusal was, 2 usage.
    package static func run(_ arguments: [String]) -> Int32 {
        limitResources()
        guard arguments.count == 4, ["inspect", "shortcuts"].contains(arguments[1]) else {
            print(
                "usage: greenroom-bundle inspect PATH STAGING_DIR\n       greenroom-bundle shortcuts BUNDLE CONTAINER")
            return 2
        }
        do {
            if arguments[1] == "shortcuts" {
                print(Shortcuts.json(try Shortcuts.read(bundle: arguments[2], container: arguments[3])))
                return 0
            }
            // A little before the limits, so that there is an answer instead of a dead process.
            let deadline = ContinuousClock.now + .seconds(Int(Limits.processorSeconds)) * 0.85
            print(try Inspection.inspect(path: arguments[2], staging: arguments[3], deadline: deadline).json)
            return 0
        } catch {
            print(error.json)
            return 1
        }
    }

    /// The daemon sets these too; here they hold for whoever runs the helper by hand.
    private static func limitResources() {
        lower(RLIMIT_AS, to: Limits.addressSpace)
        lower(RLIMIT_CPU, to: Limits.processorSeconds)
        lower(RLIMIT_FSIZE, to: UInt(Limits.totalBytes))
        lower(RLIMIT_CORE, to: 0)
        lower(RLIMIT_NOFILE, to: 256)
        // A write beyond the limit shall fail and be reported, not kill.
        _ = signal(SIGXFSZ, SIG_IGN)
        _ = umask(0o022)
    }

    private static func lower(_ resource: __rlimit_resource, to limit: UInt) {
        var current = rlimit()
        guard unsafe getrlimit(Int32(resource.rawValue), &current) == 0 else { return }
        current.rlim_max = min(current.rlim_max, limit)
        current.rlim_cur = min(current.rlim_cur, current.rlim_max)
        _ = unsafe setrlimit(Int32(resource.rawValue), &current)
    }
}
