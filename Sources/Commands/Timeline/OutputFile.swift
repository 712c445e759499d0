internal import SystemPackage

/// A file that a command writes, piece by piece; it has its name only when all of it is there.
final class OutputFile {
    private let path: FilePath
    private let temporary: FilePath
    private let sink: DescriptorSink
    private let file: FileDescriptor
    private var buffer: [UInt8] = []

    private static let piece = 1 << 16

    init(_ path: String, in context: CommandContext) throws(CommandFailure) {
        self.path = FilePath(context.workingDirectory).pushing(FilePath(path))
        temporary = FilePath(self.path.string + ".new")
        do {
            file = try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        } catch {
            throw .failed("\(path) cannot be written: \(error)")
        }
        sink = DescriptorSink(descriptor: file.rawValue)
    }

    func write(_ bytes: [UInt8]) {
        buffer += bytes
        if buffer.count >= Self.piece { flush() }
    }

    private func flush() {
        sink.write(buffer)
        buffer.removeAll(keepingCapacity: true)
    }

    func close() throws(CommandFailure) {
        flush()
        try? file.close()
        if let failure = sink.failure {
            Files.remove(temporary.string)
            throw .failed("\(path) could not be written: \(failure)")
        }
        guard Files.rename(temporary.string, to: path.string) else {
            let failure = Files.lastError
            Files.remove(temporary.string)
            throw .failed("\(path) could not be written: \(failure)")
        }
    }
}
