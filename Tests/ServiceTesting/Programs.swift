internal import Foundation
package import LinuxSystem

/// Where the build puts programs and the repository has its servers.
package enum Place {
    package static let products = (CurrentProcess.executablePath ?? "").split(separator: "/").dropLast()
        .map { "/\($0)" }.joined()
    package static let servers = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Fixtures/servers").path
}

/// A program that is run to its end.
package enum Command {
    package struct Failed: Error {
        package let status: ProcessStatus?
        package let command: String
    }

    @discardableResult
    package static func run(_ path: String, _ arguments: [String]) throws -> [UInt8] {
        var spawn = Spawn(path: path, arguments: [path] + arguments, environment: CurrentProcess.allEnvironment)
        let (ours, theirs) = try UnixSocket.pair()
        let null = try Descriptor.open("/dev/null", .readWrite)
        spawn.descriptors = [(null, 0), (theirs, 1), (null, 2)]
        let process = try spawn.start()
        withExtendedLifetime(theirs) {}
        var output: [UInt8] = []
        let epoll = try Epoll()
        try epoll.add(ours.rawValue, .readable, token: 1)
        try epoll.add(process.descriptor.rawValue, .readable, token: 2)
        try ours.setNonblocking(true)
        var ready: [Epoll.Ready] = []
        while true {
            try epoll.wait(milliseconds: 60_000, &ready)
            let isDead = process.isDead
            while case .bytes = try ours.read(into: &output, upTo: 1 << 16) {}
            if isDead || ready.isEmpty { break }
        }
        let status = process.reap()
        guard status == .exited(0) else { throw Failed(status: status, command: "\(path) \(arguments)") }
        return output
    }
}

/// Certificates of an authority that nobody knows, and of others.
package enum Certificates {
    private static let path = "/tmp/greenroom-certificates-\(CurrentProcess.pid)"

    private static let folder = Result<String, any Error> {
        let folder = path
        try FileSystem.makeDirectory(folder)
        // All tests share it, so it is the process that removes it.
        atexit { try? FileSystem.removeTree(Certificates.path) }
        try Command.run("/bin/bash", ["\(Place.servers)/certificates.sh", folder])
        return folder
    }

    /// The authority's own, in PEM.
    package static var root: String {
        get throws { String(decoding: FileSystem.read("\(try folder.get())/ca.pem") ?? [], as: UTF8.self) }
    }

    /// The files of a certificate and its key.
    package static func files(_ name: String) throws -> [String] {
        ["\(try folder.get())/\(name).pem", "\(try folder.get())/\(name).key"]
    }
}
