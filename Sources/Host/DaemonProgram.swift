internal import FoundationEssentials
internal import LinuxSystem
internal import Model

/// The program `greenroomd`, which the keeper starts with its sockets as descriptors 3, 4 and 5, and the home's lock
/// as 6.
package enum DaemonProgram {
    /// Runs a command line and returns the exit status: 0 after an orderly end, 2 for wrong arguments.
    package static func run(_ arguments: [String]) -> CInt {
        do {
            try Daemon.run(try configuration(arguments))
            return 0
        } catch let error as UsageError {
            StandardError.write("greenroomd: \(error.sentence)\n")
            tellKeeper(error.sentence)
            return 2
        } catch {
            Diagnostics.write("\(error)")
            tellKeeper("\(error)")
            return 1
        }
    }

    /// Its last words reach the user of `up` also when no log can be written.
    private static func tellKeeper(_ sentence: String) {
        let words = sentence.split(whereSeparator: \.isNewline).joined(separator: " ")
        _ = try? Descriptor(borrowing: keeperLink).send(Array("failed \(words)\n".utf8)[...])
    }

    private static let (controlListener, appListener, keeperLink, lock): (CInt, CInt, CInt, CInt) = (3, 4, 5, 6)

    private struct UsageError: Error {
        let sentence: String
    }

    private static func configuration(_ arguments: [String]) throws -> Daemon.Configuration {
        var home: String?
        var profile = DeviceProfile.linux
        var memory: Int64?
        var rest = arguments.dropFirst()
        while let option = rest.popFirst() {
            guard let value = rest.popFirst() else { throw UsageError(sentence: "\(option) needs a value") }
            switch option {
            case "--home": home = value
            case "--device": profile = try self.profile(value)
            case "--memory":
                guard let bytes = Int64(value), bytes > 0 else {
                    throw UsageError(sentence: "--memory is a number of bytes, not \(value)")
                }
                memory = bytes
            default: throw UsageError(sentence: "unknown option \(option); greenroom up starts this program")
            }
        }
        guard let home else { throw UsageError(sentence: "--home is missing; greenroom up starts this program") }
        guard let own = CurrentProcess.executablePath, let slash = own.lastIndex(of: "/") else {
            throw UsageError(sentence: "/proc is not mounted")
        }
        return Daemon.Configuration(
            home: home, profile: profile, memory: memory, programs: Programs(directory: String(own[..<slash])),
            controlListener: controlListener, appListener: appListener, keeper: keeperLink, lock: lock)
    }

    /// A built-in profile by name, or a file that holds one.
    private static func profile(_ name: String) throws -> DeviceProfile {
        if let profile = DeviceProfile.named(name) { return profile }
        let names = DeviceProfile.all.map(\.name).joined(separator: ", ")
        guard name.contains("/") || name.hasSuffix(".json") else {
            throw UsageError(sentence: "there is no device profile \(name); there are \(names), or give a JSON file")
        }
        guard let bytes = FileSystem.read(name, limit: 1 << 16) else {
            throw UsageError(sentence: "the profile \(name) cannot be read")
        }
        do {
            return try JSONDecoder().decode(DeviceProfile.self, from: Data(bytes))
        } catch {
            throw UsageError(sentence: "\(name) is not a device profile: \(error)")
        }
    }
}
